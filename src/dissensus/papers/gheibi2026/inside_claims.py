"""Claims about the proposition and about what is inside trained models, with their judges."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from dissensus.papers.claims import Claim, read_statements
from dissensus.papers.evidence import Number
from dissensus.papers.expressions import Expression, difference, value_of
from dissensus.papers.gheibi2026.reader_names import DELIVERIES, DETECTORS, METRICS, in_title
from dissensus.papers.gheibi2026.studies import HARD, KS
from dissensus.papers.judges import each, equals, exactly, holds_in, less, more, negative, positive, untestable

claim = read_statements("gheibi2026")
CURVATURE = ("lambda_full", "trace_full", "lambda_high", "trace_high")
COLUMNS = dict(zip(CURVATURE, ("λ (full)", "trace (full)", "λ (high)", "trace (high)"), strict=True))
EQUATIONS = ("loss", "gradient", "covariance", "parameters", "square", "unanimous")
ONE_SIDED = {"energy": 0.0186, "odin": 0.0186, "entropy": 0.0801, "msp": 0.0654, "knn": 0.3125, "margin": 0.0801}
SVHN = untestable("no SVHN images here")


def _proposition_claims() -> Iterator[Claim]:
    zero = {name: exactly(f"{name}_gap", "sls", "0.000000000") for name in EQUATIONS}
    error = equals("squared_error", "sls", "1.0")
    yield claim("proposition-objective", each(zero["loss"], zero["gradient"], error))
    yield claim("proposition-covariance", zero["covariance"])
    yield claim("proposition-parameters", zero["parameters"])
    grows = positive(value_of("growth_spearman", "people"))
    yield claim("proposition-square", each(zero["square"], zero["unanimous"], grows))


def _curvature_claims() -> Iterator[Claim]:
    """Tables 4 and 6."""
    for metric in CURVATURE:
        words = {"metric": metric, "column": COLUMNS[metric], "curvature": METRICS[metric]}
        yield claim("table-4-{metric}", less(metric, "sls", than="soft"), **words)
    for method in ("multipass", "deterministic_control"):
        for metric in CURVATURE:
            words = {"method": method, "metric": "" if metric == "lambda_full" else f"-{metric}"}
            words |= {"name": in_title(DELIVERIES[method]), "column": COLUMNS[metric], "curvature": METRICS[metric]}
            judge = each(less(metric, method, than="soft"), negative(_beyond_midpoint(metric, method)))
            yield claim("table-4-{method}{metric}", judge, **words)
    whole, others = ("lambda_full", "trace_full"), ("soft", *HARD)
    flattest = [less(metric, "shuffled", than=arm) for metric in whole for arm in others]
    yield claim("table-4-shuffled", each(*flattest))
    for k in KS:
        smaller = [less(f"lambda_{on}", "sls", than="soft", where=f"K = {k}") for on in ("full", "high")]
        yield claim("table-6-{k}", each(*smaller), k=k)


def _beyond_midpoint(metric: str, method: str) -> Expression:
    """A delivery less the mean of SLS and soft labels."""
    return Expression(((1.0, Number(metric, method)), (-0.5, Number(metric, "sls")), (-0.5, Number(metric, "soft"))))


def _representation_claims() -> Iterator[Claim]:
    """Figures 7, 9, 11 and 12."""
    yield claim("figure-7", positive(value_of("gradient_spearman", "sls")))
    for metric, key, images in (("grad_cam", "overall", "all"), ("grad_cam_high", "high", "disputed")):
        yield claim("figure-9-{key}", more(metric, "sls", than="soft"), key=key, images=images)
    yield claim("figure-11", positive(value_of("barrier", "sls")))
    yield claim("figure-12", more("cka", "sls", than="soft"))


def _outside_claims() -> Iterator[Claim]:
    """Tables 7 to 9: images from elsewhere, AUROC."""
    yield claim("table-7-five", SVHN)
    yield claim("table-7-control", SVHN)
    for detector, name in DETECTORS.items():
        of_detector, p = partial(claim, detector=detector, name=name), ONE_SIDED[detector]
        yield of_detector("table-8-{detector}", more(f"auroc_{detector}", "sls", than="soft"))
        significant = more(f"auroc_{detector}", "sls", than="soft", level=2 * p)
        yield of_detector("table-8-{detector}-p", significant, p=p)
    for method in ("multipass", "deterministic_control"):
        gains = [difference(f"auroc_{name}", method, "soft") for name in ("energy", "msp", "knn")]
        yield claim(f"table-9-{method}", holds_in(gains, 1, printed=3))


INSIDE_CLAIMS = (*_proposition_claims(), *_curvature_claims(), *_representation_claims(), *_outside_claims())
