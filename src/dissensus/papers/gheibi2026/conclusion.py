"""The answer at the top of the page, made from the judgements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dissensus.papers.claims import Conclusion
from dissensus.papers.evidence import Number
from dissensus.papers.gheibi2026.reader_names import MODELS
from dissensus.papers.gheibi2026.studies import HARD, KS
from dissensus.papers.headlines import shorten_models
from dissensus.papers.outcomes import Judgement, Outcome
from dissensus.papers.published import read_published
from dissensus.papers.strength import excludes_zero
from dissensus.papers.wording import WEAKNESSES

HOLDS = ("equal", "same direction")


def conclude(judgements: Mapping[str, Judgement]) -> Conclusion:
    """The top of the page."""
    cells = [judgements[f"table-1-{method}-{k}"] for method in HARD for k in KS]
    lower = [cell for cell in cells if cell.verdict in HOLDS]
    undecided = sum(cell.verdict not in (*HOLDS, "differs") for cell in cells)
    open_ = f"; undecided here: {undecided}" if undecided else ""
    few, shuffled = judgements["table-1-multipass-5"], judgements["table-3-shuffled-nll"]
    matched = "Keep every label with its own image. " if shuffled.verdict in HOLDS else ""
    return Conclusion(
        short=f"With 5 to 50 votes, single votes beat soft labels in {len(lower)} of 12 comparisons of soft "
        f"NLL (paper: 12{open_}){_where(lower)}{_at_best(cells, lower)}. "
        f"{_parity(judgements['table-2-soft_nll'])}",
        practice=f"{matched}{_advice(few)}",
        caution=" ".join(_cautions(judgements)),
    )


def _at_best(cells: Sequence[Judgement], lower: Sequence[Judgement]) -> str:
    """What the nearest model of each comparison gives at its best epoch, unless that epoch decided."""
    best = [outcomes["best epoch"].value for cell in cells if "best epoch" in (outcomes := _by_epoch(cell))]
    decided = lower and all(cell.deciding and cell.deciding.candidate.epoch == "best epoch" for cell in lower)
    ahead = sum(gap.value > 0 for gap in best)
    return f"; at the best epoch, soft labels lead in {ahead}" if best and not decided else ""


def _cautions(judgements: Mapping[str, Judgement]) -> Iterator[str]:
    yield _few_votes(judgements["table-1-multipass-5"])
    trained = [k for k in KS if _has_network(judgements[f"table-1-{HARD[0]}-{k}"])]
    if not _has_network(judgements["table-2-soft_nll"]):
        heads = f"heads on frozen features{_accuracy(judgements['table-2-accuracy'])}"
        votes = " and ".join(map(str, trained))
        some = f"Networks were trained with {votes} votes; all else rests on {heads}."
        yield some if trained else f"Only {heads} were trained."
    if not _has_network(judgements["figure-11"]):
        yield "Claims about basins and features rest on heads, which learn no features."


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
    parts = [
        f"{of.value.value:+.3f}{'' if excludes_zero(of.value) else ' (not significant)'} {_when(epoch)}"
        for epoch, of in outcomes.items()
    ]
    printed = "" if judgement.effect is None else f"; paper: {judgement.effect:+.3f}, epoch not named"
    model = judgement.outcomes[0].candidate.model
    model = shorten_models(MODELS.get(model, model))
    return f"Soft NLL of multipass less soft labels, 5 votes, {model}: {', '.join(parts)}{printed}."


def _where(cells: Sequence[Judgement]) -> str:
    """The model and epoch that decided, if they are the same for all."""
    deciding = {cell.deciding.candidate for cell in cells if cell.deciding is not None}
    if len(deciding) != 1:
        return ""
    ((model, epoch),) = deciding
    return f", by {shorten_models(MODELS.get(model, model))} {_when(epoch)}"


def _when(epoch: str) -> str:
    return f"at the {epoch}" if epoch == "best epoch" else f"after the {epoch}"


def _advice(judgement: Judgement) -> str:
    """What to do with few votes, by the epochs that were scored."""
    outcomes = _by_epoch(judgement)
    gains = {epoch: excludes_zero(of.value) and of.value.value < 0 for epoch, of in outcomes.items()}
    if gains.get("last epoch") and gains.get("best epoch") is False:
        return "With few votes, soft labels do as well if you stop early on held-out answers; otherwise, use multipass."
    return "With few votes per image, compare multipass with soft labels on a validation set."


def _parity(judgement: Judgement) -> str:
    if judgement.deciding is None:
        return "All votes were not tested."
    if judgement.verdict == "too weak to tell":
        weak = judgement.deciding.weak or ("power",)
        epoch = judgement.deciding.candidate.epoch
        reason = f"the {epoch} comes before all votes are shown" if "delivery" in weak else WEAKNESSES[weak[0]]
        return f"With all votes, whether SLS matches soft labels is undecided: {reason}."
    matches = "matches" if judgement.verdict == "equal" else "does not match"
    nearest = judgement.outcomes[0]
    undecided = "" if nearest is judgement.deciding else f"; {_format_gap(nearest)}, undecided"
    return f"With all votes, SLS {matches} soft labels ({_format_gap(judgement.deciding)}{undecided})."


def _format_gap(outcome: Outcome) -> str:
    model, epoch = outcome.candidate
    return f"{outcome.value.value:+.3f} by {shorten_models(MODELS.get(model, model))} {_when(epoch)}"
