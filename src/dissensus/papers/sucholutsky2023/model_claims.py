"""Claims of section 7 and appendices C to E: labels of people, and models trained on each kind of label."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.papers.claims import Claim, read_statements
from dissensus.papers.combined_judges import Judge
from dissensus.papers.evidence import Number
from dissensus.papers.expressions import Expression, difference, value_of
from dissensus.papers.judges import (
    Exactly,
    NotBeyond,
    each,
    exactly,
    holds_in,
    less,
    more,
    needs,
    negative,
    positive,
    same,
    untestable,
)
from dissensus.papers.published import read_published
from dissensus.papers.sucholutsky2023.observe_models import ALL, BETWEEN_SEEDS, HUMAN, SETS, labels_of
from dissensus.papers.sucholutsky2023.sets import HERE, NAMES
from dissensus.papers.sucholutsky2023.simulated_claims import NO_WORSE
from dissensus.papers.sucholutsky2023.studies import NETWORKS, PER_CLASS

claim = read_statements("sucholutsky2023")
NEAR, FAR = SETS.values()
CE = "cross_entropy"
ENDS = {"hard": "hard", "softest": HERE[-1]}  # arms at the ends of a U, and the kinds that they are
ADDS = 0.02  # cross-entropy: what table 3 moves on near images from two to three classes
ABOUT = 0.05  # share by which a number that the paper calls approximate may be off
NO_DENSE = "CIFAR-10DS was not released; if you have it, put dense.npy into sucholutsky2023 in the data folder"
NO_TYPICALITY = "CIFAR-10T was not released; if you have it, put typicality.npy into sucholutsky2023 in the data folder"
UNRELEASED = {"S+dense": NO_DENSE, "DS": NO_DENSE, "T": NO_TYPICALITY}


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


def _below_the_ends(where: str, metric: str = CE) -> list[Expression]:
    """Labels of medium softness less hard ones, and less the softest ones."""
    return [difference(metric, "middling", end, where) for end in ENDS]


def _crossed_claims() -> Iterator[Claim]:
    lower = [
        holds_in([difference(CE, "middling", end, labels_of(judge)) for judge in HERE if judge != kind], -1)
        for end, kind in ENDS.items()
    ]
    yield claim("crossed-u", each(*lower))
    smoothed = [less(CE, "LS high", than=kind, where=labels_of("DS")) for kind in ("hard", *HUMAN)]
    yield claim("crossed-dense", needs(NO_DENSE, each(*smoothed)))
    people = [less(CE, "labels of people", than=kind, where=ALL) for kind in HERE if kind not in HUMAN]
    yield claim("crossed-best", each(*people))
    names = NETWORKS.values()
    of_each = [holds_in([difference(CE, "middling", end, f"{ALL}, {name}") for name in names], -1) for end in ENDS]
    yield claim("crossed-networks", each(*of_each))
    best = NETWORKS["shake_shake26_2x64"]
    ahead = [difference(CE, best, name, labels_of(kind)) for kind in HERE for name in names if name != best]
    yield claim("crossed-shake-shake", holds_in(ahead, -1))


def _shift_claims() -> Iterator[Claim]:
    yield claim("shift-near", each(*(negative(pair) for pair in _below_the_ends(NEAR))))
    yield claim("shift-far", holds_in([difference(CE, kind, "hard", FAR) for kind in HUMAN], -1))
    grows = {kind: difference(CE, "hard", kind, FAR) - difference(CE, "hard", kind, NEAR) for kind in (*HUMAN, "DS")}
    yield claim("shift-grows", holds_in([grows[kind] for kind in HUMAN], 1))
    yield claim("shift-dense", needs(NO_DENSE, positive(grows["DS"])))
    yield claim("shift-10.1", untestable("the images of CIFAR-10.1 v4 and v6 are not here"))
    yield claim("shift-cinic", untestable("the images of CINIC-10 are not here"))
    yield claim("shifted-sets", untestable("the images of CIFAR-10.1, CINIC-10 and ImageNet-Far are not here"))


def _figure_claims() -> Iterator[Claim]:
    yield claim("figure-7", each(*(less("entropy_distance", "S+hard", than=kind) for kind in HERE if kind != "S+hard")))
    dense = each(*(less("entropy_distance", "S+dense", than=kind) for kind in ("hard", "DS")))
    yield claim("figure-7-dense", needs(NO_DENSE, dense))
    yield claim("figure-9-top", each(*(positive(pair) for pair in _below_the_ends(ALL, metric="accuracy"))))
    yield claim("figure-9-bottom", holds_in([difference("accuracy", kind, "hard", FAR) for kind in HUMAN], 1))
    yield claim("figure-10", negative(value_of("information_correlation", "recovery", ALL)))
    shifted = [negative(value_of("information_correlation", "recovery", where)) for where in (NEAR, FAR)]
    yield claim("figure-10-bottom", each(*shifted))
    yield claim("figures-11-22", more("vote_entropy", "100 least certain images", than="all images"))
    divergent = more("vote_entropy", "100 most divergent images", than="all images", where=BETWEEN_SEEDS)
    yield claim("figures-12-22", divergent)


def _more_classes(where: str) -> Expression:
    weights = {"3": 0.5, "4": 0.5, "2": -1.0}
    return Expression(tuple((weight, Number("cross_entropy_kept", kept, where)) for kept, weight in weights.items()))


def _table_claims() -> Iterator[Claim]:
    """Tables 3 and 1."""
    yield claim("table-3-near", NotBeyond(_more_classes(NEAR), -1, ADDS))
    yield claim("table-3-far", negative(_more_classes(FAR)))
    worse = each(*(more("cross_entropy_kept", "10", than="2", where=where) for where in (NEAR, FAR)))
    yield claim("table-3-all", needs(NO_DENSE, worse))
    for count in PER_CLASS:
        for kind in (kind for kind in NAMES if kind != "hard"):
            compare, side = (more, "higher") if kind == "T" else (less, "lower")
            judge: Judge = compare(CE, kind, than="hard", where=f"{count} images per class")
            judge = needs(UNRELEASED[kind], judge) if kind in UNRELEASED else judge
            words = {"kind": kind.replace(" ", "-"), "count": count, "labels": NAMES[kind], "side": side}
            yield claim("table-1-{kind}-{count}", judge, **words)
    votes = [less(CE, "H", than=kind, where="80 images per class") for kind in ("hard", "LS high")]
    yield claim("small-data-u-80", each(*votes))
    sliders = [less(CE, "DS", than=kind, where="8 images per class") for kind in ("hard", "T")]
    yield claim("small-data-u-8", needs(NO_DENSE, each(*sliders)))


MODEL_CLAIMS = (
    *_label_claims(),
    *_recovery_claims(),
    *_crossed_claims(),
    *_shift_claims(),
    *_figure_claims(),
    *_table_claims(),
)
