"""`dissensus.elicit` as a Python user meets it."""

from __future__ import annotations

import subprocess
import sys

import dissensus.elicit


def test_importing_the_front_loads_no_web_server_and_no_database():
    code = "import sys, dissensus.elicit; print([m for m in ('starlette', 'sqlalchemy', 'jinja2') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_survey_from_making_it_to_its_labels(tmp_path):
    from dissensus.elicit import check_survey, labels_of, make_survey, open_survey, rehearse

    make_survey(tmp_path, title="Digits", kind="top-two", classes=[], per_person=4, per_item=1)
    assert check_survey(tmp_path)["people_needed"] == 6
    facts = rehearse(tmp_path, annotators=6, seed=0)
    with open_survey(tmp_path, facts["database"]) as survey:
        assert labels_of(survey).n_answers == 24


def test_every_name_of_the_front_can_be_had():
    assert all(getattr(dissensus.elicit, name) is not None for name in dissensus.elicit.__all__)
