"""Who on a shared machine can read what people said."""

from __future__ import annotations

import stat

import pytest

from dissensus.elicit.server import find_free_port, prepare_server
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.survey.template import make_survey
from dissensus.elicit.survey_run import open_survey
from tests.elicit.surveys import write_survey


def modes(folder):
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.glob("answers.db*")}


def test_a_new_database_is_its_owners_alone_with_all_that_sqlite_puts_beside_it(tmp_path):
    with open_survey(write_survey(tmp_path / "survey")) as run:
        arrive(run, {})
        assert modes(run.survey.folder) == {"answers.db": 0o600, "answers.db-wal": 0o600, "answers.db-shm": 0o600}


def test_a_database_of_before_becomes_its_owners_alone(tmp_path):
    with open_survey(write_survey(tmp_path / "survey")) as run:
        arrive(run, {})
        for path in run.survey.folder.glob("answers.db*"):
            path.chmod(0o644)
        with open_survey(run.survey.folder) as again:
            assert set(modes(again.survey.folder).values()) == {0o600}


def test_init_makes_a_folder_of_its_own_and_leaves_one_that_is_there_as_it_is(tmp_path):
    (tmp_path / "there").mkdir(mode=0o755)
    for name, mode in (("new", 0o700), ("there", 0o755)):
        make_survey(tmp_path / name, title="Digits", kind="choose", classes=[])
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == mode


@pytest.mark.parametrize(
    ("host", "https", "expected"),
    [
        ("127.0.0.1", False, 0),
        ("localhost", False, 0),
        ("0.0.0.0", False, 1),
        ("0.0.0.0", True, 0),
    ],
)
def test_serve_warns_of_a_public_address_without_https(tmp_path, monkeypatch, host, https, expected):
    for name in ("DISSENSUS_SURVEY", "DISSENSUS_DB", "DISSENSUS_SECURE"):
        monkeypatch.setenv(name, "")  # which preparing a server sets for the processes that it will start
    folder = write_survey(tmp_path / "survey")
    folder.chmod(0o700)
    warnings = prepare_server(folder, host=host, port=find_free_port(), https=https).warnings
    assert len(warnings) == expected and all("without https" in warning for warning in warnings)


def test_serve_says_that_others_can_look_into_the_folder_and_changes_nothing(tmp_path, monkeypatch):
    for name in ("DISSENSUS_SURVEY", "DISSENSUS_DB", "DISSENSUS_SECURE"):
        monkeypatch.setenv(name, "")
    folder = write_survey(tmp_path / "survey")
    folder.chmod(0o755)
    (warning,) = prepare_server(folder, port=find_free_port()).warnings
    assert f"chmod 700 {folder}" in warning and "drwxr-xr-x" in warning
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
