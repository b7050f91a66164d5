"""Units in the order of a draw, looked up once for all people of a transaction."""

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
    # A unit with a priority below 0 is known well enough and gets no more answers.
    "expected-error": OPEN.where(units.c.priority >= 0).order_by(
        units.c.priority.desc(), units.c.assigned, units.c.tie
    ),
}
# Only an equality, so that SQLite's index finds the last units without reading the others.
LAST = (
    sa.select(units.c.id, units.c.assigned, units.c.priority, units.c.tie)
    .where(units.c.main, units.c.assigned == sa.bindparam("fewest"))
    .order_by(units.c.tie.desc())
    .limit(64)  # a fixed number, so that an announced unit is still among them when the person draws
    .execution_options(**INDEPENDENT)
)
NEAR_TOP = 8


class Unit(NamedTuple):
    """A unit in a draw. `tie` is its random place among equals."""

    id: int
    assigned: int
    priority: float
    tie: int

    def after_draw(self) -> Unit:
        """Return the unit after one more person drew it.

        A new random `tie` keeps two people from getting the same series. The value of one more answer falls about with
        the square of their number, until the next ranking computes it exactly.
        """
        before, after = self.assigned + 1.0, self.assigned + 2.0
        factor = before * before / (after * after)  # equal to the last bit to what `draws.TAKE` writes
        return Unit(self.id, self.assigned + 1, self.priority * factor, random.getrandbits(30))


class Upcoming(NamedTuple):
    """The unit that probably follows, whose pictures are preloaded; nobody holds it. `assigned` is its count then."""

    unit: int
    assigned: int


ORDER: dict[str, Callable[[Unit], tuple[float, ...]]] = {
    "least-answered": lambda unit: (unit.assigned, unit.tie),
    "expected-error": lambda unit: (-unit.priority, unit.assigned, unit.tie),
}


class Offers:
    """The first units in the order of a draw, and some that others will draw last."""

    def __init__(self, connection: Connection, draw: str, per_item: int, most: int) -> None:
        self.draw, self.per_item = draw, per_item
        self.look_up(connection, most)

    def look_up(self, connection: Connection, most: int) -> None:
        """Look up this many units in the database, which must have no deferred draws."""
        asked = {"per_item": self.per_item}
        self.wanted = [Unit(*row) for row in connection.execute(WANTED[self.draw].limit(most), asked)]
        self.complete = len(self.wanted) < most
        # A unit that now comes after the last of these may come after others that were not looked up.
        self._end = (math.inf,) if self.complete else ORDER[self.draw](self.wanted[-1])
        self.last: dict[int, Unit] = {}
        if self.draw == "least-answered" and self.wanted:
            last = connection.execute(LAST, {"fewest": self.wanted[0].assigned})
            self.last = {row.id: Unit(*row) for row in last}

    def take(self, had: Collection[int], announced: Upcoming | None) -> Unit | None:
        """Draw a unit for a person who had these. Return it as it is afterwards, or None if none is left here.

        announced  the unit that the person preloaded; they get it if nobody else drew it since
        """
        unit = self._find_announced(announced)
        if unit is None or unit.id in had:
            unit = next((candidate for candidate in self.wanted if candidate.id not in had), None)
        if unit is None:
            return None
        drawn, order = unit.after_draw(), ORDER[self.draw]
        self.last.pop(unit.id, None)
        if unit in self.wanted:
            self.wanted.remove(unit)
        if drawn.assigned < self.per_item and order(drawn) < self._end:
            insort(self.wanted, drawn, key=order)
        return drawn

    def next_for(self, had: Collection[int]) -> Upcoming | None:
        """Announce the unit that probably follows for a person who had these.

        It is one that others will draw last or, if draws are by expected error, one near the top but not the first.
        """
        offered = self.last.values() if self.draw == "least-answered" else self.wanted[1 : NEAR_TOP + 1]
        free = [unit for unit in offered if unit.id not in had]
        if not free:
            return None
        unit = random.choice(free)
        return Upcoming(unit.id, unit.assigned)

    def _find_announced(self, announced: Upcoming | None) -> Unit | None:
        if announced is None:
            return None
        wanted = (unit for unit in self.wanted if unit.id == announced.unit)
        unit = self.last.get(announced.unit) or next(wanted, None)
        return unit if unit is not None and unit.assigned == announced.assigned and unit.priority >= 0 else None
