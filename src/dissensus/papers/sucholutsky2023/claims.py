"""Every claim of the paper, the main ones, and the conclusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dissensus.papers.claims import Conclusion
from dissensus.papers.outcomes import Judgement
from dissensus.papers.sucholutsky2023.model_claims import MODEL_CLAIMS
from dissensus.papers.sucholutsky2023.observe_simulated import ENDS
from dissensus.papers.sucholutsky2023.sets import NAMES
from dissensus.papers.sucholutsky2023.simulated_claims import REGIMES, SIMULATED_CLAIMS
from dissensus.papers.sucholutsky2023.studies import KEPT, PER_CLASS
from dissensus.papers.texts import read_tables

CLAIMS = (*SIMULATED_CLAIMS, *MODEL_CLAIMS)
HEADLINES = (
    "simulated-soft-above-hard",
    "effective-r",
    "sparse-is-best",
    "shift-far",
    "table-1-H-80",
    "table-1-H-8",
)
SOFT = ("S+hard", "H", "LS-low", "LS-high")  # kinds of label in table 1 that are known here
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
    simulated = _sentence(
        judgements["simulated-soft-above-hard"],
        f"In simulations, soft labels recover similarities better than hard ones ({_rhos(judgements)})",
        f"In simulations, soft labels do not recover similarities better than hard ones ({_rhos(judgements)})",
        "This run cannot tell whether soft labels recover similarities better in simulations",
    )
    costly = _sentence(
        judgements["preferred-where-cost-weighs"],
        "; if cost weighs much, hard ones are preferred for many items and classes",
        "; even if cost weighs much, hard ones are not preferred",
        "",
    )
    shifted = _sentence(
        judgements["shift-far"],
        "Labels of people lower cross-entropy on shifted images by {:.0%}",
        "Labels of people do not lower cross-entropy on shifted images",
        "This run cannot tell whether labels of people help on shifted images",
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
            "With some 80 training images per class, train on vote shares",
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
    far, few = (judgements[key].deciding for key in ("shift-far", "table-1-H-80"))
    heads = far is not None and far.candidate.model == "heads"
    networks = few is not None and few.candidate.model != "heads"
    told = f"Linear heads decide claims about models{', networks table 1' if networks else ', not networks'}"
    caution = [
        "CIFAR-10DS, CIFAR-10T and the similarity judgments were not released; ResNet-50 features replace the "
        "judgments",
        *([told] * heads),
    ]
    return Conclusion(
        short=_text([simulated + costly, f"{shifted}; {_lower_with_few(judgements)}"]),
        practice=_text(practice),
        caution=_text(caution),
    )


def _rhos(judgements: Mapping[str, Judgement]) -> str:
    """Recovery in simulations by soft and by hard labels."""
    outcome = judgements["simulated-soft-above-hard"].deciding
    return "" if outcome is None else "rho {soft:.2f} against {hard:.2f}".format(**outcome.means)


def _lower_with_few(judgements: Mapping[str, Judgement]) -> str:
    """How many kinds of soft label lower cross-entropy with few images per class."""
    texts: list[str] = []
    for count in PER_CLASS:
        verdicts = [judgements[f"table-1-{kind}-{count}"].verdict for kind in SOFT]
        lower = sum(verdict in HOLDS for verdict in verdicts)
        if any(verdict != "cannot be tested here" for verdict in verdicts):
            kinds, unit = (
                ("", "") if texts else (f" of {len(SOFT)} soft kinds significantly lower it", " images per class")
            )
            texts.append(f"{lower}{kinds} with {count}{unit}")
    return f"{' and '.join(texts)} (in the paper, all)" if texts else "few images per class were not tested"


def _sentence(judgement: Judgement, holds: str, differs: str, undecided: str) -> str:
    """Choose a sentence by the verdict; the first may contain the absolute value."""
    if judgement.verdict in UNDECIDED or judgement.deciding is None:
        return undecided
    return holds.format(abs(judgement.deciding.value.value)) if judgement.verdict in HOLDS else differs


def _text(sentences: Sequence[str]) -> str:
    return " ".join(f"{sentence}." for sentence in sentences)
