"""Claims of sections 7.1 and 7.2 about the labels themselves, and table 2."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.papers.claims import Claim
from dissensus.papers.evidence import Number
from dissensus.papers.expressions import value_of
from dissensus.papers.judges import Exactly, each, exactly, less, more, needs, positive, same, untestable
from dissensus.papers.published import read_published
from dissensus.papers.sucholutsky2023.simulated_claims import NO_WORSE, NOTHING_PRINTED
from dissensus.papers.sucholutsky2023.studies import NETWORKS

ABOUT = 0.05  # share by which a number that the paper calls approximate may be off
NO_DENSE = "CIFAR-10DS was not released; if you have it, put dense.npy into sucholutsky2023 in the data folder"
NO_TYPICALITY = "CIFAR-10T was not released; if you have it, put typicality.npy into sucholutsky2023 in the data folder"
NO_SIMILARITY = "people's judgments of similarity were not released"


def label_claims() -> Iterator[Claim]:
    """In the order of the paper."""
    yield from _label_claims()
    yield from _recovery_claims()


def as_printed(metric: str, arm: str, *, within: float = 0.0) -> Exactly:
    """Judge that a number without randomness is the printed one."""
    printed = read_published("sucholutsky2023").find(Number(metric, arm))
    assert printed is not None, f"{metric} of {arm} is not printed"
    return exactly(metric, arm, printed.text, within=within)


def _label_claims() -> Iterator[Claim]:
    there = "section 7.1"
    yield Claim(
        key="votes",
        source=f"{there}, CIFAR-10H",
        claim="Number of votes in CIFAR-10H, in all and per image",
        published="500,000, roughly 50 per image",
        judge=each(
            as_printed("votes", "H", within=ABOUT),
            as_printed("votes_per_image", "H", within=ABOUT),
        ),
    )
    yield Claim(
        key="sparse-judgments",
        source=f"{there}, CIFAR-10S",
        claim="Number of judgments in CIFAR-10S: likeliest class, second, and wrong classes of each response",
        published="around 20,000 on 1,000 images",
        judge=each(as_printed("judgments", "CIFAR-10S", within=ABOUT), as_printed("images", "CIFAR-10S")),
    )
    unreleased = {
        "dense-judgments": (f"{there}, CIFAR-10DS; D.1", "slider judgments in CIFAR-10DS", "over 500,000"),
        "typicality-judgments": (f"{there}, CIFAR-10T", "typicality ratings in CIFAR-10T", "over 350,000"),
        "similarity-judgments": (f"{there}, similarity judgments; D.1", "judgments of similarity", "49,500"),
        "all-judgments": ("abstract", "annotations in all", "over a million"),
    }
    for key, (source, text, printed) in unreleased.items():
        yield Claim(
            key=key,
            source=source,
            claim=f"Number of {text}",
            published=printed,
            judge=untestable("single judgments of CIFAR-10DS, CIFAR-10T and similarity were not released"),
        )
    yield Claim(
        key="smoothing-low",
        source=f"{there}, CIFAR-10LS",
        claim="Probability that CIFAR-10H leaves to classes other than the likeliest",
        judge=as_printed("other_mass", "H"),
    )
    yield Claim(
        key="smoothing-high",
        source=f"{there}, CIFAR-10LS",
        claim="Probability that CIFAR-10DS leaves to classes other than the likeliest",
        judge=needs(NO_DENSE, as_printed("other_mass", "DS")),
    )
    yield Claim(
        key="entropy-sparse",
        source="appendix D.2",
        claim="Mean entropy of CIFAR-10S labels, nats",
        judge=as_printed("entropy", "CIFAR-10S"),
    )
    yield Claim(
        key="entropy-dense-two",
        source="appendix D.2",
        claim="Mean entropy of the two largest classes of CIFAR-10DS labels, nats",
        judge=needs(NO_DENSE, as_printed("entropy", "DS, two classes")),
    )


def _recovery_claims() -> Iterator[Claim]:
    figure_4 = "figure 4; section 7.2"
    yield Claim(
        key="recovery-softer",
        source=figure_4,
        claim="CIFAR-10S and CIFAR-10H recover similarities better than hard labels: rho",
        published=NOTHING_PRINTED,
        judge=each(*(more("recovery", kind, than="hard") for kind in ("H", "S+hard"))),
    )
    for measure, text in (("entropy", "entropy"), ("peak_variance", "variance of the largest probability")):
        yield Claim(
            key=f"figure-4-{text.split()[0]}",
            source=figure_4,
            claim=f"Recovery rises with softness, measured by {text}: rank correlation over kinds, jackknife",
            published=NOTHING_PRINTED,
            judge=positive(value_of("softness_correlation", measure)),
        )
    yield Claim(
        key="recovery-smoothing",
        source=figure_4,
        claim="Smoothing hard labels does not improve recovery: rho",
        published=NOTHING_PRINTED,
        judge=each(*(same("recovery", kind, "hard", margin=NO_WORSE) for kind in ("LS low", "LS high"))),
    )
    yield Claim(
        key="recovery-sweet-spot",
        source=figure_4,
        claim="Beyond some softness, recovery falls again: CIFAR-10DS is below CIFAR-10H and CIFAR-10S",
        published=NOTHING_PRINTED,
        judge=needs(NO_DENSE, each(*(less("recovery", "DS", than=kind) for kind in ("H", "S+hard")))),
    )
    yield Claim(
        key="error-rates-vary",
        source="section 7.2",
        claim="Error rates differ between kinds of label: highest less lowest",
        published="no number",
        judge=positive(value_of("error_rate_range", "kinds")),
    )
    yield Claim(
        key="error-rate-linear",
        source=figure_4,
        claim="Recovery falls linearly with the error rate: correlation below -0.9",
        published=NOTHING_PRINTED,
        judge=less("error_rate_r", "labels", than="linear"),
    )
    yield Claim(
        key="figure-8",
        source="figure 8; appendix D.3",
        claim="Similarity in the last layer of networks agrees with people's judgments of similarity",
        published=NOTHING_PRINTED,
        judge=untestable(NO_SIMILARITY),
    )
    for name, shown in NETWORKS.items():
        if name != "preact_resnet164":  # no number is printed
            yield Claim(
                key=f"table-2-{name}",
                source=f"table 2, {shown}",
                claim=f"Number of parameters of {shown}",
                published=f"{as_printed('parameters', name).printed.value:,.0f}",
                judge=as_printed("parameters", name),
            )
