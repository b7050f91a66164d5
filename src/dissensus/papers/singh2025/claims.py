"""Every claim of the paper, with its judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from dissensus.papers.claims import Claim, Conclusion
from dissensus.papers.expressions import difference, value_of
from dissensus.papers.judges import each, equals, exactly, holds_in, less, more, not_less, positive, same, untestable
from dissensus.papers.outcomes import Judgement
from dissensus.papers.published import read_published
from dissensus.papers.singh2025.observe import CHOSEN, MEAN, NAMES
from dissensus.papers.strength import excludes_zero

PUBLISHED = read_published("singh2025")
POLITENESS = untestable("only the offensiveness ratings are here; the paper takes politeness")
CERTAIN = 0.001  # the paper's word for it is p < 0.001
MARGINS = {"POPQUORN": 1.25, "CIFAR-10H-Hard": 2.47}  # points: the smaller of the two printed spreads over seeds
KL_GAINS = {"chaosnli": "13", "popquorn": "16", "cifar10h-hard": "32"}  # percent; the last one is in the abstract
SETS = tuple(NAMES.values())
READER_NAMES = {
    "soft": "soft labels",
    "hard": "hard labels",
    "heads": "heads on frozen features",
}


def _label_claims(name: str, shown: str) -> Iterator[Claim]:
    sizes = {"chaosnli": ("3113", "3"), "popquorn": ("3700", "5"), "cifar10h-hard": ("1103", "10")}
    spread = {"chaosnli": ("0.59", "0.20"), "popquorn": ("0.62", "0.18"), "cifar10h-hard": ("0.24", "0.16")}
    (items, classes), (mean, sd) = sizes[name], spread[name]
    other = name == "popquorn"
    yield Claim(
        key=f"table-1-{name}",
        source=f"table 1, {shown}; section 3.1",
        claim=f"{shown} has {int(items):,} items over {classes} classes",
        published=f"{int(items):,} items, {classes} classes",
        judge=POLITENESS
        if other
        else each(exactly("items", "people", items, where=shown), exactly("classes", "people", classes, where=shown)),
    )
    yield Claim(
        key=f"table-1-{name}-entropy",
        source=f"table 1, {shown}, mean entropy",
        claim=f"People disagree about the items of {shown}: mean normalised entropy",
        published=mean,
        judge=POLITENESS if other else exactly("entropy", "people", mean, where=shown),
    )
    yield Claim(
        key=f"figure-3-{name}",
        source=f"table 1, ± of the entropy; figures 1 and 3, {shown}",
        claim=f"Disagreement differs between the items of {shown}: standard deviation of the entropy",
        published=sd,
        judge=POLITENESS if other else exactly("entropy_sd", "people", sd, where=shown),
    )


def _setting_claims(name: str, shown: str) -> Iterator[Claim]:
    for targets, (rate, batch, epochs, decay, scheduler) in CHOSEN[name].items():
        yield Claim(
            key=f"table-2-{name}-{targets}",
            source=f"table 2, {shown}, {targets}",
            claim=f"Rank of these settings by validation loss, {targets} labels of {shown}",
            published=f"1: rate {rate:g}, batch {batch}, {epochs} epochs, decay {decay:g}, {scheduler or 'none'}",
            judge=POLITENESS if name == "popquorn" else exactly("rank", targets, "1", where=shown),
        )


def _score_claims(name: str, shown: str) -> Iterator[Claim]:
    gains = {"chaosnli": "119", "popquorn": "24", "cifar10h-hard": "40"}
    accurate = name == "chaosnli"
    yield Claim(
        key=f"table-3-{name}-accuracy",
        source=f"table 3, {shown}, accuracy",
        claim=f"On {shown}, soft labels are {'more' if accurate else 'as'} accurate, in points",
        judge=more("accuracy", "soft", than="hard", where=shown)
        if accurate
        else same("accuracy", "soft", "hard", where=shown, margin=MARGINS[shown]),
    )
    yield Claim(
        key=f"table-3-{name}-kl",
        source=f"table 3, {shown}, KL",
        claim=f"On {shown}, soft labels bring the model closer to people: KL",
        judge=less("kl", "soft", than="hard", where=shown),
    )
    yield Claim(
        key=f"table-3-{name}-kl-p",
        source=f"table 3, {shown}, t-test",
        claim=f"On {shown}, the difference in KL is highly significant",
        published="p < 0.001",
        judge=less("kl", "soft", than="hard", where=shown, level=CERTAIN),
    )
    yield Claim(
        key=f"table-4-{name}-entropy_correlation",
        source=f"table 4, {shown}",
        claim=f"On {shown}, soft labels make the model unsure where people disagree: correlation of entropies",
        judge=more("entropy_correlation", "soft", than="hard", where=shown),
    )
    yield Claim(
        key=f"table-4-{name}-gain",
        source=f"table 4, {shown}",
        claim=f"On {shown}, the correlation of entropies grows by this percentage",
        judge=POLITENESS if name == "popquorn" else equals("correlation_gain", "soft", gains[name], where=shown),
        published=f"{gains[name]}%",
    )
    yield Claim(
        key=f"table-4-{name}-kl-gain",
        source=f"table 4, {shown}, KL",
        claim=f"On {shown}, soft labels lower KL by this percentage",
        published=f"{KL_GAINS[name]}, from the KL of the row",
        judge=POLITENESS if name == "popquorn" else equals("kl_gain", "soft", KL_GAINS[name], where=shown),
    )


def _dynamics_claims(name: str, shown: str) -> Iterator[Claim]:
    yield Claim(
        key=f"figure-4-{name}",
        source=f"figure 4, {shown}; section 4.1",
        claim=f"On {shown}, the validation loss of soft labels is lowest at a later epoch than that of hard labels",
        published="a figure without numbers",
        judge=more("best_epoch", "soft", than="hard", where=shown),
    )
    yield Claim(
        key=f"figure-5-{name}",
        source=f"figure 5, {shown}; section 4.2",
        claim=f"On the most disputed items of {shown}, hard labels are too sure, and soft labels nearer to people",
        published="a figure of one item",
        judge=each(
            less("top_entropy_gap", "soft", than="hard", where=shown),
            less("top_entropy", "hard", than="people", where=shown),
        ),
    )


def _overall_claims() -> Iterator[Claim]:
    yield Claim(
        key="figure-1",
        source="figure 1; section 1.1",
        claim="Disagreement depends on the image, unlike uniform noise: standard deviation of the entropy in a class",
        published="two images",
        judge=more("entropy_sd_within", "people", than="uniform noise", where="CIFAR-10H"),
    )
    kl = [-difference("kl", "soft", "hard", name) for name in SETS]
    correlation = [difference("entropy_correlation", "soft", "hard", name) for name in SETS]
    yield Claim(
        key="table-4-mean-kl",
        source="table 4, last row; abstract; section 4.2",
        claim="Over the three sets, soft labels lower KL by this percentage on average",
        judge=equals("kl_gain", "soft", "32", where=MEAN),
    )
    yield Claim(
        key="table-4-mean-correlation",
        source="table 4, last row; abstract; section 4.3",
        claim="Over the three sets, soft labels raise the correlation of entropies by this percentage on average",
        judge=equals("correlation_gain", "soft", "61", where=MEAN),
    )
    yield Claim(
        key="section-4.2-certain",
        source="table 3, section 4.2",
        claim="The differences in KL on all sets and in accuracy on ChaosNLI are highly significant",
        published="p < 0.001 in each",
        judge=each(
            *(less("kl", "soft", than="hard", where=name, level=CERTAIN) for name in SETS),
            more("accuracy", "soft", than="hard", where="ChaosNLI", level=CERTAIN),
        ),
    )
    yield Claim(
        key="section-4.2-accuracy",
        source="table 3, abstract; section 1.2; section 4.2",
        claim="Soft labels cost no accuracy on any of the three sets",
        published="no set on which accuracy falls",
        judge=each(*(not_less("accuracy", "soft", than="hard", where=name, margin=1.25) for name in SETS)),
    )
    yield Claim(
        key="section-4.2-domains",
        source="section 4.2",
        claim="Texts and images gain alike: KL falls and the correlation of entropies rises on every set",
        published="3 of 3 sets, both scores",
        judge=holds_in([*kl, *correlation], 1, printed=6),
    )
    gain = {name: value_of("correlation_gain", "soft", name) for name in SETS}
    yield Claim(
        key="section-4.3-largest",
        source="table 4, section 4.3",
        claim="The correlation of entropies gains most on ChaosNLI, which has the most answers per item",
        published="+119% against +24% and +40%",
        judge=each(*(positive(gain["ChaosNLI"] - gain[name]) for name in SETS[1:])),
    )
    yield Claim(
        key="figure-2",
        source="figure 2",
        claim="Also if both models choose the class that most people chose, soft labels are closer to people: KL",
        published="0.01 with soft, 0.08 with hard labels, on one item",
        judge=holds_in([difference("kl_agreeing", "soft", "hard", name) for name in SETS], -1),
    )
    yield Claim(
        key="section-4.1-longer",
        source="section 1.2; section 4.1",
        claim="Soft labels train for more epochs before the validation loss stops falling, with equal settings",
        published="read off the curves of figure 4",
        judge=holds_in([difference("stopped_epoch", "soft", "hard", name) for name in SETS], 1),
    )
    fewer = [
        difference("kl", "hard", "soft", name) - difference("kl", "hard", "soft", f"{name}, 5 answers")
        for name in ("ChaosNLI", "CIFAR-10H-Hard")
    ]
    yield Claim(
        key="section-5-answers",
        source="section 5",
        claim="The more answers per item, the more soft labels help: gain in KL with all answers less that with 5",
        published="6.7 answers on POPQUORN against 100 on ChaosNLI",
        judge=holds_in(fewer, 1),
    )
    yield Claim(
        key="section-5-general",
        source="section 5",
        claim="Soft labels lead to representations that generalise better: to small data and to other domains",
        published="without numbers",
        judge=untestable("the paper tests no transfer, and with frozen features no representation is learned"),
    )


def _claims() -> Iterator[Claim]:
    for make in (_label_claims, _setting_claims, _score_claims, _dynamics_claims):
        for name, shown in NAMES.items():
            yield from make(name, shown)
    yield from _overall_claims()


CLAIMS = tuple(_claims())
HEADLINES = (
    "table-4-mean-kl",
    "table-3-chaosnli-kl",
    "table-3-cifar10h-hard-kl",
    "table-4-mean-correlation",
    "section-4.2-accuracy",
    "section-4.1-longer",
)


def conclude(judgements: Mapping[str, Judgement]) -> Conclusion:
    """The top of the page."""
    kl, correlation = (judgements[f"table-4-mean-{name}"] for name in ("kl", "correlation"))
    accuracies = [judgements[f"table-3-{name}-accuracy"].deciding for name in NAMES]
    changed = sum(outcome is not None and excludes_zero(outcome.value) for outcome in accuracies)
    own = np.mean([difference("kl", "soft", "hard", of, relative=True).published_value(PUBLISHED, "") for of in SETS])
    return Conclusion(
        short=f"With soft labels, KL to people {_change(kl, 'falls', 'rises')} over three sets (the paper's abstract: "
        f"32%, its table 3: {-own:.0%}), and the correlation of entropies {_change(correlation, 'rises', 'falls')} "
        f"(61%). Accuracy changes significantly on {changed} of 3 sets.",
        practice="If you have several answers per item, train on their distribution. How much closer to people a model "
        "comes depends on the set; accuracy hardly tells.",
        caution="The paper's 32% is its gain on CIFAR-10H-Hard alone. The heads have frozen features of other encoders "
        "than the paper's, and POPQUORN's offensiveness ratings replace its politeness ratings.",
    )


def _change(judgement: Judgement, gain: str, loss: str) -> str:
    """A gain in percent, and whether it is too weak to tell."""
    outcome = judgement.deciding
    if outcome is None:
        return "changes by an unknown share"
    weak = " (too weak to tell)" if judgement.verdict == "too weak to tell" else ""
    return f"{gain if outcome.value.value >= 0 else loss} by {abs(outcome.value.value):.0f}%{weak}"
