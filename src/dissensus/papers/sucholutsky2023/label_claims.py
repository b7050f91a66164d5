"""Claims of sections 7.1 and 7.2 about the labels themselves, and table 2."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.papers.claims import Claim, read_statements
from dissensus.papers.evidence import Number
from dissensus.papers.expressions import value_of
from dissensus.papers.judges import Exactly, each, exactly, less, more, needs, positive, same, untestable
from dissensus.papers.published import read_published
from dissensus.papers.sucholutsky2023.simulated_claims import NO_WORSE
from dissensus.papers.sucholutsky2023.studies import NETWORKS

claim = read_statements("sucholutsky2023")
ABOUT = 0.05  # share by which a number that the paper calls approximate may be off
NO_DENSE = "CIFAR-10DS was not released; if you have it, put dense.npy into sucholutsky2023 in the data folder"
NO_TYPICALITY = "CIFAR-10T was not released; if you have it, put typicality.npy into sucholutsky2023 in the data folder"


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
    yield claim("votes", each(*(as_printed(metric, "H", within=ABOUT) for metric in ("votes", "votes_per_image"))))
    judgments = as_printed("judgments", "CIFAR-10S", within=ABOUT)
    yield claim("sparse-judgments", each(judgments, as_printed("images", "CIFAR-10S")))
    for key in ("dense-judgments", "typicality-judgments", "similarity-judgments", "all-judgments"):
        yield claim(key, untestable("single judgments of CIFAR-10DS, CIFAR-10T and similarity were not released"))
    yield claim("smoothing-low", as_printed("other_mass", "H"))
    yield claim("smoothing-high", needs(NO_DENSE, as_printed("other_mass", "DS")))
    yield claim("entropy-sparse", as_printed("entropy", "CIFAR-10S"))
    yield claim("entropy-dense-two", needs(NO_DENSE, as_printed("entropy", "DS, two classes")))


def _recovery_claims() -> Iterator[Claim]:
    yield claim("recovery-softer", each(*(more("recovery", kind, than="hard") for kind in ("H", "S+hard"))))
    yield claim("figure-4-entropy", positive(value_of("softness_correlation", "entropy")))
    yield claim("figure-4-variance", positive(value_of("softness_correlation", "peak_variance")))
    smoothed = [same("recovery", kind, "hard", margin=NO_WORSE) for kind in ("LS low", "LS high")]
    yield claim("recovery-smoothing", each(*smoothed))
    below = each(*(less("recovery", "DS", than=kind) for kind in ("H", "S+hard")))
    yield claim("recovery-sweet-spot", needs(NO_DENSE, below))
    yield claim("error-rates-vary", positive(value_of("error_rate_range", "kinds")))
    yield claim("error-rate-linear", less("error_rate_r", "labels", than="linear"))
    yield claim("figure-8", untestable("people's judgments of similarity were not released"))
    for name, shown in NETWORKS.items():
        if name != "preact_resnet164":  # no number is printed
            judge = as_printed("parameters", name)
            yield claim("table-2-{name}", judge, name=name, network=shown, printed=judge.printed.value)
