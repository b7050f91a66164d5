"""The answer at the top of the page, made from the judgements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dissensus.papers.claims import Conclusion
from dissensus.papers.evidence import Number
from dissensus.papers.gheibi2026.reader_names import MODELS
from dissensus.papers.gheibi2026.studies import HARD, KS
from dissensus.papers.outcomes import Judgement, Outcome
from dissensus.papers.published import read_published
from dissensus.papers.strength import excludes_zero
from dissensus.papers.wording import WEAKNESSES

HOLDS = ("equal", "same direction")


def conclude(judgements: Mapping[str, Judgement]) -> Conclusion:
    """The top of the page."""
    cells = [judgements[f"table-1-{method}-{k}"] for method in HARD for k in KS]
    lower = [cell for cell in cells if cell.verdict in HOLDS]
    weak = sum(cell.verdict == "too weak to tell" for cell in cells)
    few = judgements["table-1-multipass-5"]
    return Conclusion(
        short=f"With 5 to 50 votes per image, votes shown one at a time give a lower soft NLL than soft labels in "
        f"{len(lower)} of 12 comparisons{_where(lower)}; {weak} are too weak to tell. "
        f"{_parity(judgements['table-2-soft_nll'])}",
        practice=f"Keep every label with its own image{_ruin(judgements['table-3-shuffled-nll'])}. {_advice(few)}",
        caution=" ".join(_cautions(cells, judgements)),
    )


def _cautions(cells: Sequence[Judgement], judgements: Mapping[str, Judgement]) -> Iterator[str]:
    best = [outcomes["best epoch"].value for cell in cells if "best epoch" in (outcomes := _by_epoch(cell))]
    yield _few_votes(judgements["table-1-multipass-5"])
    yield "The paper does not say which epoch its scores are of."
    if best:
        ahead, sure = sum(gap.value > 0 for gap in best), sum(gap.low > 0 for gap in best)
        yield f"At the best epoch, soft labels have the lower mean in {ahead} of {len(best)}, significantly in {sure}."
    trained = [k for k in KS if _has_network(judgements[f"table-1-{HARD[0]}-{k}"])]
    if _has_network(judgements["table-2-soft_nll"]):
        yield "CIFAR-10H is one data set, and table 7 is untested without SVHN."
    else:
        heads = f"heads on frozen features{_accuracy(judgements['table-2-accuracy'])}"
        votes = " and ".join(map(str, trained))
        some = f"Networks were trained with {votes} votes; all else rests on {heads}."
        yield some if trained else f"Only {heads} were trained."
        yield "Heads are best after a few epochs, before they see all votes."
        yield "They learn no features: claims about basins, flatness and features need networks (scale overnight)."


def _has_network(judgement: Judgement) -> bool:
    return any(outcome.candidate.model != "heads" for outcome in judgement.outcomes)


def _accuracy(judgement: Judgement) -> str:
    outcome, printed = judgement.deciding, read_published("gheibi2026").find(Number("accuracy", "soft"))
    if outcome is None or printed is None:
        return ""
    return f" (accuracy {outcome.means['soft']:.1%}; the paper's ResNet-18 has {printed.value:.1%})"


def _by_epoch(judgement: Judgement) -> dict[str, Outcome]:
    """The outcome after each epoch that was scored, of the nearest model."""
    return {
        outcome.candidate.epoch: outcome
        for outcome in judgement.outcomes
        if outcome.candidate.model == judgement.outcomes[0].candidate.model
    }


def _few_votes(judgement: Judgement) -> str:
    """Multipass against soft labels with 5 votes, epoch by epoch."""
    outcomes = _by_epoch(judgement)
    if not outcomes:
        return "Few votes were not tested."
    parts = []
    for epoch, outcome in outcomes.items():
        gap, when = outcome.value, _when(epoch)
        side = "lower" if gap.value < 0 else "higher"
        parts.append(f"{abs(gap.value):.3f} {side if excludes_zero(gap) else f'{side} (not significant)'} {when}")
    printed = "" if judgement.effect is None else f"; the paper prints {-judgement.effect:.3f} lower"
    model = judgement.outcomes[0].candidate.model
    return f"With 5 votes and {MODELS.get(model, model)}, the soft NLL of multipass is {' and '.join(parts)}{printed}."


def _where(cells: Sequence[Judgement]) -> str:
    """The model and epoch that decided, if they are the same for all."""
    deciding = {cell.deciding.candidate for cell in cells if cell.deciding is not None}
    if len(deciding) != 1:
        return ""
    ((model, epoch),) = deciding
    return f", all by {MODELS.get(model, model)} {_when(epoch)}"


def _when(epoch: str) -> str:
    return f"at the {epoch}" if epoch == "best epoch" else f"after the {epoch}"


def _advice(judgement: Judgement) -> str:
    """What to do with few votes, by the epochs that were scored."""
    outcomes = _by_epoch(judgement)
    gains = {epoch: excludes_zero(of.value) and of.value.value < 0 for epoch, of in outcomes.items()}
    if gains.get("last epoch") and gains.get("best epoch") is False:
        return (
            "With few votes per image, soft labels do as well if you stop early on held-out answers. "
            "Without early stopping, use multipass."
        )
    return "With few votes per image, compare multipass with soft labels on a validation set."


def _ruin(judgement: Judgement) -> str:
    if judgement.verdict not in HOLDS or judgement.deciding is None:
        return ""
    return f": labels of other images raise the soft NLL by {judgement.deciding.value.value:.1f}"


def _parity(judgement: Judgement) -> str:
    if judgement.deciding is None:
        return "All votes were not tested."
    if judgement.verdict == "too weak to tell":
        weak = judgement.deciding.weak or ("power",)
        early = f"the {judgement.deciding.candidate.epoch} comes before all votes are shown"
        reason = early if "delivery" in weak else "; ".join(WEAKNESSES[name] for name in weak)
        return f"With all votes, this run cannot tell whether SLS and soft labels match: {reason}."
    gap = f"{judgement.deciding.value.value:+.3f}"
    return f"With all votes, SLS {'matches' if judgement.verdict == 'equal' else 'does not match'} soft labels ({gap})."
