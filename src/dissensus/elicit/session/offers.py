"""Units in the order in which they are wanted, looked up once for all who draw in one transaction."""

from __future__ import annotations

import math
import random
from bisect import insort
from collections.abc import Callable, Collection
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.elicit.database.schema import units
from dissensus.elicit.database.shared_transaction import INDEPENDENT

OPEN = (
    sa.select(units.c.id, units.c.assigned, units.c.priority, units.c.tie)
    .where(units.c.main, units.c.assigned < sa.bindparam("per_item"))
    .execution_options(**INDEPENDENT)
)
WANTED = {
    "least-answered": OPEN.order_by(units.c.assigned, units.c.tie),
    # A unit whose priority is below 0 is known well enough and gets no more answers.
    "expected-error": OPEN.where(units.c.priority >= 0).order_by(
        units.c.priority.desc(), units.c.assigned, units.c.tie
    ),
}
# Nothing but the equality, so that SQLite's index gives the last of them without a look at the others.
LAST = (
    sa.select(units.c.id, units.c.assigned, units.c.priority, units.c.tie)
    .where(units.c.main, units.c.assigned == sa.bindparam("fewest"))
    .order_by(units.c.tie.desc())
    .limit(64)  # as many however many draw: what somebody was told to expect is to be here when they come for it
    .execution_options(**INDEPENDENT)
)
NEAR_TOP = 8


class Unit(NamedTuple):
    """A unit as a draw sees it. `tie` is its random place among equals."""

    id: int
    assigned: int
    priority: float
    tie: int

    def after_draw(self) -> Unit:
        """The unit once one more person has it.

        It gets a new random place, so that no two people get the same series. What one more answer is worth falls about
        with the square of how many there are; the next ranking says it exactly.
        """
        before, after = self.assigned + 1.0, self.assigned + 2.0
        falls = before * before / (after * after)  # to the last bit what `draws.TAKE` writes
        return Unit(self.id, self.assigned + 1, self.priority * falls, random.getrandbits(30))


class Upcoming(NamedTuple):
    """A unit that a person may expect, without holding it, and how many had drawn it by then."""

    unit: int
    then: int


ORDER: dict[str, Callable[[Unit], tuple[float, ...]]] = {
    "least-answered": lambda unit: (unit.assigned, unit.tie),
    "expected-error": lambda unit: (-unit.priority, unit.assigned, unit.tie),
}


class Offers:
    """The units that are wanted most, in their order, and some that others will come to last."""

    def __init__(self, connection: Connection, draw: str, per_item: int, most: int) -> None:
        self.draw, self.per_item = draw, per_item
        self.look(connection, most)

    def look(self, connection: Connection, most: int) -> None:
        """Look up this many in the database, where all that was taken before must be written down."""
        asked = {"per_item": self.per_item}
        self.wanted = [Unit(*row) for row in connection.execute(WANTED[self.draw].limit(most), asked)]
        self.complete = len(self.wanted) < most
        # Nobody knows which of the units that are not here come before one that is behind the last of these.
        self._end = (math.inf,) if self.complete else ORDER[self.draw](self.wanted[-1])
        self.last: dict[int, Unit] = {}
        if self.draw == "least-answered" and self.wanted:
            last = connection.execute(LAST, {"fewest": self.wanted[0].assigned})
            self.last = {row.id: Unit(*row) for row in last}

    def take(self, had: Collection[int], expected: Upcoming | None) -> Unit | None:
        """The unit that a person gets who had these, as it is from then on; None where none of those here is left.

        expected  what they were told to expect; they get it where nobody took it meanwhile
        """
        unit = self._find_announced(expected)
        if unit is None or unit.id in had:
            unit = next((each for each in self.wanted if each.id not in had), None)
        if unit is None:
            return None
        taken, order = unit.after_draw(), ORDER[self.draw]
        self.last.pop(unit.id, None)
        if unit in self.wanted:
            self.wanted.remove(unit)
        if taken.assigned < self.per_item and order(taken) < self._end:
            insort(self.wanted, taken, key=order)
        return taken

    def next_for(self, had: Collection[int]) -> Upcoming | None:
        """What somebody who had these can expect next: one that others will come to last, or, where draws are by
        expected error, one that is near the top and not the first."""
        offered = self.last.values() if self.draw == "least-answered" else self.wanted[1 : NEAR_TOP + 1]
        free = [unit for unit in offered if unit.id not in had]
        if not free:
            return None
        unit = random.choice(free)
        return Upcoming(unit.id, unit.assigned)

    def _find_announced(self, expected: Upcoming | None) -> Unit | None:
        if expected is None:
            return None
        unit = self.last.get(expected.unit) or next((each for each in self.wanted if each.id == expected.unit), None)
        return unit if unit is not None and unit.assigned == expected.then and unit.priority >= 0 else None
