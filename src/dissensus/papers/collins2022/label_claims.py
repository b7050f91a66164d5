"""Claims about the released labels and about settings that a validation set chose, each with its judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dissensus.papers.claims import Claim, read_statements
from dissensus.papers.collins2022.arms import BETA, BETAS, GAMMA, GAMMAS
from dissensus.papers.collins2022.studies import RATE_GRID, RATES
from dissensus.papers.combined_judges import Judge
from dissensus.papers.evidence import Number
from dissensus.papers.expressions import value_of
from dissensus.papers.judges import Direction, Exactly, each, exactly, less, more, negative, positive, untestable
from dissensus.papers.published import read_published

PUBLISHED = read_published("collins2022")
claim = read_statements("collins2022")
# Printed numbers of the release, by the key of the claim: metric/arm of each.
PRINTED = {
    "annotators": "annotators/s",
    "labels": "thousand_labels/s images/s",
    "images-of-a-batch": "trials/s repeated/s batches/s",
    "hardest-images": "hard_images/s",
    "easy-images": "batches_with_easy/three batches_with_easy/none",
    "two-classes": "two_classes/h",
    "entropies-number": "entropy_correlation/s",
    "wasserstein": "wasserstein/s",
    "fewer-annotators": "annotator_ratio/h annotators_per_image/h annotators_per_image/s",
    "seconds": "seconds/answer",
    "seconds-per-input": "seconds/input",
    "first-right": "first_right/s",
    "first-two-right": "first_two_right/s",
    "votes-right": "right/h",
    "repeats-changed": "repeats_changed/s",
    "repeats-change": "repeats_change/s",
}


def _exact(numbers: str, source: str = "") -> list[Judge]:
    """Judge that numbers round to those printed; "right/h" is the metric and the arm."""
    judges: list[Judge] = []
    for name in numbers.split():
        number = Number(*name.split("/"))
        printed = PUBLISHED.find(number, source)
        assert printed is not None, number
        judges.append(Exactly(number, printed))
    return judges


def _elicitation_claims() -> Iterator[Claim]:
    """What was released, and how labels are elicited, made and timed."""
    for key, numbers in PRINTED.items():
        judges = _exact(numbers)
        yield claim(key, judges[0] if len(judges) == 1 else each(*judges))
    yield claim("exclusions", exactly("rule_breakers", "s", "0"))
    yield claim("completion", exactly("not_made_again", "s", "0"))
    yield claim("figure-7", each(*_exact("inputs/s"), exactly("impossible_answers", "s", "0")))
    left = {"t2-uniform": "10", "t2-clamp": "10", "t1-uniform": "30", "t1-clamp": "30"}
    over = [exactly("left_over", *mass) for mass in left.items()]
    over += [exactly("left_over_classes", *count) for count in (("t2-uniform", "8"), ("t2-clamp", "3"))]
    yield claim("figure-2", each(*over))
    table_4 = _exact("seconds/t1-uniform seconds/t1-clamp seconds/t2-uniform seconds/s", "table 4")
    yield claim("seconds-of-tables", each(*table_4, *_exact("seconds/top-two-only", "table 5")))
    raw = untestable("reaction times are in the raw trials of CIFAR-10H: `dissensus data get cifar10h-raw`")
    yield claim("seconds-per-vote", raw)
    undefined = untestable("the paper does not define from which entropy on disagreement is high")
    yield claim("disagreement-share", undefined)


def _comparison_claims() -> Iterator[Claim]:
    """Stated labels against votes."""
    yield claim("figure-1", less("group_distance", "s", than="h"))
    yield claim("figure-1-richer", more("six_entropy", "s", than="h"))
    yield claim("entropies", positive(value_of("entropy_rank_correlation", "s")))
    yield claim("figure-4", untestable("the paper does not say which images these are"))
    yield claim("figure-5-first", negative(value_of("first_mass_correlation", "s")))
    yield claim("figure-5-possible", positive(value_of("possible_correlation", "s")))
    softer = more("automobile", "truck", than="next class"), more("unanimous_entropy", "s", than="h")
    yield claim("figures-3-and-9", each(*softer))
    yield claim("figure-8", exactly("figure_8_examples", "s", "3"))


def _setting_claims() -> Iterator[Claim]:
    yield claim("split", each(*_exact("split/train split/test"), exactly("outside_train", "s", "0")))
    for name, value, tried in (("gamma", GAMMA, GAMMAS), ("beta", BETA, BETAS)):
        yield claim(name, each(*_lowest(name, value, tried)), value=value, tried=_list(tried))
    lowest = [judge for name, tried in RATE_GRID.items() for judge in _lowest("rate", RATES[name], tried, name)]
    yield claim("learning-rates", each(*lowest), tried=_list(RATE_GRID["vgg11"]))


def _lowest(what: str, chosen: float, tried: Iterable[float], where: str = "") -> list[Direction]:
    """Judge that the chosen value has a lower validation loss than each other one."""
    return [
        less("validation_loss", f"{what} {chosen:g}", than=f"{what} {value:g}", where=where)
        for value in tried
        if value != chosen
    ]


def _list(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


LABEL_CLAIMS = (*_elicitation_claims(), *_comparison_claims(), *_setting_claims())
