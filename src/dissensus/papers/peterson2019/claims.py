"""Claims about the labels and about generalisation, with their judges; `claims_tuned` has those of sections 6 and 7."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.papers.claims import Claim
from dissensus.papers.expressions import difference, value_of
from dissensus.papers.judges import each, equals, exactly, holds_in, less, more, positive, untestable
from dissensus.papers.peterson2019.claims_tuned import attack_claims, tuning_claims
from dissensus.papers.peterson2019.observe import FAR, HOME, SETS
from dissensus.papers.peterson2019.shift import HELD

KEYS = dict(zip(SETS, ("cifar10", "v6", "v4", "imagenet", "far"), strict=True))
RAW = untestable("needs the raw trials, which `dissensus data get cifar10h-raw` downloads")
NO_IMAGES = "the images of CIFAR-10.1 are not among the data"
RATES = ("0.2", "0.01", "0.001")
READER_NAMES = {
    "soft": "human labels",
    "hard": "classes",
    "control": "classes",
    "mixup": "mixup",
    "category": "class means",
    "sampled": "sampled labels",
    "pretrained": "before fine-tuning",
    "ensemble": "ensemble",
    "closest before": "closest network",
    "furthest after": "furthest fine-tuned network",
    "heads": "heads on frozen features",
}


def _label_claims() -> Iterator[Claim]:
    yield Claim(
        key="section-4-judgments",
        source="section 4; abstract",
        claim="CIFAR-10H has 511,400 answers of people",
        published="511,400",
        judge=exactly("answers", "people", "511400"),
    )
    yield Claim(
        key="section-4-images",
        source="section 4; section 4.1",
        claim="It covers all 10,000 test images of CIFAR-10, 1,000 of each class",
        published="10,000 images, 1,000 of each of 10 classes",
        judge=each(
            exactly("images", "all", "10000"),
            exactly("images", "fewest of a class", "1000"),
            exactly("images", "most of a class", "1000"),
        ),
    )
    yield Claim(
        key="section-4-per-image",
        source="section 4; section 4.2",
        claim="Each image has about 51 answers",
        published="51 on average, 47 to 63",
        judge=each(
            exactly("answers", "per image", "51"),
            exactly("answers", "fewest", "47"),
            exactly("answers", "most", "63"),
        ),
    )
    yield Claim(
        key="section-4-people",
        source="section 4; section 4.2",
        claim="2,571 people took part, and 14 of them failed the attention checks",
        published="2,571 people, 14 removed",
        judge=RAW,
    )
    yield Claim(
        key="section-4-each",
        source="section 4; section 4.2",
        claim="Nobody categorised more than 200 images, 20 of each class",
        published="200 images, 20 of each class",
        judge=each(exactly("seen", "images", "200"), exactly("seen", "of a class", "20")),
    )
    yield Claim(
        key="section-4-time",
        source="section 4; section 4.2",
        claim="Taking part took a quarter of an hour",
        published="15 minutes, $1.50",
        judge=RAW,
    )
    yield Claim(
        key="section-8-bulk",
        source="section 8",
        claim="Most of people's uncertainty is in 30% of the images: % of all entropy, by class",
        published="the bulk of it in approximately 30%",
        judge=more("entropy_share", "top 30%", than="other images"),
    )
    yield Claim(
        key="figure-1",
        source="figure 1",
        claim="A model trained on classes agrees with people on the class, but not on the others: distance to people",
        published="a figure of some images",
        judge=more("distance_agreeing", "hard", than="people again", where=HELD),
    )


def _set_claims(where: str, key: str) -> Iterator[Claim]:
    missing = NO_IMAGES if where.startswith("CIFAR-10.1") else ""
    printed = where in (HOME, FAR)
    yield Claim(
        key=f"figure-2-{key}-accuracy",
        source=f"figure 2, left, {where}; section 5.2",
        claim=f"Models that learn human labels are more accurate on {where}, in %",
        published="" if printed else "higher, a figure",
        judge=more("accuracy", "soft", than="hard", where=where),
        missing=missing,
    )
    yield Claim(
        key=f"figure-2-{key}-cross_entropy",
        source=f"figure 2, centre, {where}; section 5.2",
        claim=f"Models that learn human labels have a lower cross-entropy on {where}",
        published="" if printed else "lower, a figure",
        judge=less("cross_entropy", "soft", than="hard", where=where),
        missing=missing,
    )


def _size_claims() -> Iterator[Claim]:
    """Sizes of the effects in section 5.2, and their growth with distance."""
    for where, points, cut in ((HOME, "1", "29"), (FAR, "2", "38")):
        yield Claim(
            key=f"section-5-size-{KEYS[where]}-accuracy",
            source=f"section 5.2, {where}",
            claim=f"On {where}, human labels raise accuracy by this many points",
            judge=equals("accuracy_gain", "soft", points, where=where),
        )
        yield Claim(
            key=f"section-5-size-{KEYS[where]}-cross_entropy",
            source=f"section 5.2, {where}",
            claim=f"On {where}, human labels lower cross-entropy by this percentage",
            judge=equals("cross_entropy_cut", "soft", cut, where=where),
        )
    yield Claim(
        key="section-5-size-second-best",
        source="section 5.2; figure 2, right",
        claim="Human labels raise the accuracy of the second choice by this many points",
        judge=equals("second_best_gain", "soft", "5"),
    )
    for metric, name, unit in (
        ("accuracy_gain", "accuracy", "points"),
        ("cross_entropy_cut", "cross_entropy", "% of the cross-entropy"),
    ):
        yield Claim(
            key=f"section-5-shift-{name}",
            source="section 5.2",
            claim=f"The gain in {name.replace('_', '-')} grows with distance from the training images, in {unit}",
            judge=more(metric, "soft", than="soft", where=FAR, than_where=HOME),
        )


def _generalisation_claims() -> Iterator[Claim]:
    for where, key in KEYS.items():
        yield from _set_claims(where, key)
    for score, shown, unit in (("accuracy", "accuracy", "points"), ("cross_entropy", "cross-entropy", "nats")):
        yield Claim(
            key=f"figure-2-every-{score}",
            source="figure 2, caption",
            claim=f"Human labels improve {shown} for every model on every set: the least gain, in {unit}",
            published="a gain in 40 of 40",
            judge=positive(value_of(f"{score}_least_gain", "soft")),
        )
    yield Claim(
        key="section-5-folds",
        source="section 5.2",
        claim="The gain in accuracy is present in every fold: the least gain of each fold, in points",
        published="in every fold of every network, not shown",
        judge=positive(value_of("accuracy_least_gain", "soft", "in each fold")),
    )
    yield from _size_claims()
    yield Claim(
        key="section-5-rate",
        source="section 5.1",
        claim="Of the learning rates 0.2, 0.1, 0.01 and 0.001, 0.1 is best: cross-entropy to people",
        published="0.1 in all cases",
        judge=holds_in(
            [difference("soft_nll_of_rate", "0.1", rate, kind) for kind in ("soft", "hard") for rate in RATES],
            -1,
            printed=6,
        ),
        missing="needs networks at four learning rates (part rates)",
    )
    adam = {rate: f"Adam at {rate}" for rate in ("0.1", *RATES)}
    yield Claim(
        key="section-5-adam",
        source="section 5.1",
        claim="The optimiser is Adam, and of its rates 0.2, 0.1, 0.01 and 0.001, 0.1 is best: cross-entropy to people",
        published="0.1 in all cases",
        judge=holds_in(
            [
                difference("soft_nll_of_rate", adam["0.1"], adam[rate], kind)
                for kind in ("soft", "hard")
                for rate in RATES
            ],
            -1,
            printed=6,
        ),
        missing="needs networks trained by Adam at four learning rates (part rates)",
    )


def _behaviour_claims() -> Iterator[Claim]:
    yield Claim(
        key="figure-2-second-best",
        source="section 5.2; figure 2, right",
        claim="With human labels, the second choice is more often that of people, in points",
        published="+5% on average",
        judge=positive(value_of("second_best_gain", "soft")),
    )
    yield Claim(
        key="figure-2-second-best-every",
        source="figure 2, right",
        claim="The second choice improves for every model: the least gain, in points",
        published="in 8 of 8, a figure",
        judge=positive(value_of("second_best_least_gain", "soft")),
    )
    yield Claim(
        key="figure-3-wrong",
        source="figure 3, A",
        claim="With human labels, models are less confident when they are wrong, in %",
        published="far less, a figure",
        judge=less("confidence_wrong", "soft", than="hard", where=HELD),
    )
    fall = {outcome: difference(f"confidence_{outcome}", "hard", "soft", HELD) for outcome in ("right", "wrong")}
    yield Claim(
        key="figure-3-right",
        source="figure 3, A",
        claim="Confidence falls more when models are wrong than when they are right, in points",
        published="only slightly less confident when right, a figure",
        judge=positive(fall["wrong"] - fall["right"]),
    )
    yield Claim(
        key="figure-3-people",
        source="figure 3, B",
        claim="If all choose the same class, models with human labels spread the rest more like people: KL",
        published="a figure of some images",
        judge=less("kl_agreeing", "soft", than="hard", where=HELD),
    )
    yield Claim(
        key="section-5-fit",
        source="section 5.2",
        claim="On held-out images, models with human labels are closer to people: KL",
        published="a better fit, no number",
        judge=less("kl", "soft", than="hard", where=HELD),
    )


CLAIMS = (*_label_claims(), *_generalisation_claims(), *_behaviour_claims(), *tuning_claims(), *attack_claims())
HEADLINES = (
    "figure-2-cifar10-accuracy",
    "figure-2-cifar10-cross_entropy",
    "figure-2-far-accuracy",
    "figure-2-far-cross_entropy",
    "figure-2-second-best",
    "table-1-mean",
    "table-2-half",
)
