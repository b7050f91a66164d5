"""Errors about one row of a value, to which a reader of files adds the row's place in the file."""

from __future__ import annotations

from collections.abc import Iterable

from dissensus.labels.refusals import Refusal, Way


class RowError(Refusal):
    """A refused row: "belief 3 (item a) states -0.5 ...".

    Parameters
    ----------
    noun : what a row is: "vote", "belief", "row"
    row : its position, from 0
    predicate : the sentence after the row's number
    ways : the ways out
    """

    def __init__(self, noun: str, row: int, predicate: str, ways: Iterable[Way] = ()) -> None:
        super().__init__(f"{noun} {int(row)} {predicate}", ways=ways)
        self.noun = noun
        self.row = int(row)
        self.predicate = predicate

    def with_number(self, row: int, place: str) -> Refusal:
        """Return the refusal of this row under its number in a file."""
        return Refusal(f"row {row} {self.predicate}", place, self.ways)
