"""One code or link for each outcome: what survey.toml may say of them, and what people then see."""

from __future__ import annotations

import pytest

from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.session import current_page, submit
from dissensus.elicit.survey.ends import COMPLETE, PROLIFIC, End, make_exit
from dissensus.elicit.survey.preview import check_survey
from dissensus.elicit.survey.settings import read_survey
from dissensus.elicit.survey_run import open_survey
from tests.elicit.surveys import words, write_survey

CODES = {
    "completed": {"code": "DONE1"},
    "screened_out": {"code": "OUT2"},
    "declined": {"code": "NO3"},
    "full": {"code": "FULL4"},
}
ASKED = {
    "protocol": {"consent": "Yes?"},
    "comprehension": [{"question": "May people differ?", "options": ["Yes", "No"], "correct": "Yes"}],
}


@pytest.mark.parametrize(
    ("source", "outcome", "end", "expected"),
    [
        ("prolific", "completed", End("AB1"), ("AB1", f"{COMPLETE}?cc=AB1", True)),
        ("prolific", "completed", End("", f"{COMPLETE}?cc=AB1"), ("AB1", f"{COMPLETE}?cc=AB1", True)),
        ("prolific", "completed", End("AB1", f"{COMPLETE}?cc=AB1"), ("AB1", f"{COMPLETE}?cc=AB1", True)),
        ("prolific", "completed", End("AB1", COMPLETE), ("AB1", f"{COMPLETE}?cc=AB1", True)),
        ("prolific", "completed", End(), ("OWN", PROLIFIC, False)),
        ("prolific", "declined", End(), ("", PROLIFIC, False)),
        ("prolific", "full", End("F"), ("F", f"{COMPLETE}?cc=F", True)),
        ("open", "completed", End(), ("OWN", "", False)),
        ("open", "completed", End("", "https://lab.example.org"), ("OWN", "https://lab.example.org", False)),
        ("links", "completed", End("", "https://l.org?c={code}"), ("OWN", "https://l.org?c=OWN", True)),
        ("open", "declined", End("", "https://lab.example.org"), ("", "https://lab.example.org", True)),
        ("mturk", "screened_out", End(), ("", "", False)),
    ],
)
def test_a_code_or_a_link_is_enough_and_nobody_sees_two_codes(source, outcome, end, expected):
    assert make_exit(source, outcome, end, "OWN") == expected


def test_a_code_that_is_shown_is_never_left_behind_by_an_automatic_return():
    for source in ("open", "links", "prolific", "mturk"):
        for end in (End(), End("A B&C"), End("", "https://x.org/?a=1"), End("A B&C", "https://x.org/{code}")):
            way = make_exit(source, "completed", end, "OWN")
            assert not way.automatic or "A%20B%26C" in way.redirect


def test_the_former_keys_are_those_of_completion(tmp_path):
    people = {"source": "open", "completion_code": "SAME", "redirect": "https://lab.example.org"}
    survey = read_survey(write_survey(tmp_path / "survey", people=people))
    assert survey.ends["completed"] == End("SAME", "https://lab.example.org")


@pytest.mark.parametrize(
    ("sections", "message"),
    [
        (
            {"ends": {"finished": {"code": "A"}}},
            "unknown key 'finished'. Choose from: completed, screened_out",
        ),
        ({"ends": {"full": {"kode": "A"}}}, r"ends.full: unknown key 'kode'; did you mean 'code'"),
        ({"ends": {"full": "A"}}, r"ends.full is 'A'; expected a table"),
        ({"ends": {"declined": {"redirect": "javascript:alert(1)"}}}, "ends.declined.redirect .* https://"),
        ({"ends": {"full": {"redirect": "https://a.org?{code}"}}}, "ends.full.code is empty"),
        ({"ends": {"completed": {"code": "A"}}, "people": {"completion_code": "B"}}, "keep one of them"),
        (
            {"ends": {"completed": {"code": "A", "redirect": f"{COMPLETE}?cc=B"}}, "people": {"source": "prolific"}},
            "redirect has the code 'B'",
        ),
    ],
)
def test_invalid_entries_are_refused_by_name(tmp_path, sections, message):
    with pytest.raises(ValueError, match=message):
        read_survey(write_survey(tmp_path / "survey", **sections))


def test_check_reports_the_end_page_of_each_outcome(tmp_path):
    facts = check_survey(write_survey(tmp_path / "a", **ASKED, ends=CODES, people={"source": "prolific"}))
    assert facts["ends"]["declined"].endswith(f"{COMPLETE}?cc=NO3")
    assert words(facts["ends"]["declined"]) >= {"NO3", "20"}
    assert list(facts["ends"]) == ["completed", "screened_out", "declined", "full"] and facts["notes"] == []
    facts = check_survey(write_survey(tmp_path / "b", people={"source": "prolific"}))
    assert list(facts["ends"]) == ["completed", "full"]
    first, second = facts["notes"]
    assert words(first) >= {"ends.completed.code", "Prolific"} and words(second) >= {"ends.full", "Prolific"}
    same = {"completed": {"code": "A"}, "full": {"code": "A"}}
    facts = check_survey(write_survey(tmp_path / "c", people={"source": "prolific"}, ends=same))
    (note,) = facts["notes"]
    assert words(note) >= {"ends.full", "ends.completed", "code"}
    facts = check_survey(write_survey(tmp_path / "d", ends={"completed": {"redirect": "https://l.org?c={code}"}}))
    assert facts["ends"]["completed"].endswith("https://l.org?c={code}")


def test_everybody_who_leaves_is_shown_the_code_of_their_outcome(tmp_path):
    folder = write_survey(tmp_path / "survey", **ASKED, ends=CODES)
    run = open_survey(folder)
    declining, failing = arrive(run, {}), arrive(run, {})
    page = submit(run, declining, {"page": "consent", "answer": {"agreed": False}})["page"]
    assert (page["stage"], page["code"]) == ("declined", "NO3")
    submit(run, failing, {"page": "consent", "answer": {"agreed": True}})
    for attempt in range(2):
        submit(run, failing, {"page": f"comprehension:{attempt}", "answer": {"chosen": ["No"]}})
    page = current_page(run, failing)
    assert (page["stage"], page["code"], page["wait"]) == ("failed", "OUT2", 20)
    run.store.close()
