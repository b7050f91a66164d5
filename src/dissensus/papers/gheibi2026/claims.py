"""Every claim of the paper with its judge, in the order of its tables and figures."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

from dissensus.papers.claims import Claim, read_statements
from dissensus.papers.evidence import Number
from dissensus.papers.expressions import Expression, difference, value_of
from dissensus.papers.gheibi2026.reader_names import DELIVERIES, DETECTORS, METRICS, in_title
from dissensus.papers.gheibi2026.studies import HARD, HELD_FOR, KS
from dissensus.papers.judges import (
    Same,
    at_least,
    each,
    equals,
    exactly,
    holds_in,
    less,
    more,
    negative,
    not_less,
    positive,
    same,
    untestable,
)

claim = read_statements("gheibi2026")
# What counts as no difference: the spread over seeds that tables 2 and 5 print for soft labels.
MARGINS = {
    "soft_nll": 0.0233,
    "accuracy": 0.0081,
    "ece_equal_mass": 0.0040,
    "entropy_spearman": 0.0190,
    "kl": 0.0228,
    "brier": 0.0096,
}
UNINFORMED = ("majority", "smoothing")  # deliveries of one class per image
CURVATURE = ("lambda_full", "trace_full", "lambda_high", "trace_high")
COLUMNS = dict(zip(CURVATURE, ("λ (full)", "trace (full)", "λ (high)", "trace (high)"), strict=True))
EQUATIONS = ("loss", "gradient", "covariance", "parameters", "square", "unanimous")
ONE_SIDED = {"energy": 0.0186, "odin": 0.0186, "entropy": 0.0801, "msp": 0.0654, "knn": 0.3125, "margin": 0.0801}
SVHN = untestable("no SVHN images here")


def _sweep_claims() -> Iterator[Claim]:
    """Table 1 and figure 1: few votes."""
    for method in HARD:
        for k in KS:
            judge = less("soft_nll", method, than="soft", where=f"K = {k}")
            yield claim("table-1-{method}-{k}", judge, method=method, k=k, delivery=DELIVERIES[method])
    cells = [difference("soft_nll", method, "soft", f"K = {k}") for k in KS for method in HARD]
    yield claim("table-1-all", holds_in(cells, -1, printed=12))
    yield claim("table-1-agreeing", at_least("agreeing_cells", "hard", "9"))
    yield claim("table-1-strongest", each(holds_in(cells[:6], -1), positive(more_at_few())))
    margin = MARGINS["accuracy"]
    alike = [same("accuracy", method, "soft", margin=margin, where=f"K = {k}") for method in HARD for k in KS]
    yield claim("figure-1-accuracy", each(*alike))
    entropies = [difference("entropy_spearman", method, "soft", f"K = {k}") for k in (50, 25) for method in HARD]
    yield claim("figure-1-entropy", holds_in(entropies, 1))


def more_at_few() -> Expression:
    """Gain of hard delivery at 5 and 10 votes less that at 25 and 50: soft labels less the mean of hard deliveries."""
    gain = [(1.0, "soft"), *((-1 / 3, method) for method in HARD)]
    signs = {50: -1, 25: -1, 10: 1, 5: 1}  # the first condition decides how many labels must have been shown
    terms = [
        (sign * weight / 2, Number("soft_nll", arm, f"K = {k}")) for k, sign in signs.items() for weight, arm in gain
    ]
    return Expression(tuple(terms))


def _stale_claims() -> Iterator[Claim]:
    """Figure 4: labels that are held for several epochs."""
    held = [f"every {every} epochs" for every in HELD_FOR]
    above_sls = [more("soft_nll", "held", than="sls", where=where) for where in held]
    for every, judge in zip(HELD_FOR, above_sls, strict=True):
        yield claim("figure-4-{every}", judge, every=every)
    longer = [more("soft_nll", "held", than="held", where=b, than_where=a) for a, b in pairwise(held)]
    yield claim("figure-4-order", each(above_sls[0], *longer))


def _target_claims() -> Iterator[Claim]:
    """Figures 2, 5 and 6: the gain of hard delivery by the error of the target."""
    yield claim("figure-2-correlation", positive(value_of("js_spearman", "hard")))
    yield claim("figure-2-bins", more("js_gain", "hard", where="largest error", than="hard", than_where="least error"))
    yield claim("figure-5", positive(value_of("l1_spearman", "hard")))
    yield claim("figure-6", positive(value_of("high_spearman", "hard")))


def _main_claims() -> Iterator[Claim]:
    """Tables 2 and 5: all votes."""
    for metric, margin in MARGINS.items():
        table = "table 5" if metric in ("kl", "brier") else "table 2"
        of_metric = partial(claim, metric=metric, table=table, score=METRICS[metric])
        yield of_metric("table-2-{metric}", same(metric, "sls", "soft", margin=margin))
        if metric != "accuracy":
            better, word = (more, "higher") if metric == "entropy_spearman" else (less, "lower")
            for arm, key in (("soft", "table-2-others-{metric}"), ("sls", "table-2-sls-others-{metric}")):
                yield of_metric(key, each(*(better(metric, arm, than=base) for base in UNINFORMED)), compared=word)
    accurate = [more("accuracy", "mixup", than=base) for base in ("soft", "sls", *UNINFORMED)]
    yield claim("table-2-mixup-accuracy", each(*accurate))
    calibrated = more("ece_equal_mass", "mixup", than="soft"), less("entropy_spearman", "mixup", than="soft")
    yield claim("table-2-mixup-calibration", each(*calibrated))
    yield claim("table-5-mixup", less("brier", "mixup", than="soft"))


def _diagnostic_claims() -> Iterator[Claim]:
    """Figures 3, 8 and 10: reliability and training."""
    yield claim("figure-3-match", same("smooth_ece", "sls", "soft", margin=MARGINS["ece_equal_mass"]))
    yield claim("figure-3-majority", more("smooth_ece", "majority", than="soft"))
    yield claim("figure-3-curves", less("curve_distance", "sls", than="majority"))
    yield claim("figure-8-near", positive(value_of("near_sooner", "sls")))
    yield claim("figure-8-best", positive(value_of("best_sooner", "sls")))
    yield claim("figure-10-reliability", Same(difference("brier_reliability", "sls", "soft", relative=True), 0.5))
    yield claim("figure-10-resolution", more("brier_resolution", "sls", than="soft"))


def _family_claims() -> Iterator[Claim]:
    """Table 3: hard deliveries next to each other."""
    for method in ("multipass", "deterministic_control"):
        of_method = partial(claim, method=method, delivery=DELIVERIES[method])
        for base in ("sls", "soft"):
            judge = same("soft_nll", method, base, margin=MARGINS["soft_nll"])
            yield of_method("table-3-{method}-{base}", judge, base=base, base_delivery=DELIVERIES[base])
        others = ("accuracy", "ece_equal_mass", "entropy_spearman")
        alike = each(*(same(metric, method, "sls", margin=MARGINS[metric]) for metric in others))
        yield claim(f"table-3-{method}-others", alike)
    no_guess = not_less("soft_nll", "shuffled", than="chance", margin=0.1)
    yield claim("table-3-shuffled-nll", each(more("soft_nll", "shuffled", than="soft"), no_guess))
    yield claim("table-3-shuffled-accuracy", same("accuracy", "shuffled", "chance", margin=0.05))
    yield claim("table-3-shuffled-entropy", Same(value_of("entropy_spearman", "shuffled"), 0.0556))


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


CLAIMS = (
    *_sweep_claims(),
    *_stale_claims(),
    *_target_claims(),
    *_main_claims(),
    *_diagnostic_claims(),
    *_family_claims(),
    *_proposition_claims(),
    *_curvature_claims(),
    *_representation_claims(),
    *_outside_claims(),
)
HEADLINES = (
    "table-1-all",
    "table-1-multipass-5",
    "table-3-multipass-soft",
    "table-3-shuffled-nll",
    "table-4-lambda_full",
)
