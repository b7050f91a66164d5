"""Claims about few votes and about labels that are held, with their judges."""

from __future__ import annotations

from collections.abc import Iterator

from dissensus.papers.claims import Claim
from dissensus.papers.evidence import Number
from dissensus.papers.expressions import Expression, difference, value_of
from dissensus.papers.gheibi2026.reader_names import DELIVERIES
from dissensus.papers.gheibi2026.studies import HARD, HELD_FOR, KS
from dissensus.papers.judges import at_least, each, holds_in, less, more, positive, same

ACCURACY = 0.0081  # no difference: the spread over seeds that table 2 prints for soft labels
NO_NUMBERS = "a figure without numbers"


def _sweep_claims() -> Iterator[Claim]:
    """Table 1 and figure 1: few votes."""
    for method in HARD:
        for k in KS:
            yield Claim(
                key=f"table-1-{method}-{k}",
                source=f"table 1, {DELIVERIES[method]}, K = {k}",
                claim=f"With {k} votes per image, {DELIVERIES[method]} has a lower soft NLL than soft labels",
                judge=less("soft_nll", method, than="soft", where=f"K = {k}"),
            )
    cells = [difference("soft_nll", method, "soft", f"K = {k}") for k in KS for method in HARD]
    yield Claim(
        key="table-1-all",
        source="table 1, figure 1; section 5.1",
        claim="All three hard deliveries have a lower soft NLL than soft labels at all four K",
        judge=holds_in(cells, -1, printed=12),
    )
    yield Claim(
        key="table-1-agreeing",
        source="table 1, section 5.1",
        claim="Cells of method and K in which all five seeds favour hard delivery",
        published="9 of 12",
        judge=at_least("agreeing_cells", "hard", "9"),
    )
    yield Claim(
        key="table-1-strongest",
        source="table 1, section 5.1",
        claim="Hard delivery gains at 5 and 10 votes, and gains more there than at 25 and 50",
        published="stated; the means of table 1 give a gain of 0.031 at 5 and 10 votes, 0.032 at 25 and 50",
        judge=each(holds_in(cells[:6], -1), positive(more_at_few())),
    )
    yield Claim(
        key="figure-1-accuracy",
        source="table 1, figure 1; section 5.1",
        claim="Over the sweep, hard and soft delivery have about the same accuracy",
        published=NO_NUMBERS,
        judge=each(
            *(same("accuracy", method, "soft", margin=ACCURACY, where=f"K = {k}") for method in HARD for k in KS)
        ),
    )
    yield Claim(
        key="figure-1-entropy",
        source="table 1, figure 1; section 5.1",
        claim="Hard delivery raises the correlation of entropies at 25 and 50 votes",
        published=NO_NUMBERS,
        judge=holds_in(
            [difference("entropy_spearman", method, "soft", f"K = {k}") for k in (50, 25) for method in HARD], 1
        ),
    )


def more_at_few() -> Expression:
    """Gain of hard delivery at 5 and 10 votes less that at 25 and 50: soft labels less the mean of hard deliveries."""
    gain = [(1.0, "soft"), *((-1 / 3, method) for method in HARD)]
    signs = {50: -1, 25: -1, 10: 1, 5: 1}  # the first condition decides how many labels must have been shown
    terms = [
        (sign * weight / 2, Number("soft_nll", arm, f"K = {k}")) for k, sign in signs.items() for weight, arm in gain
    ]
    return Expression(tuple(terms))


def _stale_claims() -> Iterator[Claim]:
    """Figure 4: labels that are held for several epochs."""
    for every in HELD_FOR:
        yield Claim(
            key=f"figure-4-{every}",
            source=f"figure 4, section 5.1, every {every} epochs",
            claim=f"Labels drawn only every {every} epochs give a higher soft NLL than labels drawn in each epoch",
            judge=more("soft_nll", "held", than="sls", where=f"every {every} epochs"),
        )
    longer = [f"every {every} epochs" for every in HELD_FOR]
    yield Claim(
        key="figure-4-order",
        source="figure 4",
        claim="The longer drawn labels are held, the higher the soft NLL",
        published="0.5027 in each epoch, 0.5458 every 5, 0.6054 every 10, 0.6689 every 50",
        judge=each(
            more("soft_nll", "held", than="sls", where=longer[0]),
            more("soft_nll", "held", than="held", where=longer[1], than_where=longer[0]),
            more("soft_nll", "held", than="held", where=longer[2], than_where=longer[1]),
        ),
    )


def _target_claims() -> Iterator[Claim]:
    """Figures 2, 5 and 6: the gain of hard delivery by the error of the target."""
    yield Claim(
        key="figure-2-correlation",
        source="figure 2, section 5.1",
        claim="Hard delivery gains more on images whose few votes are farther from all votes: Spearman, Jensen-Shannon",
        published="about 0.05 to 0.16",
        judge=positive(value_of("js_spearman", "hard")),
    )
    yield Claim(
        key="figure-2-bins",
        source="figure 2",
        claim="The gain is larger where few votes are farthest from all votes than where they are closest",
        published=NO_NUMBERS,
        judge=more("js_gain", "hard", where="largest error", than="hard", than_where="least error"),
    )
    yield Claim(
        key="figure-5",
        source="figure 5",
        claim="The correlation is also positive with L1 distance in place of Jensen-Shannon",
        published=NO_NUMBERS,
        judge=positive(value_of("l1_spearman", "hard")),
    )
    yield Claim(
        key="figure-6",
        source="figure 6",
        claim="The correlation is also positive among the images that people disagree about most",
        published=NO_NUMBERS,
        judge=positive(value_of("high_spearman", "hard")),
    )


SWEEP_CLAIMS = (*_sweep_claims(), *_stale_claims(), *_target_claims())
