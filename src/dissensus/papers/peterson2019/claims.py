"""Claims about the labels and about generalisation, with their judges, then those of sections 6 and 7."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from dissensus.papers.claims import Claim, read_statements
from dissensus.papers.combined_judges import Each, Judge
from dissensus.papers.evidence import Number
from dissensus.papers.expressions import difference, value_of
from dissensus.papers.judges import (
    NotBeyond,
    each,
    equals,
    exactly,
    holds_in,
    less,
    more,
    not_less,
    positive,
    same,
    untestable,
)
from dissensus.papers.peterson2019.observe import FAR, HOME, SETS
from dissensus.papers.peterson2019.shift import HELD
from dissensus.papers.peterson2019.sizes import ARCHITECTURES
from dissensus.papers.peterson2019.tuned import ATTACKED, ROWS
from dissensus.papers.published import read_published
from dissensus.papers.texts import read_tables
from dissensus.report.document import slug

claim = read_statements("peterson2019")
KEYS = dict(zip(SETS, ("cifar10", "v6", "v4", "imagenet", "far"), strict=True))
RAW = untestable("needs the raw trials, which `dissensus data get cifar10h-raw` downloads")
NO_IMAGES = "the images of CIFAR-10.1 are not among the data"
RATES = ("0.2", "0.01", "0.001")
READER_NAMES = read_tables("peterson2019", "names.toml")
HUMAN = ("soft", "sampled")
OTHERS = ("pretrained", "control", "mixup", "category")
APART = 0.01  # nats: the largest distance of whole and sampled labels in table 1
LOST = 1.0  # points of accuracy: what human labels gain from scratch
DRIVEN_TO = 5.0  # percent: the largest accuracy that counts as none; the paper has 0 and 1
MOST_LEFT = 0.64  # of the cross-entropy after FGSM: the largest share in table 2
EPSILONS = (4, 5, 6, 7, 8)  # of 255


def _label_claims() -> Iterator[Claim]:
    yield claim("section-4-judgments", exactly("answers", "people", "511400"))
    images = {"all": "10000", "fewest of a class": "1000", "most of a class": "1000"}
    yield claim("section-4-images", each(*(exactly("images", *count) for count in images.items())))
    answers = {"per image": "51", "fewest": "47", "most": "63"}
    yield claim("section-4-per-image", each(*(exactly("answers", *count) for count in answers.items())))
    yield claim("section-4-people", RAW)
    yield claim("section-4-each", each(exactly("seen", "images", "200"), exactly("seen", "of a class", "20")))
    yield claim("section-4-time", RAW)
    yield claim("section-8-bulk", more("entropy_share", "top 30%", than="other images"))
    yield claim("figure-1", more("distance_agreeing", "hard", than="people again", where=HELD))


def _generalisation_claims() -> Iterator[Claim]:
    for where, key in KEYS.items():
        printed = where in (HOME, FAR)
        words = {"key": key, "set": where, "missing": NO_IMAGES if where.startswith("CIFAR-10.1") else ""}
        higher = more("accuracy", "soft", than="hard", where=where)
        yield claim("figure-2-{key}-accuracy", higher, **words, published="" if printed else "higher, a figure")
        lower = less("cross_entropy", "soft", than="hard", where=where)
        yield claim("figure-2-{key}-cross_entropy", lower, **words, published="" if printed else "lower, a figure")
    for score in ("accuracy", "cross_entropy"):
        yield claim(f"figure-2-every-{score}", positive(value_of(f"{score}_least_gain", "soft")))
    yield claim("section-5-folds", positive(value_of("accuracy_least_gain", "soft", "in each fold")))
    for where, points, cut in ((HOME, "1", "29"), (FAR, "2", "38")):
        of_set = partial(claim, key=KEYS[where], set=where)
        yield of_set("section-5-size-{key}-accuracy", equals("accuracy_gain", "soft", points, where=where))
        yield of_set("section-5-size-{key}-cross_entropy", equals("cross_entropy_cut", "soft", cut, where=where))
    yield claim("section-5-size-second-best", equals("second_best_gain", "soft", "5"))
    for key, metric in (("accuracy", "accuracy_gain"), ("cross_entropy", "cross_entropy_cut")):
        yield claim(f"section-5-shift-{key}", more(metric, "soft", than="soft", where=FAR, than_where=HOME))
    for key, optimiser in (("section-5-rate", ""), ("section-5-adam", "Adam at ")):
        lower_than = [
            difference("soft_nll_of_rate", f"{optimiser}0.1", f"{optimiser}{rate}", kind)
            for kind in ("soft", "hard")
            for rate in RATES
        ]
        yield claim(key, holds_in(lower_than, -1, printed=6))


def _behaviour_claims() -> Iterator[Claim]:
    yield claim("figure-2-second-best", positive(value_of("second_best_gain", "soft")))
    yield claim("figure-2-second-best-every", positive(value_of("second_best_least_gain", "soft")))
    yield claim("figure-3-wrong", less("confidence_wrong", "soft", than="hard", where=HELD))
    fall = {outcome: difference(f"confidence_{outcome}", "hard", "soft", HELD) for outcome in ("right", "wrong")}
    yield claim("figure-3-right", positive(fall["wrong"] - fall["right"]))
    yield claim("figure-3-people", less("kl_agreeing", "soft", than="hard", where=HELD))
    yield claim("section-5-fit", less("kl", "soft", than="hard", where=HELD))


def _tuning_claims() -> Iterator[Claim]:
    """Section 6; the rows of single networks are judged on these networks."""
    for name in ARCHITECTURES:
        judge = _lowest("soft_nll", name)
        yield claim("table-1-{key}", judge, key=slug(name), network=name, closest=_closest(name))
    yield claim("table-1-mean", _lowest("soft_nll", ""), closest=_closest(""))
    yield claim("table-1-soft", less("soft_nll", "soft", than="control"))
    yield claim("table-1-control", less("soft_nll", "control", than="pretrained"))
    yield claim("table-1-tuning", each(*(less("soft_nll", row, than="pretrained") for row in ROWS)))
    yield claim("table-1-classes", each(*(less("cross_entropy", "control", than=row) for row in (*HUMAN, "category"))))
    people, classes = (value_of(metric, "pretrained") for metric in ("soft_nll", "cross_entropy"))
    yield claim("table-1-pretrained", positive(people - classes))
    closer = [less("soft_nll", row, than="category") for row in HUMAN]
    yield claim("table-1-category", each(less("soft_nll", "category", than="control"), *closer))
    yield claim("table-1-mixup", less("soft_nll", "mixup", than="control"))
    yield claim("table-1-mixup-human", each(*(less("soft_nll", row, than="mixup") for row in (*HUMAN, "category"))))
    yield claim("table-1-sampled", same("soft_nll", "sampled", "soft", margin=APART))
    for version in ("v4", "v6"):
        lowest = [less(f"cross_entropy_{version}", "sampled", than=row) for row in OTHERS]
        yield claim("table-1-{version}", each(*lowest), version=version)
    yield claim("section-6-ensemble", less("soft_nll", "ensemble", than="closest before"))
    yield claim("section-6-no-substitute", less("soft_nll", "furthest after", than="ensemble"))
    yield claim("section-6-recency", more("soft_nll", "Shake-Shake", than="third closest"))
    kept = [not_less("accuracy", row, than="control", margin=LOST) for row in (*HUMAN, "category")]
    yield claim("section-6-accuracy", each(*kept))


def _attack_claims() -> Iterator[Claim]:
    """Section 7; the rows of single networks are judged on these networks."""
    for name in ARCHITECTURES:
        lower = less("fgsm_cross_entropy", "soft", than="control", where=name)
        yield claim("table-2-{key}", lower, key=slug(name), network=name)
        yield claim("table-2-{key}-accuracy", _accuracy_judge(name), key=slug(name), network=name)
    yield claim("table-2-half", NotBeyond(value_of("fgsm_left", "soft"), 1, MOST_LEFT))
    yield claim("table-2-accuracy", more("fgsm_accuracy", "soft", than="control"))
    yield claim("table-2-largest", positive(value_of("fgsm_largest_gain", "soft")))
    for key, metric in (("section-7-epsilon", "fgsm_cross_entropy"), ("section-7-epsilon-pgd", "pgd_rise")):
        lower_at = [difference(metric, "soft", "control", f"epsilon {size}") for size in EPSILONS]
        yield claim(key, holds_in(lower_at, -1))
    yield claim("figure-4-slower", less("pgd_rise", "soft", than="control", where="epsilon 4"))
    yield claim("figure-4-levels-off", less("pgd_late", "soft", than="control"))
    none_left = [NotBeyond(value_of("pgd_accuracy", row), 1, DRIVEN_TO) for row in ATTACKED]
    yield claim("section-7-pgd-accuracy", each(*none_left))


def _lowest(metric: str, where: str) -> Each:
    """Judge that both uses of human labels are below everything else."""
    return each(*(less(metric, human, than=row, where=where) for human in HUMAN for row in OTHERS))


def _closest(where: str) -> str:
    """The printed rows that decide: human labels, and the closest of the others."""
    table = read_published("peterson2019").table("table 1", where)
    assert table is not None
    printed = table.numbers["soft_nll"]
    best = min(OTHERS, key=lambda row: printed[row].value)
    name = "class means" if best == "category" else best
    return f"whole {printed['soft'].text}, sampled {printed['sampled'].text}; next: {name} {printed[best].text}"


def _accuracy_judge(name: str) -> Judge:
    """Judge the sign that table 2 prints."""
    printed = [read_published("peterson2019").find(Number("fgsm_accuracy", row, name)) for row in ("soft", "control")]
    soft, control = (number.value for number in printed if number is not None)
    if soft == control:
        return same("fgsm_accuracy", "soft", "control", where=name, margin=LOST)
    return (more if soft > control else less)("fgsm_accuracy", "soft", than="control", where=name)


CLAIMS = (*_label_claims(), *_generalisation_claims(), *_behaviour_claims(), *_tuning_claims(), *_attack_claims())
HEADLINES = (
    "figure-2-cifar10-accuracy",
    "figure-2-cifar10-cross_entropy",
    "figure-2-far-accuracy",
    "figure-2-far-cross_entropy",
    "figure-2-second-best",
    "table-1-mean",
    "table-2-half",
)
