"""Every claim of the paper, the main ones, and the conclusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dissensus.papers.claims import Conclusion
from dissensus.papers.outcomes import Judgement
from dissensus.papers.sucholutsky2023.model_claims import MODEL_CLAIMS
from dissensus.papers.sucholutsky2023.observe_simulated import ENDS
from dissensus.papers.sucholutsky2023.sets import NAMES
from dissensus.papers.sucholutsky2023.simulated_claims import REGIMES, SIMULATED_CLAIMS
from dissensus.papers.sucholutsky2023.studies import KEPT
from dissensus.papers.texts import read_tables

CLAIMS = (*SIMULATED_CLAIMS, *MODEL_CLAIMS)
HEADLINES = (
    "simulated-soft-above-hard",
    "simulated-ratio",
    "effective-r",
    "sparse-is-best",
    "recovery-softer",
    "crossed-u",
    "shift-far",
    "table-1-H-80",
)
READER_NAMES = {
    **NAMES,
    **read_tables("sucholutsky2023", "names.toml"),
    **{f"{regime}, {end}": f"{end} sizes" for regime in REGIMES for end in ENDS},
    **{kept: f"{kept} classes" for kept in KEPT},
}
HOLDS = ("equal", "same direction")
UNDECIDED = ("too weak to tell", "cannot be tested here")


def conclude(judgements: Mapping[str, Judgement]) -> Conclusion:
    """Return the top of the page."""
    small = [judgements[f"table-1-{kind}-80"].verdict for kind in ("S+hard", "H", "LS-low", "LS-high")]
    lower = sum(verdict in HOLDS for verdict in small)
    simulated = _sentence(
        judgements["simulated-soft-above-hard"],
        "In simulations, soft labels recover similarities better than hard ones, by {:.2f} in Spearman's rho",
        "In simulations, soft labels do not recover similarities better than hard ones",
        "This run cannot tell whether soft labels recover similarities better in simulations",
    )
    shifted = _sentence(
        judgements["shift-far"],
        "Labels of people lower cross-entropy on shifted images by {:.0%}",
        "Labels of people do not lower cross-entropy on shifted images",
        "This run cannot tell whether labels of people help on shifted images",
    )
    few = (
        "with 80 images per class, nothing was tested"
        if all(verdict in UNDECIDED for verdict in small)
        else f"with 80 images per class, {lower} of 4 kinds of soft label lower cross-entropy significantly (in the "
        "paper, all four)"
    )
    practice = [
        _sentence(
            judgements["sparse-is-best"],
            "Ask for a few classes per item: in simulations, sparse labels best trade off cost and recovery",
            "Do not expect sparse labels to beat both hard and full soft labels",
            "Compare hard, sparse and full soft labels in a pilot before you choose",
        ),
        _sentence(
            judgements["table-1-H-80"],
            "With few training images, train on vote shares",
            "With few training images, test vote shares against hard labels first",
            "With few training images, test vote shares against hard labels first",
        ),
        _sentence(
            judgements["recovery-smoothing"],
            "Label smoothing adds no information about similarity",
            "Label smoothing changes the recovered similarity",
            "The effect of label smoothing on similarity is open",
        ),
    ]
    decided = judgements["shift-far"].deciding
    heads = decided is not None and decided.candidate.model == "heads"
    caution = [
        "CIFAR-10DS, CIFAR-10T and the similarity judgments were not released, so claims about them are open",
        "Without those judgments, similarity of ResNet-50 features replaces them",
        "Intervals of recovery on CIFAR-10 are over starts of the embedding, on one set of images",
        *(["Linear heads on pretrained features decide claims about models, not networks as in the paper"] * heads),
    ]
    return Conclusion(short=_text([simulated, f"{shifted}; {few}"]), practice=_text(practice), caution=_text(caution))


def _sentence(judgement: Judgement, holds: str, differs: str, undecided: str) -> str:
    """Choose a sentence by the verdict; the first may contain the absolute value."""
    if judgement.verdict in UNDECIDED or judgement.deciding is None:
        return undecided
    return holds.format(abs(judgement.deciding.value.value)) if judgement.verdict in HOLDS else differs


def _text(sentences: Sequence[str]) -> str:
    return " ".join(f"{sentence}." for sentence in sentences)
