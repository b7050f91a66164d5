"""People who leave in the middle: everything that is missing is answered by others, and little beyond it."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from dissensus.elicit.dashboard import decisions
from dissensus.elicit.database import schema
from dissensus.elicit.rehearsal.report import rehearse
from dissensus.elicit.rehearsal.turned_away import count_turned_away
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.second_holders import surplus_limit
from dissensus.elicit.session.session import current_page
from dissensus.elicit.survey_run import open_survey
from tests.elicit.session.test_session import through_trials
from tests.elicit.surveys import write_survey


@pytest.mark.usefixtures("forked_servers")
@pytest.mark.parametrize("draw", ["least-answered", "expected-error"])
def test_a_quarter_leaves_and_nobody_is_turned_away_while_answers_are_missing(tmp_path, database, draw):
    """60 people through two server processes; the same with 300 is a command in docs/elicit.md."""
    folder = tmp_path / "survey"
    folder.mkdir()
    (folder / "items.csv").write_text("item,text\n" + "".join(f"i{i},text {i}\n" for i in range(30)))
    write_survey(
        folder, items="items.csv", protocol={"per_person": 10, "per_item": 15, "draw": draw, "hold_minutes": 0.08}
    )
    facts = rehearse(folder, database, annotators=60, at_once=20, workers=2, seed=4, leave=0.25)
    assert facts["errors"] == facts["lost"] == facts["twice"] == 0 and 5 < facts["left"] < 25
    assert facts["turned_away_early"] == facts["missing"] == 0
    assert facts["surplus"] <= surplus_limit(450) and facts["surplus_share"] < 0.03
    assert facts["answers"] == 450 + facts["surplus"]


def test_batches_that_were_left_are_given_to_others(tmp_path, database):
    folder = write_survey(
        tmp_path / "survey",
        protocol={"draw": "batches", "batches": "batches.csv", "per_item": 6, "hold_minutes": 0.08},
    )
    (folder / "batches.csv").write_text("batch,item\n" + "".join(f"b{i // 4},p{i}\n" for i in range(8)))
    facts = rehearse(folder, database, annotators=24, at_once=8, workers=2, seed=4, leave=0.25)
    assert facts["left"] > 0 and facts["errors"] == facts["missing"] == 0
    assert facts["finished"] == 12 and facts["finished"] + facts["found_nothing_left"] + facts["left"] == 24


def test_people_turned_away_early_are_counted(tmp_path):
    """Against one of each: told too early that nothing is left, let go with fewer items, and rightly let go."""
    with open_survey(write_survey(tmp_path / "survey", protocol={"per_person": 8, "per_item": 1})) as run:
        early = arrive(run, {})
        change = sa.update(schema.people).where(schema.people.c.id == early)
        run.store.write(lambda connection: connection.execute(change.values(stage="full", finished=1.0)))
        assert count_turned_away(run) == 1
        through_trials(run, arrive(run, {}))
        assert count_turned_away(run) == 1  # it was so then, though nothing is missing now
        assert current_page(run, arrive(run, {}))["stage"] == "full" and count_turned_away(run) == 1
        decisions.forget(run, early)
        assert count_turned_away(run) == 0


def test_the_share_who_leave_is_a_probability(tmp_path):
    with pytest.raises(ValueError, match=r"leave is 25; .*0 to 1"):
        rehearse(write_survey(tmp_path / "survey"), annotators=1, seed=0, leave=25)
