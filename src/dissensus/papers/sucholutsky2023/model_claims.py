"""Claims of sections 7.2 to 7.4 and appendices C and E: models trained on each kind of label."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.papers.claims import Claim
from dissensus.papers.combined_judges import Judge
from dissensus.papers.evidence import Number
from dissensus.papers.expressions import Expression, difference, value_of
from dissensus.papers.judges import (
    NotBeyond,
    each,
    holds_in,
    less,
    more,
    needs,
    negative,
    positive,
    untestable,
)
from dissensus.papers.sucholutsky2023.label_claims import NO_DENSE, NO_TYPICALITY
from dissensus.papers.sucholutsky2023.observe_models import ALL, BETWEEN_SEEDS, HUMAN, SETS, labels_of
from dissensus.papers.sucholutsky2023.sets import HERE, NAMES
from dissensus.papers.sucholutsky2023.simulated_claims import NOTHING_PRINTED
from dissensus.papers.sucholutsky2023.studies import NETWORKS, PER_CLASS

NEAR, FAR = SETS.values()
CE = "cross_entropy"
ENDS = {"hard": "hard", "softest": HERE[-1]}  # arms at the ends of a U, and the kinds that they are
ADDS = 0.02  # cross-entropy: what table 3 moves on near images from two to three classes
UNRELEASED = {"S+dense": NO_DENSE, "DS": NO_DENSE, "T": NO_TYPICALITY}


def model_claims() -> Iterator[Claim]:
    """In the order of the paper."""
    yield from _crossed_claims()
    yield from _shift_claims()
    yield from _figure_claims()
    yield from _table_3_claims()
    yield from _small_data_claims()


def _below_the_ends(where: str, metric: str = CE) -> list[Expression]:
    """Labels of medium softness less hard ones, and less the softest ones."""
    return [difference(metric, "middling", end, where) for end in ENDS]


def _crossed_claims() -> Iterator[Claim]:
    crossed = "figure 5, top; section 7.2"
    yield Claim(
        key="crossed-u",
        source=crossed,
        claim="Against nearly every other kind of label, labels of medium softness give the lowest cross-entropy",
        published=NOTHING_PRINTED,
        judge=each(
            *(
                holds_in([difference(CE, "middling", end, labels_of(judge)) for judge in HERE if judge != kind], -1)
                for end, kind in ENDS.items()
            )
        ),
    )
    dense = labels_of("DS")
    yield Claim(
        key="crossed-dense",
        source=crossed,
        claim="Against CIFAR-10DS labels, strongly smoothed labels do better than hard labels, CIFAR-10H and CIFAR-10S",
        published=NOTHING_PRINTED,
        judge=needs(NO_DENSE, each(*(less(CE, "LS high", than=kind, where=dense) for kind in ("hard", *HUMAN)))),
    )
    yield Claim(
        key="crossed-best",
        source=crossed,
        claim="CIFAR-10S or CIFAR-10H labels have the lowest mean cross-entropy over all kinds of label",
        published=NOTHING_PRINTED,
        judge=each(
            *(less(CE, "labels of people", than=kind, where=ALL) for kind in HERE if kind not in HUMAN),
        ),
    )
    yield Claim(
        key="crossed-networks",
        source=crossed,
        claim="For each architecture, labels of medium softness give the lowest cross-entropy",
        published=NOTHING_PRINTED,
        judge=each(
            *(
                holds_in([difference(CE, "middling", end, f"{ALL}, {name}") for name in NETWORKS.values()], -1)
                for end in ENDS
            )
        ),
    )
    best = NETWORKS["shake_shake26_2x64"]
    others = [name for name in NETWORKS.values() if name != best]
    yield Claim(
        key="crossed-shake-shake",
        source=crossed,
        claim="Shake-Shake has a lower cross-entropy than each other architecture, against all kinds of label",
        published=NOTHING_PRINTED,
        judge=holds_in([difference(CE, best, name, labels_of(kind)) for kind in HERE for name in others], -1),
    )


def _shift_claims() -> Iterator[Claim]:
    moved = "figure 5, bottom; section 7.3"
    yield Claim(
        key="shift-near",
        source=f"{moved}, CIFAR-10 50K",
        claim="On CIFAR-10's training images, labels of medium softness beat hard and softest ones",
        published=NOTHING_PRINTED,
        judge=each(*(negative(pair) for pair in _below_the_ends(NEAR))),
    )
    yield Claim(
        key="shift-far",
        source=f"{moved}, ImageNet-Far",
        claim="On ImageNet, CIFAR-10H and CIFAR-10S labels have a lower cross-entropy than hard ones",
        published=NOTHING_PRINTED,
        judge=holds_in([difference(CE, kind, "hard", FAR) for kind in HUMAN], -1),
    )
    grows = [difference(CE, "hard", kind, FAR) - difference(CE, "hard", kind, NEAR) for kind in HUMAN]
    yield Claim(
        key="shift-grows",
        source=moved,
        claim="Soft labels gain more over hard ones on far images than on near ones: difference of gains",
        published=NOTHING_PRINTED,
        judge=holds_in(grows, 1),
    )
    dense = difference(CE, "hard", "DS", FAR) - difference(CE, "hard", "DS", NEAR)
    yield Claim(
        key="shift-dense",
        source=moved,
        claim="CIFAR-10DS gains more over hard labels on far images than on near ones",
        published=NOTHING_PRINTED,
        judge=needs(NO_DENSE, positive(dense)),
    )
    missing = {
        "shift-10.1": ("CIFAR-10.1 v4 and v6", "On CIFAR-10.1, labels of medium softness do best", NOTHING_PRINTED),
        "shift-cinic": ("CINIC-10", "On CINIC-10, soft labels of people do better than hard ones", NOTHING_PRINTED),
    }
    for key, (name, text, printed) in missing.items():
        yield Claim(
            key=key,
            source=f"{moved}, {name}",
            claim=text,
            published=printed,
            judge=untestable(f"the images of {name} are not here"),
        )
    yield Claim(
        key="shifted-sets",
        source="appendix E.2",
        claim="Sizes of the shifted sets: CIFAR-10 50K, CIFAR-10.1 v4 and v6, CINIC-10, ImageNet-Far",
        published="50,000, 2,000 and 2,000, 210,000, 63,895",
        judge=untestable("the images of CIFAR-10.1, CINIC-10 and ImageNet-Far are not here"),
    )


def _figure_claims() -> Iterator[Claim]:
    yield Claim(
        key="figure-7",
        source="figure 7; appendix C",
        claim="Models trained on CIFAR-10S+hard are as unsure as their labels, more than with other labels",
        published="histograms without numbers",
        judge=each(*(less("entropy_distance", "S+hard", than=kind) for kind in HERE if kind != "S+hard")),
    )
    yield Claim(
        key="figure-7-dense",
        source="figure 7; appendix C",
        claim="Models trained on CIFAR-10S+dense are as unsure as their labels, more than with hard or dense labels",
        published="histograms without numbers",
        judge=needs(NO_DENSE, each(*(less("entropy_distance", "S+dense", than=kind) for kind in ("hard", "DS")))),
    )
    yield Claim(
        key="figure-9-top",
        source="figure 9, top; appendix E.3",
        claim="Scored by accuracy, too, labels of medium softness beat hard and softest ones",
        published=f"{NOTHING_PRINTED}; the text names no direction",
        judge=each(*(positive(pair) for pair in _below_the_ends(ALL, metric="accuracy"))),
    )
    yield Claim(
        key="figure-9-bottom",
        source="figure 9, bottom; appendix E.3",
        claim="Scored by accuracy, too, CIFAR-10H and CIFAR-10S labels do better than hard ones on ImageNet",
        published=f"{NOTHING_PRINTED}; the text names no direction",
        judge=holds_in([difference("accuracy", kind, "hard", FAR) for kind in HUMAN], 1),
    )
    yield Claim(
        key="figure-10",
        source="figure 10, top; appendix E.3",
        claim="Labels that recover similarities better lower cross-entropy: rank correlation over kinds, jackknife",
        published=NOTHING_PRINTED,
        judge=negative(value_of("information_correlation", "recovery", ALL)),
    )
    yield Claim(
        key="figure-10-bottom",
        source="figure 10, bottom; appendix E.3",
        claim="The same holds on near and far images: rank correlation over kinds, jackknife",
        published=NOTHING_PRINTED,
        judge=each(*(negative(value_of("information_correlation", "recovery", where)) for where in (NEAR, FAR))),
    )
    yield Claim(
        key="figures-11-22",
        source="figure 11, figures 13 to 22, top rows; appendix E.6",
        claim="Held-out images of which models are least certain are ambiguous to people: entropy of their votes",
        published="images without numbers",
        judge=more("vote_entropy", "100 least certain images", than="all images"),
    )
    yield Claim(
        key="figures-12-22",
        source="figure 12, figures 13 to 22, bottom rows; appendix E.6",
        claim="Held-out images on which models diverge are ambiguous to people, too: entropy of their votes",
        published="images without numbers",
        judge=more("vote_entropy", "100 most divergent images", than="all images", where=BETWEEN_SEEDS),
    )


def _table_3_claims() -> Iterator[Claim]:
    yield Claim(
        key="table-3-near",
        source="table 3, k̂ = 2 to 4, near sets; appendix E.5",
        claim="On near images, numbers for three or four classes do not lower cross-entropy below that with two",
        judge=NotBeyond(_more_classes(NEAR), -1, ADDS),
    )
    yield Claim(
        key="table-3-far",
        source="table 3, k̂ = 2 to 4, far sets; appendix E.5",
        claim="On far images, numbers for three or four classes lower cross-entropy below that with two",
        judge=negative(_more_classes(FAR)),
    )
    yield Claim(
        key="table-3-all",
        source="table 3, k̂ = 10; appendix E.5",
        claim="Dense labels over all ten classes do worse than their two largest classes",
        judge=needs(
            NO_DENSE, each(*(more("cross_entropy_kept", "10", than="2", where=where) for where in (NEAR, FAR)))
        ),
    )


def _more_classes(where: str) -> Expression:
    """Mean of three and four classes less two."""
    weights = {"3": 0.5, "4": 0.5, "2": -1.0}
    return Expression(tuple((weight, Number("cross_entropy_kept", kept, where)) for kept, weight in weights.items()))


def _small_data_claims() -> Iterator[Claim]:
    for count in PER_CLASS:
        where = f"{count} images per class"
        for kind in (kind for kind in NAMES if kind != "hard"):
            worse = kind == "T"
            judge: Judge = (more if worse else less)(CE, kind, than="hard", where=where)
            yield Claim(
                key=f"table-1-{kind.replace(' ', '-')}-{count}",
                source=f"table 1, {NAMES[kind]}, {count} per class",
                claim=f"From {where}, {NAMES[kind]} labels have a {'higher' if worse else 'lower'} cross-entropy than "
                "hard ones",
                judge=needs(UNRELEASED[kind], judge) if kind in UNRELEASED else judge,
            )
    yield Claim(
        key="small-data-u-80",
        source="table 1, 80 per class; section 7.4",
        claim="From 80 images per class, too, CIFAR-10H labels do better than hard and than strongly smoothed ones",
        judge=each(*(less(CE, "H", than=kind, where="80 images per class") for kind in ("hard", "LS high"))),
    )
    yield Claim(
        key="small-data-u-8",
        source="table 1, 8 per class; section 7.4",
        claim="From 8 images per class, CIFAR-10DS labels do better than hard ones and than CIFAR-10T, the softest",
        judge=needs(NO_DENSE, each(*(less(CE, "DS", than=kind, where="8 images per class") for kind in ("hard", "T")))),
    )
