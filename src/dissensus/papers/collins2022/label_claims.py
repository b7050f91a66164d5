"""Claims about the released labels and about settings that a validation set chose, each with its judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dissensus.papers.claims import Claim, table_of
from dissensus.papers.collins2022.arms import BETA, BETAS, GAMMA, GAMMAS
from dissensus.papers.collins2022.studies import RATE_GRID, RATES
from dissensus.papers.combined_judges import Judge
from dissensus.papers.evidence import Number
from dissensus.papers.expressions import value_of
from dissensus.papers.judges import Direction, Exactly, each, exactly, less, more, negative, positive, untestable
from dissensus.papers.published import read_published

PUBLISHED = read_published("collins2022")
# Printed numbers of the release: key, source, metric/arm of each number, claim.
PRINTED = (
    ("annotators", "section 4.1; abstract", "annotators/s", "People who stated soft labels"),
    ("labels", "section 1", "thousand_labels/s images/s", "Thousands of soft labels, and images that they are about"),
    ("images-of-a-batch", "section 4.1", "trials/s repeated/s batches/s", "Images per person, repeats, and batches"),
    ("hardest-images", "section 4.1", "hard_images/s", "Images whose votes have an entropy of 0.25 nats or more"),
    (
        "easy-images",
        "section 4.1, footnote 2",
        "batches_with_easy/three batches_with_easy/none",
        "Batches with three images of at most 0.1 nats, and with none",
    ),
    ("two-classes", "section 4", "two_classes/h", "Images with votes for at most two classes, in percent"),
    ("entropies-number", "section 4.3", "entropy_correlation/s", "Pearson correlation of entropies, stated and voted"),
    ("wasserstein", "section 4.3", "wasserstein/s", "Mean Wasserstein distance between stated labels and votes"),
    (
        "fewer-annotators",
        "section 1; section 4.3",
        "annotator_ratio/h annotators_per_image/h annotators_per_image/s",
        "CIFAR-10H has 8.5 times as many annotators per image as CIFAR-10S, 51 against 6",
    ),
    ("seconds", "section 5.1", "seconds/answer", "Median seconds of an answer"),
    ("seconds-per-input", "section 5.1", "seconds/input", "Seconds of each of its five inputs, if all take equal time"),
    ("first-right", "section 6", "first_right/s", "Answers whose first class is the CIFAR-10 class, in percent"),
    ("first-two-right", "section 6", "first_two_right/s", "Answers that name the CIFAR-10 class, in percent"),
    ("votes-right", "section 6", "right/h", "Votes of CIFAR-10H for the CIFAR-10 class, in percent"),
    ("repeats-changed", "section 6, footnote 4", "repeats_changed/s", "Repeats with another first class, in percent"),
    ("repeats-change", "section 6, footnote 4", "repeats_change/s", "Mean change of its probability else, in points"),
)


def _claim(key: str, source: str, claim: str, *judges: Judge, published: str = "") -> Claim:
    judge = judges[0] if len(judges) == 1 else each(*judges)
    return Claim(key=key, source=source, claim=claim, published=published, judge=judge)


def _exact(source: str, numbers: str) -> Iterator[Exactly]:
    """Judge that numbers round to those printed; "right/h" is the metric and the arm."""
    for name in numbers.split():
        number = Number(*name.split("/"))
        printed = PUBLISHED.find(number, source)
        assert printed is not None, number
        yield Exactly(number, printed)


def _exact_claims() -> Iterator[Claim]:
    for key, source, numbers, claim in PRINTED:
        yield _claim(key, source, claim, *_exact(table_of(source), numbers))


def _elicitation_claims() -> Iterator[Claim]:
    """How labels are elicited, made and timed."""
    yield _claim(
        "exclusions",
        "section 4.1",
        "Annotators among the released ones who break the exclusion rules",
        exactly("rule_breakers", "s", "0"),
        published="none: they were excluded",
    )
    yield _claim(
        "completion",
        "section 4.2; section 5.1",
        "T2 clamp with gamma = 0.1 makes the released labels: answers with another label",
        exactly("not_made_again", "s", "0"),
    )
    yield _claim(
        "figure-7",
        "figure 7; section 5.1",
        "An answer has up to five inputs, and probabilities only for the classes named",
        *_exact("section 5.1", "inputs/s"),
        exactly("impossible_answers", "s", "0"),
        published="5 inputs",
    )
    yield _claim(
        "figure-2",
        "figure 2; section 4.2",
        "70% truck and 20% automobile leave 10% for 8 classes (T2, uniform), or for those not ruled out (clamp)",
        *(exactly("left_over", name, "10") for name in ("t2-uniform", "t2-clamp")),
        *(exactly("left_over", name, "30") for name in ("t1-uniform", "t1-clamp")),
        exactly("left_over_classes", "t2-uniform", "8"),
        exactly("left_over_classes", "t2-clamp", "3"),
        published="10% left over",
    )
    yield _claim(
        "seconds-of-tables",
        "table 4; table 5",
        "Seconds of six annotators for each kind of label, at 32 seconds for five inputs",
        *_exact("table 4", "seconds/t1-uniform seconds/t1-clamp seconds/t2-uniform seconds/s"),
        *_exact("table 5", "seconds/top-two-only"),
    )
    yield _claim(
        "seconds-per-vote",
        "section 5.1",
        "Median seconds of a vote of CIFAR-10H on the same images",
        untestable("reaction times are in the raw trials of CIFAR-10H: `dissensus data get cifar10h-raw`"),
        published="1.8",
    )
    yield _claim(
        "disagreement-share",
        "section 4.1, after Battleday et al. (2020)",
        "On about 30% of the CIFAR-10 images people disagree much",
        untestable("the paper does not define from which entropy on disagreement is high"),
        published="around 30%",
    )


def _comparison_claims() -> Iterator[Claim]:
    """Stated labels against votes."""
    figure, within = "a figure without numbers", "mean rank correlation within batches"
    yield _claim(
        "figure-1",
        "figure 1",
        "Stated labels converge faster than votes: distance between the labels of two groups of three annotators",
        less("group_distance", "s", than="h"),
        published="a drawing: 6 annotators against 51",
    )
    yield _claim(
        "figure-1-richer",
        "figure 1; section 4.3",
        "Labels that six annotators state are richer than six votes: entropy in nats",
        more("six_entropy", "s", than="h"),
        published="a drawing",
    )
    yield _claim(
        "entropies",
        "section 4.3, first statement",
        f"Stated labels have more entropy if votes have: {within}",
        positive(value_of("entropy_rank_correlation", "s")),
        published="Pearson's r = 0.596",
    )
    yield _claim(
        "figure-4",
        "figure 4",
        "A frog and an airplane are far apart in both labels, and a frog is rich in both",
        untestable("the paper does not say which images these are"),
        published="three examples",
    )
    yield _claim(
        "figure-5-first",
        "figure 5; section 4.3",
        f"People put less on their first class if votes disagree: {within}",
        negative(value_of("first_mass_correlation", "s")),
        published=figure,
    )
    yield _claim(
        "figure-5-possible",
        "figure 5; section 4.3",
        f"People leave more classes possible if votes disagree: {within}",
        positive(value_of("possible_correlation", "s")),
        published=figure,
    )
    yield _claim(
        "figures-3-and-9",
        "figures 3 and 9; section 4.3",
        "If votes are unanimous, stated labels are softer, and automobiles get mass on trucks",
        more("automobile", "truck", than="next class"),
        more("unanimous_entropy", "s", than="h"),
        published="examples",
    )
    yield _claim(
        "figure-8",
        "figure 8",
        "A dog, a frog and a bird have the largest distances between both labels: images in that order",
        exactly("figure_8_examples", "s", "3"),
    )


def _setting_claims() -> Iterator[Claim]:
    yield _claim(
        "split",
        "section 5.1",
        "Images to learn from, images to judge by, and images of CIFAR-10S among the latter",
        *_exact("section 5.1", "split/train split/test"),
        exactly("outside_train", "s", "0"),
        published="7000; 3000; 0",
    )
    for name, value, tried, source in (("gamma", GAMMA, GAMMAS, "section 5.1"), ("beta", BETA, BETAS, "appendix")):
        yield _claim(
            name,
            source,
            f"{name.capitalize()} = {value:g} has a lower validation loss than every other value tried",
            *_lowest(name, value, tried),
            published=f"{value:g} of {_list(tried)}",
        )
    yield _claim(
        "learning-rates",
        "section 5.1",
        "These learning rates have lower validation losses than every other one tried",
        *(judge for name, tried in RATE_GRID.items() for judge in _lowest("rate", RATES[name], tried, name)),
        published=f"VGG-11 0.1, ResNet-50 0.4, of {_list(RATE_GRID['vgg11'])}",
    )


def _lowest(what: str, chosen: float, tried: Iterable[float], where: str = "") -> list[Direction]:
    """Judge that the chosen value has a lower validation loss than each other one."""
    return [
        less("validation_loss", f"{what} {chosen:g}", than=f"{what} {value:g}", where=where)
        for value in tried
        if value != chosen
    ]


def _list(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


LABEL_CLAIMS = (*_exact_claims(), *_elicitation_claims(), *_comparison_claims(), *_setting_claims())
