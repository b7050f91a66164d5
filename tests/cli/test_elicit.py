"""The verbs of `dissensus elicit`, as they are typed: what they print, and errors in one line with exit code 2."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from dissensus.elicit.access import is_key
from dissensus.elicit.dashboard import decisions
from dissensus.elicit.dashboard.status import survey_status
from dissensus.elicit.export import answer_table
from dissensus.elicit.identity import unsign
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.questions.wording import COLLINS
from dissensus.elicit.server import find_free_port
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.session import current_page, submit
from dissensus.elicit.survey.settings import read_survey
from dissensus.elicit.survey_run import open_survey
from tests.cli.commands import run as run_command
from tests.elicit.surveys import TIMES, write_survey
from tests.facts import states


def dissensus(*args, code=0):
    return run_command("elicit", *args, code=code)


def notes_of(*args):
    return json.loads(dissensus(*args, "--json").stdout)["notes"]


def overridden(*args):
    """The settings changed on the dashboard, the same for check and for status."""
    check, status = (json.loads(dissensus(verb, *args, "--json").stdout)["overridden"] for verb in ("check", "status"))
    assert check == status
    return check


def rows_of(text):
    """The names and values that a verb prints, one pair per line."""
    return {tuple(re.split(r"\s{2,}", line.strip())) for line in text.splitlines() if "  " in line}


@pytest.fixture
def answered(tmp_path):
    """A survey with one answer, of somebody whom the recruiting site calls abcabc…."""
    ends = {outcome: {"code": outcome.upper()} for outcome in ("completed", "full")}
    folder = write_survey(tmp_path / "survey", people={"source": "prolific", "pay_per_person": 2.0}, ends=ends)
    run = open_survey(folder)
    me = arrive(run, {"PROLIFIC_PID": "abc" * 8})
    submit(run, me, {"page": current_page(run, me)["page"], "answer": {"choice": "cat"}, "times": TIMES})
    run.store.close()
    return folder


@pytest.mark.parametrize("kind", QUESTIONS)
def test_init_makes_a_survey_that_check_accepts(tmp_path, kind):
    assert str(tmp_path / "new" / "survey.toml") in dissensus("init", tmp_path / "new", "--kind", kind).stdout
    facts = json.loads(dissensus("check", tmp_path / "new", "--json").stdout)
    assert facts["kind"] == kind and facts["units"] >= 24
    done = dissensus("init", tmp_path / "new", "--kind", kind, code=2)
    assert "survey.toml exists" in done.stderr and len(done.stderr.strip().splitlines()) == 1


def test_init_refuses_the_name_of_a_file_in_one_line(tmp_path):
    (tmp_path / "taken").write_text("")
    line = dissensus("init", tmp_path / "taken", code=2).stderr
    assert "Errno" not in line and str(tmp_path / "taken") in line.replace("\n", "")


def test_init_takes_settings_of_the_question_and_check_says_what_replaces_its_words(tmp_path):
    chosen = ("wording=collins", "frame=crowd", "layout=form", "second=false")
    dissensus("init", tmp_path / "new", *(word for setting in chosen for word in ("--option", setting)))
    path = tmp_path / "new" / "survey.toml"
    asked = read_survey(tmp_path / "new").question
    assert [asked.options[name] for name in ("wording", "frame", "layout", "second")] == [
        "collins",
        "crowd",
        "form",
        False,
    ]
    assert asked.prompt == COLLINS["prompt"] and notes_of("check", tmp_path / "new") == []
    path.write_text(path.read_text().replace("# prompt = ", "prompt = "))
    (note,) = notes_of("check", tmp_path / "new")
    assert "question.prompt" in note and "frame" in note
    assert "question.prompt" in dissensus("check", tmp_path / "new").stdout
    dissensus("init", tmp_path / "tokens", "--kind", "tokens", "--option", "tokens=7")
    assert read_survey(tmp_path / "tokens").question.options["tokens"] == 7


def test_what_is_wrong_is_said_in_one_line(tmp_path, answered):
    bad = write_survey(tmp_path / "bad", question={"kind": "choose", "classes": ["a"]})
    cases = [
        (("init", tmp_path / "x", "--kind", "riddle"), "'riddle'", "choose, top-two"),
        (("init", tmp_path / "x", "--option", "wording=x"), "'x'", "plain, collins"),
        (("init", tmp_path / "x", "--option", "wording"), "--option 'wording':", "NAME=VALUE", "layout=form"),
        (("init", tmp_path / "x", "--option", "second=1"), "question.second", "true or false"),
        (("init", tmp_path / "x", "--option", "colour=red"), "'colour'", "frame"),
        (("check", tmp_path / "nowhere"), "no such file"),
        (("check", bad), "question.classes", "1 name"),
        (("status", answered, "--db", "mysql://x@localhost/y"), "sqlite:///FILE or postgresql://"),
        (("status", answered, "--db", "nonsense"), "sqlite:///FILE or postgresql://"),
        (("status", answered, "--db", "postgresql://me:hush@127.0.0.1:1/none"), "127.0.0.1:1/none"),
        (("export", answered, "-o", tmp_path / "a.xlsx"), ".parquet, .csv, .jsonl"),
        (("export", answered, "-o", tmp_path / "no" / "a.csv"), "no folder"),
        (("export", answered, "-o", tmp_path / "a.csv", "--labels", "--people"), "--labels and --people"),
        (("forget", answered, "nobody"), "unknown person 'nobody'"),
        (("links", tmp_path / "nowhere"), "no such file"),
        (("key", tmp_path / "nowhere"), "no such file"),
        (("serve", bad), "question.classes", "1 name"),
        (("rehearse", answered, "--seed", -1), "--seed -1", "0 or more"),
    ]
    for args, *facts in cases:
        done = dissensus(*args, code=2)
        assert states(done.stderr, *facts) and len(done.stderr.strip().splitlines()) == 1, args
        assert "hush" not in done.stderr + done.stdout


def test_check_and_status_say_what_is_wanted_and_what_is_there(answered):
    preview = json.loads(dissensus("check", answered, "--json").stdout)
    assert (preview["kind"], preview["units"], preview["answers_wanted"], preview["people_needed"]) == (
        "choose",
        8,
        24,
        6,
    )
    assert rows_of(dissensus("check", answered).stdout) >= {("answers wanted", "24"), ("people needed", "6")}
    text = dissensus("status", answered).stdout
    assert "1 of 24 answers (4%)" in text and "1 person" in text and ("people finished", "0") in rows_of(text)
    facts = json.loads(dissensus("status", answered, "--json").stdout)
    assert (facts["answers"], facts["wanted"], facts["people"], facts["state"]) == (1, 24, 1, "open")


def test_what_was_decided_on_the_dashboard_is_said_and_can_be_settled(answered):
    with open_survey(answered) as run:
        decisions.extend(run, 8)
        decisions.stop(run)
    day = rf"{datetime.now(UTC):%Y-%m}-\d\d \d\d:\d\d UTC"
    for verb in ("check", "status"):
        text = dissensus(verb, answered).stdout.replace("\n", " ")
        assert len(re.findall(day, text)) == 2
        assert f"dissensus elicit status {answered} --settle per_item" in text and "--settle state" in text
        facts = json.loads(dissensus(verb, answered, "--json").stdout)
        assert [(row["setting"], row["holds"], row["file"]) for row in facts["overridden"]] == [
            ("per_item", 8, 3),
            ("state", "stopped", "open"),
        ]
    wrong = dissensus("status", answered, "--settle", "classes", code=2).stderr
    assert "'classes'" in wrong and "per_item, state" in wrong
    settled = dissensus("status", answered, "--settle", "per_item").stdout
    assert "of 24 answers" in settled and "per_item" not in settled and "is stopped" in settled
    assert "is open" in dissensus("status", answered, "--settle", "state").stdout
    for verb in ("check", "status"):
        assert "Notes" not in dissensus(verb, answered).stdout
        assert json.loads(dissensus(verb, answered, "--json").stdout)["overridden"] == []
    assert json.loads(dissensus("status", answered, "--json").stdout)["wanted"] == 24


def test_a_change_of_the_file_after_one_on_the_dashboard_is_not_lost_in_silence(answered):
    """Somebody asks for 8 on the dashboard and for 10 in survey.toml a day later: 8 is used, and check reports both."""
    with open_survey(answered) as run:
        decisions.extend(run, 8)
    toml = answered / "survey.toml"
    toml.write_text(toml.read_text().replace('"per_item" = 3', '"per_item" = 10'))
    assert [(row["holds"], row["file"]) for row in overridden(answered)] == [(8, 10)]
    assert "survey.toml" in dissensus("check", answered).stdout
    toml.write_text(toml.read_text().replace('"per_item" = 10', '"per_item" = 8'))
    assert overridden(answered) == []


def test_check_looks_into_the_database_that_is_named_and_makes_none(tmp_path, answered):
    fresh = write_survey(tmp_path / "fresh")
    dissensus("check", fresh)
    assert not (fresh / "answers.db").exists()
    with open_survey(answered) as run:
        decisions.extend(run, 8)
        there = run.store.url
    assert [row["holds"] for row in overridden(fresh, "--db", there)] == [8]
    assert "127.0.0.1:1/none" in dissensus("check", fresh, "--db", "postgresql://me@127.0.0.1:1/none", code=2).stderr


def test_answers_beyond_those_that_are_wanted_are_said(answered, tmp_path):
    toml = answered / "survey.toml"
    toml.write_text(toml.read_text().replace('"per_item" = 3', '"per_item" = 1'))
    with open_survey(answered) as run:
        for number in range(2):
            me = arrive(run, {"PROLIFIC_PID": f"{number:024x}"})
            page = current_page(run, me)
            decisions.extend(run, 2)
            while page["stage"] == "trial":
                page = submit(run, me, {"page": page["page"], "answer": {"choice": "cat"}, "times": TIMES})["page"]
        decisions.restore_setting(run, "per_item")
        more = survey_status(run)["surplus"]
    assert more > 0
    assert f"{more} answer" in dissensus("status", answered).stdout
    assert f"{more} answer" in dissensus("export", answered, "-o", tmp_path / "a.csv").stderr
    assert json.loads(dissensus("status", answered, "--json").stdout)["surplus"] == more


def test_export_writes_answers_labels_and_people(answered, tmp_path):
    for ending in ("csv", "jsonl", "parquet"):
        facts = json.loads(dissensus("export", answered, "-o", tmp_path / f"a.{ending}", "--json").stdout)
        assert facts == {"answers": 1, "output": str(tmp_path / f"a.{ending}")}
        assert "1 person ->" in dissensus("export", answered, "--people", "-o", tmp_path / f"p.{ending}").stdout
    dissensus("export", answered, "--labels", "-o", tmp_path / "votes.parquet")
    assert "abcabc" not in (tmp_path / "a.jsonl").read_text() + (tmp_path / "p.jsonl").read_text()


def test_one_item_and_one_answer_are_spoken_of_in_the_singular(tmp_path):
    folder = write_survey(tmp_path / "survey", items="items.csv", protocol={"per_person": 1, "per_item": 1})
    (folder / "items.csv").write_text("item,text\nonly,Hello\n")
    text = dissensus("check", folder).stdout
    assert "1 item " in text and "1 answer " in text and "1 person." in text
    assert "0 of 1 answer " in dissensus("status", folder).stdout


def test_a_beginning_that_two_ids_share_deletes_nobody(tmp_path):
    folder = write_survey(tmp_path / "survey", people={"source": "prolific", "keep_ids": True})
    with open_survey(folder) as run:
        for name in ("5f0000001".ljust(24, "a"), "5f0000001".ljust(24, "b")):
            arrive(run, {"PROLIFIC_PID": name})
    shared = dissensus("forget", folder, "5f0000001", code=2).stderr
    assert "'5f0000001'" in shared
    dissensus("forget", folder, "5f0000001a")
    assert json.loads(dissensus("status", folder, "--json").stdout)["people"] == 1


def test_forget_finds_a_person_by_the_recruiters_id(answered):
    assert "1 person and 1 answer" in dissensus("forget", answered, "abc" * 8).stdout
    assert json.loads(dissensus("status", answered, "--json").stdout)["people"] == 0


def test_links_are_signed_by_the_survey_and_differ(tmp_path):
    folder = write_survey(tmp_path / "survey", people={"source": "links"})
    run = open_survey(folder)
    lines = dissensus("links", folder, "--count", 3, "--address", "https://lab.example/").stdout.split()
    invites = [parse_qs(urlsplit(line).query)["invite"][0] for line in lines]
    assert all(line.startswith("https://lab.example/start?invite=") for line in lines)
    assert len({unsign(run.secret, "invite", one) for one in invites} - {None}) == 3
    run.store.close()


def test_a_key_is_shown_once_and_opens(answered):
    key = dissensus("key", answered).stdout.split()[-1]
    assert is_key(answered, key) and not is_key(answered, key + "x")


def test_serve_prints_where_to_go_and_the_key_once_and_logs_nobody(answered):
    port = find_free_port()
    command = [sys.executable, "-m", "dissensus", "elicit", "serve", str(answered), "--port", str(port)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    lines = [server.stderr.readline() for _ in range(2)]
    try:
        from http.client import HTTPConnection
        from time import sleep

        for _ in range(200):
            try:
                there = HTTPConnection("127.0.0.1", port, timeout=5)
                there.request("GET", f"/start?PROLIFIC_PID={'5f' * 12}")
                place = there.getresponse().headers["location"]
                there.close()
                break
            except OSError:
                sleep(0.1)
    finally:
        os.kill(server.pid, signal.SIGINT)
        out, rest = server.communicate(timeout=30)
    assert is_key(answered, lines[0].split()[-1])
    assert f"http://127.0.0.1:{port}/start" in lines[1]
    assert place.startswith("run#token=") and "5f5f5f5f" not in out + rest and "token" not in out + rest


@pytest.mark.parametrize(("host", "port"), [("127.0.0.1", None), ("127.0.0.1", 70_000), ("203.0.113.7", 8000)])
def test_a_place_where_nobody_can_listen_is_told_before_a_key_is_made(tmp_path, host, port):
    folder = write_survey(tmp_path / "survey")
    with socket.create_server(("127.0.0.1", 0)) as other:
        wanted = other.getsockname()[1] if port is None else port
        done = dissensus("serve", folder, "--host", host, "--port", wanted, code=2)
    assert host in done.stderr and str(wanted) in done.stderr and "--port" in done.stderr
    assert "key" not in done.stderr + done.stdout


def test_links_are_for_surveys_that_are_entered_by_them(tmp_path):
    done = dissensus("links", write_survey(tmp_path / "survey"), code=2)
    assert '"open"' in done.stderr and '"links"' in done.stderr


def test_somebody_is_forgotten_by_as_much_of_their_id_as_the_dashboard_shows(answered):
    run = open_survey(answered)
    whole = answer_table(run).column("annotator")[0].as_py()
    run.store.close()
    dissensus("forget", answered, whole[:7], code=2)
    assert "1 person and 1 answer" in dissensus("forget", answered, whole[:8]).stdout
