"""The answer at the top of the page, made from the judgements."""

from __future__ import annotations

from collections.abc import Mapping

from dissensus.papers.claims import Conclusion
from dissensus.papers.evidence import Number
from dissensus.papers.outcomes import Judgement
from dissensus.papers.peterson2019.claims import KEYS, READER_NAMES
from dissensus.papers.peterson2019.observe import FAR, HOME
from dissensus.papers.published import read_published

HOLDS = ("equal", "same direction")


def conclude(judgements: Mapping[str, Judgement]) -> Conclusion:
    """The top of the page."""
    home = judgements["figure-2-cifar10-cross_entropy"]
    attacks = _say(
        judgements["table-2-half"],
        "human labels halve the cross-entropy after attacks",
        "human labels do not halve the cross-entropy after attacks",
        "robustness to attacks",
    )
    tuned = _say(
        judgements["table-1-soft"],
        "Fine-tuning on human labels comes closer to people than on classes",
        "Fine-tuning on human labels comes no closer to people than on classes",
        "Whether fine-tuning on human labels comes closer to people",
    )
    model = home.deciding.candidate.model if home.deciding is not None else "models"
    loss = _change(judgements, FAR, "cross_entropy", "in the paper, ")
    far, near = (_change(judgements, where, "accuracy") for where in (FAR, HOME))
    return Conclusion(
        short=f"{READER_NAMES.get(model, model).capitalize()} {_generalise(judgements)} with human labels than with "
        f"classes: cross-entropy changes {loss} on ImageNet-Far. Accuracy changes {far} there and {near} on CIFAR-10; "
        f"{attacks}.",
        practice=_PRACTICE[home.verdict in HOLDS],
        caution=f"{'Heads decide this, not networks. ' if model == 'heads' else ''}"
        f"{tuned}. ImageNet-Far is 205 images, chosen here.",
    )


_PRACTICE = {
    True: "If several people label each image, train on the shares of their answers. Expect little more accuracy.",
    False: "This run does not show a lower cross-entropy with human labels. Test them on your own held-out answers "
    "before you collect several answers per image.",
}


def _say(judgement: Judgement, holds: str, differs: str, subject: str) -> str:
    """Choose a sentence by the verdict."""
    if judgement.verdict == "differs":
        return differs
    linking = {"too weak to tell": "is too weak to tell", "cannot be tested here": "cannot be tested here"}
    return holds if judgement.verdict in HOLDS else f"{subject} {linking[judgement.verdict]}"


def _generalise(judgements: Mapping[str, Judgement]) -> str:
    """Whether both scores are better on images far away."""
    verdicts = [judgements[f"figure-2-far-{score}"].verdict for score in ("cross_entropy", "accuracy")]
    if all(verdict in HOLDS for verdict in verdicts):
        return "generalise better"
    return "do not generalise better by both scores" if "differs" in verdicts else "perhaps generalise better"


def _change(judgements: Mapping[str, Judgement], where: str, score: str, paper: str = "") -> str:
    """Means of both arms here and in the paper, and whether that is too weak to tell."""
    judgement = judgements[f"figure-2-{KEYS[where]}-{score}"]
    if judgement.deciding is None:
        return "by an unknown amount"
    kinds, published = ("hard", "soft"), read_published("peterson2019")
    digits, unit = (1, "%") if score == "accuracy" else (2, "")
    printed = [published.find(Number(score, kind, where)) for kind in kinds]
    notes = [paper + " to ".join(f"{number.text}{unit}" for number in printed if number is not None)]
    notes += ["too weak to tell"] * (judgement.verdict == "too weak to tell")
    ours = " to ".join(f"{judgement.deciding.means[kind]:.{digits}f}{unit}" for kind in kinds)
    return f"from {ours} ({'; '.join(notes)})"
