"""Claims about few votes and about labels that are held, with their judges."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from dissensus.papers.claims import Claim, read_statements
from dissensus.papers.evidence import Number
from dissensus.papers.expressions import Expression, difference, value_of
from dissensus.papers.gheibi2026.reader_names import DELIVERIES
from dissensus.papers.gheibi2026.studies import HARD, HELD_FOR, KS
from dissensus.papers.judges import at_least, each, holds_in, less, more, positive, same

claim = read_statements("gheibi2026")
ACCURACY = 0.0081  # no difference: the spread over seeds that table 2 prints for soft labels


def _sweep_claims() -> Iterator[Claim]:
    """Table 1 and figure 1: few votes."""
    for method in HARD:
        for k in KS:
            judge = less("soft_nll", method, than="soft", where=f"K = {k}")
            yield claim("table-1-{method}-{k}", judge, method=method, k=k, delivery=DELIVERIES[method])
    cells = [difference("soft_nll", method, "soft", f"K = {k}") for k in KS for method in HARD]
    yield claim("table-1-all", holds_in(cells, -1, printed=12))
    yield claim("table-1-agreeing", at_least("agreeing_cells", "hard", "9"))
    yield claim("table-1-strongest", each(holds_in(cells[:6], -1), positive(more_at_few())))
    alike = [same("accuracy", method, "soft", margin=ACCURACY, where=f"K = {k}") for method in HARD for k in KS]
    yield claim("figure-1-accuracy", each(*alike))
    entropies = [difference("entropy_spearman", method, "soft", f"K = {k}") for k in (50, 25) for method in HARD]
    yield claim("figure-1-entropy", holds_in(entropies, 1))


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
    held = [f"every {every} epochs" for every in HELD_FOR]
    above_sls = [more("soft_nll", "held", than="sls", where=where) for where in held]
    for every, judge in zip(HELD_FOR, above_sls, strict=True):
        yield claim("figure-4-{every}", judge, every=every)
    longer = [more("soft_nll", "held", than="held", where=b, than_where=a) for a, b in pairwise(held)]
    yield claim("figure-4-order", each(above_sls[0], *longer))


def _target_claims() -> Iterator[Claim]:
    """Figures 2, 5 and 6: the gain of hard delivery by the error of the target."""
    yield claim("figure-2-correlation", positive(value_of("js_spearman", "hard")))
    yield claim("figure-2-bins", more("js_gain", "hard", where="largest error", than="hard", than_where="least error"))
    yield claim("figure-5", positive(value_of("l1_spearman", "hard")))
    yield claim("figure-6", positive(value_of("high_spearman", "hard")))


SWEEP_CLAIMS = (*_sweep_claims(), *_stale_claims(), *_target_claims())
