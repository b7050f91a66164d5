"""Claims about the proposition and about what is inside trained models, with their judges."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.papers.claims import Claim
from dissensus.papers.evidence import Number
from dissensus.papers.expressions import Expression, difference, value_of
from dissensus.papers.gheibi2026.reader_names import DELIVERIES, DETECTORS, METRICS, in_title
from dissensus.papers.gheibi2026.studies import HARD, KS
from dissensus.papers.judges import each, equals, exactly, holds_in, less, more, negative, positive, untestable

CURVATURE = ("lambda_full", "trace_full", "lambda_high", "trace_high")
COLUMNS = dict(zip(CURVATURE, ("λ (full)", "trace (full)", "λ (high)", "trace (high)"), strict=True))
IDENTITY, ZERO = "an identity", "0.000000000"
ONE_SIDED = {"energy": 0.0186, "odin": 0.0186, "entropy": 0.0801, "msp": 0.0654, "knn": 0.3125, "margin": 0.0801}
SVHN = untestable("no SVHN images here")


def _proposition_claims() -> Iterator[Claim]:
    yield Claim(
        key="proposition-objective",
        source="proposition 1, equations 4 and 5",
        claim="Loss and gradient of SLS are on average those of soft labels: difference of both sides",
        published=IDENTITY,
        judge=each(
            exactly("loss_gap", "sls", ZERO),
            exactly("gradient_gap", "sls", ZERO),
            equals("squared_error", "sls", "1.0"),
        ),
    )
    yield Claim(
        key="proposition-covariance",
        source="proposition 1, equation 6",
        claim="Drawing a label gives the gradient by the logits the covariance Diag(p) - pp': difference of both sides",
        published=IDENTITY,
        judge=exactly("covariance_gap", "sls", ZERO),
    )
    yield Claim(
        key="proposition-parameters",
        source="proposition 1, equation 7",
        claim="By the parameters, that covariance is the one by the logits between two Jacobians",
        published=IDENTITY,
        judge=exactly("parameters_gap", "sls", ZERO),
    )
    yield Claim(
        key="proposition-square",
        source="equation 8",
        claim="The squared gradient grows by 1 - |p|^2: 0 where all agree, more with disagreement (rank correlation)",
        published=IDENTITY,
        judge=each(
            exactly("square_gap", "sls", ZERO),
            exactly("unanimous_gap", "sls", ZERO),
            positive(value_of("growth_spearman", "people")),
        ),
    )


def _curvature_claims() -> Iterator[Claim]:
    """Tables 4 and 6."""
    for metric in CURVATURE:
        yield Claim(
            key=f"table-4-{metric}",
            source=f"table 4, {COLUMNS[metric]}",
            claim=f"SLS ends where the loss is flatter than with soft labels: {METRICS[metric]}",
            judge=less(metric, "sls", than="soft"),
        )
    for method in ("multipass", "deterministic_control"):
        name = in_title(DELIVERIES[method])
        for metric in CURVATURE:
            yield Claim(
                key=f"table-4-{method}" if metric == "lambda_full" else f"table-4-{method}-{metric}",
                source=f"table 4 (5 seeds), {COLUMNS[metric]}",
                claim=f"{name} is flatter than soft labels, and nearer to SLS: {METRICS[metric]}",
                judge=each(less(metric, method, than="soft"), negative(_beyond_midpoint(metric, method))),
            )
    yield Claim(
        key="table-4-shuffled",
        source="table 4 (5 seeds), shuffled SLS",
        claim="Shuffled SLS is the flattest: largest eigenvalue and trace",
        published="18.4 ± 13.3 and 33.9 ± 26.0",
        judge=each(
            *(less(metric, "shuffled", than=arm) for metric in ("lambda_full", "trace_full") for arm in ("soft", *HARD))
        ),
    )
    for k in KS:
        yield Claim(
            key=f"table-6-{k}",
            source=f"table 6, K = {k}",
            claim=f"With {k} votes, SLS has a smaller eigenvalue than soft labels, on all and on disputed images",
            judge=each(
                *(less(metric, "sls", than="soft", where=f"K = {k}") for metric in ("lambda_full", "lambda_high"))
            ),
        )


def _beyond_midpoint(metric: str, method: str) -> Expression:
    """A delivery less the mean of SLS and soft labels."""
    return Expression(((1.0, Number(metric, method)), (-0.5, Number(metric, "sls")), (-0.5, Number(metric, "soft"))))


def _representation_claims() -> Iterator[Claim]:
    """Figures 7, 9, 11 and 12."""
    yield Claim(
        key="figure-7",
        source="figure 7, section 5.3",
        claim="Drawing labels makes the last layer's gradient noisier where people disagree: rank correlation",
        published="0.939, from 0.919 to 0.953 over seeds",
        judge=positive(value_of("gradient_spearman", "sls")),
    )
    for metric, key, images in (("grad_cam", "overall", "all"), ("grad_cam_high", "high", "disputed")):
        yield Claim(
            key=f"figure-9-{key}",
            source=f"figure 9, {images} images",
            claim="Grad-CAM maps of two seeds are more alike with SLS than with soft labels: correlation",
            judge=more(metric, "sls", than="soft"),
        )
    yield Claim(
        key="figure-11",
        source="figure 11, section 5.3",
        claim="Between the solutions of SLS and soft labels the loss rises: they are in different basins",
        judge=positive(value_of("barrier", "sls")),
    )
    yield Claim(
        key="figure-12",
        source="figure 12",
        claim="Features of two seeds are more alike with SLS than with soft labels: linear CKA",
        judge=more("cka", "sls", than="soft"),
    )


def _outside_claims() -> Iterator[Claim]:
    """Tables 7 to 9: images from elsewhere, AUROC."""
    yield Claim(
        key="table-7-five",
        source="table 7",
        claim="Hard deliveries separate SVHN from CIFAR-10 better than soft labels",
        published="by 5 of 6 detectors",
        judge=SVHN,
    )
    yield Claim(
        key="table-7-control",
        source="table 7",
        claim="Deterministic control separates SVHN from CIFAR-10 best",
        published="by 5 of 6 detectors",
        judge=SVHN,
    )
    for detector, name in DETECTORS.items():
        yield Claim(
            key=f"table-8-{detector}",
            source=f"table 8, {name}",
            claim=f"SLS separates CIFAR-100 from CIFAR-10 better than soft labels: AUROC by {name}",
            judge=more(f"auroc_{detector}", "sls", than="soft"),
        )
        yield Claim(
            key=f"table-8-{detector}-p",
            source=f"table 8, {name}, p",
            claim=f"That difference by {name} is at least as significant as in the paper",
            published=f"one-sided p = {ONE_SIDED[detector]:.4f}",
            judge=more(f"auroc_{detector}", "sls", than="soft", level=2 * ONE_SIDED[detector]),
        )
    for method in ("multipass", "deterministic_control"):
        yield Claim(
            key=f"table-9-{method}",
            source=f"table 9, {DELIVERIES[method]}",
            claim=f"{in_title(DELIVERIES[method])} separates CIFAR-100 better than soft labels: Energy, MSP, KNN",
            judge=holds_in(
                [difference(f"auroc_{name}", method, "soft") for name in ("energy", "msp", "knn")], 1, printed=3
            ),
        )


INSIDE_CLAIMS = (
    *_proposition_claims(),
    *_curvature_claims(),
    *_representation_claims(),
    *_outside_claims(),
)
