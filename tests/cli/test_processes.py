"""The command as a process: what is piped is not broken by the width of a terminal, and every end is a quiet one."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dissensus import read, share, write
from dissensus.cli.main import EXIT_CODES, app
from dissensus.labels import smooth
from tests.facts import states

COMMAND = [sys.executable, "-m", "dissensus"]


def start(*words: object, **streams: object) -> subprocess.Popen[str]:
    return subprocess.Popen([*COMMAND, *map(str, words)], text=True, **streams)  # type: ignore[call-overload]


def ended(words: list[object], **streams: object) -> tuple[int, str, str]:
    done = subprocess.run([*COMMAND, *map(str, words)], capture_output=True, text=True, check=False, **streams)  # type: ignore[call-overload]
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Votes over classes with long names, and two models with long names."""
    at = tmp_path_factory.mktemp("process")
    rng = np.random.default_rng(0)
    classes = [f"a rather long name of a class, number {k}" for k in range(12)]
    rows = "".join(f'photo {i},reader {who},"{classes[rng.integers(12)]}"\n' for i in range(60) for who in range(4))
    (at / "votes.csv").write_text("item,annotator,label\n" + rows)
    model = smooth(share(read(at / "votes.csv", say=lambda notice: None)), 0.2)
    write(model, at / "a model with a name that is longer than most names of models are.npz")
    write(smooth(model, 0.5), at / "other.npz")
    np.save(at / "model.npy", model.probs)
    return at


VERBS = {
    "describe": ["describe", "votes.csv"],
    "annotators": ["annotators", "votes.csv"],
    "aggregate": ["aggregate", "votes.csv", "-o", "a file with a long name, to which distributions are written.npz"],
    "convert": ["convert", "votes.csv", "a file with a long name, to which the same votes are written.parquet"],
    "evaluate": ["evaluate", "other.npz", "votes.csv", "--replicates", "10", "--no-ceiling"],
    "compare": [
        "evaluate",
        "a model with a name that is longer than most names of models are.npz",
        "votes.csv",
        "--replicates",
        "10",
        "--no-ceiling",
        "--compare",
        "another name that is a good deal longer=other.npz",
    ],
    "plan": ["plan", "--items", "80", "--classes", "20", "--cost-ratio", "10"],
    "data list": ["data", "list"],
    "data check": ["data", "check", "anesthesia"],
    "data show": ["data", "show", "cifar10h"],
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_piped_result_is_the_same_whatever_the_width_of_the_terminal(folder, verb, monkeypatch):
    monkeypatch.chdir(folder)
    shown = {}
    for columns in (30, 80, 500):
        result = CliRunner().invoke(app, VERBS[verb], env={"COLUMNS": str(columns)})
        assert result.exit_code == 0, result.output
        shown[columns] = result.stdout
    assert shown[30] == shown[80] == shown[500] and "…\n" not in shown[30]


def test_no_name_is_cut_or_broken_in_a_pipe(folder, monkeypatch):
    monkeypatch.chdir(folder)
    described = CliRunner().invoke(app, VERBS["describe"]).stdout
    classes = read(folder / "votes.csv", say=lambda notice: None).classes
    assert set(classes) <= {line.rsplit(maxsplit=1)[0].rstrip() for line in described.splitlines() if line.strip()}
    compared = CliRunner().invoke(app, VERBS["compare"]).stdout.splitlines()
    name = "a model with a name that is longer than most names of models are"
    assert any(line.startswith(name) for line in compared)
    assert any(line.endswith(f" {name}") for line in compared)
    assert VERBS["compare"][-1].partition("=")[0] in compared


def test_the_terminal_behind_standard_input_and_error_does_not_matter(folder):
    """Only standard output is piped; the others are a terminal of 30 columns."""
    terminal, other_side = pty.openpty()
    fcntl.ioctl(other_side, termios.TIOCSWINSZ, struct.pack("HHHH", 20, 30, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with os.fdopen(terminal, "rb"):
        process = start(
            "describe",
            folder / "votes.csv",
            stdin=other_side,
            stderr=other_side,
            env=environment,
            stdout=subprocess.PIPE,
        )
        os.close(other_side)
        text = process.communicate()[0]
    assert process.returncode == 0
    assert text == CliRunner().invoke(app, ["describe", str(folder / "votes.csv")]).stdout


@pytest.mark.parametrize(
    "words",
    [
        ["describe", "anesthesia"],
        ["describe", "anesthesia", "--json"],
        ["data", "list"],
        ["data", "show", "cifar10h"],
        ["--help"],
        ["describe", "--help"],
        ["--version"],
    ],
)
def test_a_reader_who_stops_reading_ends_the_command_quietly(words):
    """As `dissensus … | head -0`: the pipe is closed before anything is printed."""
    reader, writer = os.pipe()
    os.close(reader)
    process = start(*words, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    said = process.communicate()[1]
    assert process.returncode == 141 and "roken" not in said and "Traceback" not in said


def test_where_nobody_reads_errors_the_exit_code_still_tells(folder):
    """As `dissensus describe gone.csv 2>&1 | head -0`, and as a result whose notices nobody reads."""
    notices = ["evaluate", "model.npy", "votes.csv", "--replicates", 5, "--no-ceiling"]
    for words, code in ((["describe", "gone.csv"], 2), (notices, 0)):
        reader, writer = os.pipe()
        os.close(reader)
        process = start(*words, stdout=subprocess.PIPE, stderr=writer, cwd=folder)
        os.close(writer)
        shown = process.communicate()[0]
        assert process.returncode == code and bool(shown) == (code == 0)


@pytest.mark.parametrize("closed", ["2>&-", ">&-", ">&- 2>&-", "<&-", "<&- >&- 2>&-", "2>/dev/full"])
def test_a_verb_does_its_work_where_streams_are_closed_or_full(folder, tmp_path, closed):
    command = f'"$@" {closed}'
    words = ["aggregate", str(folder / "votes.csv"), "-o", str(tmp_path / "made.npz"), "--label", "label"]
    done = subprocess.run(["sh", "-c", command, "sh", *COMMAND, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and read(tmp_path / "made.npz").n_items == 60
    for wrong in (["describe", "gone.csv"], ["describe", "--nonsense"]):
        done = subprocess.run(
            ["sh", "-c", command, "sh", *COMMAND, *wrong], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2 and "Traceback" not in done.stderr, wrong


def test_a_closed_standard_input_is_an_error_in_one_line():
    done = subprocess.run(
        ["sh", "-c", '"$@" <&-', "sh", *COMMAND, "describe", "-"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and done.stdout == ""
    assert states(done.stderr, "error: standard input", "closed") and done.stderr.count("\n") == 1


def test_a_result_or_a_help_that_cannot_be_written_is_an_error():
    for words in (["describe", "anesthesia"], ["--help"]):
        done = subprocess.run(
            ["sh", "-c", '"$@" >/dev/full', "sh", *COMMAND, *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and "No space left" in done.stderr, words


def test_an_interrupt_while_scoring_is_one_line_and_exit_code_130(folder):
    words = ["evaluate", "model.npy", "votes.csv", "--replicates", 3_000_000, "--html", "page.html"]
    process = start(*words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr is not None
    first = process.stderr.readline()  # how the array was taken: from here on the work is under way
    process.send_signal(signal.SIGINT)
    shown, said = process.communicate()
    assert "model.npy" in first and shown == ""
    assert said.splitlines()[-1] == "interrupted" and "Traceback" not in said
    assert process.returncode == 130 and not (folder / "page.html").exists()


def test_an_interrupt_within_code_that_a_library_makes_ends_with_130_too(tmp_path):
    """Python itself would be killed by the signal in the end: here typer is interrupted in an exec while it loads."""
    (tmp_path / "typer.py").write_text('exec("raise KeyboardInterrupt")\n')
    search = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    code, shown, said = ended(["describe", "anesthesia"], env={**os.environ, "PYTHONPATH": search})
    assert (code, shown, said) == (130, "", "interrupted\n")


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_an_interrupt_leaves_what_was_written_whole_or_absent(tmp_path, ending, monkeypatch):
    """At whatever moment it comes: here ever later after the file was read."""
    np.save(tmp_path / "counts.npy", np.random.default_rng(0).integers(0, 9, (60_000, 6)) + 1)
    words = ["aggregate", "counts.npy", "--method", "majority", "-o", f"made.{ending}"]
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(app, words).exit_code == 0
    whole = (tmp_path / f"made.{ending}").read_bytes()
    for moment in (0.0, 0.1, 0.3):
        (tmp_path / f"made.{ending}").unlink(missing_ok=True)
        process = start(*words, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stderr is not None and process.stderr.readline()
        time.sleep(moment)
        process.send_signal(signal.SIGINT)
        said = process.communicate()[1]
        assert process.returncode in (0, 130) and "Traceback" not in said
        left = sorted(path.name for path in tmp_path.iterdir())
        assert left in (["counts.npy"], ["counts.npy", f"made.{ending}"])
        assert process.returncode != 0 or len(left) == 2
        if len(left) == 2 and ending != "npz":  # an archive holds the time at which it was made
            assert (tmp_path / f"made.{ending}").read_bytes() == whole
        elif len(left) == 2:
            assert np.load(tmp_path / f"made.{ending}")["probs"].shape == (60_000, 6)


def test_a_survey_that_is_served_ends_with_an_interrupt(tmp_path):
    """Ctrl-C is how a server is stopped, so it is no failure."""
    assert CliRunner().invoke(app, ["elicit", "init", str(tmp_path / "survey"), "--title", "Try"]).exit_code == 0
    from dissensus.elicit.server import find_free_port

    process = start(
        "elicit",
        "serve",
        "survey",
        "--port",
        find_free_port(),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    lines = iter(process.stderr.readline, "")
    assert any(line.startswith("dashboard: ") for line in lines)
    process.send_signal(signal.SIGINT)
    said = process.communicate()[1]
    assert process.returncode == 0 and "Traceback" not in said


LOST = """
import os, signal, weakref
from dissensus.elicit.server import exit_on_interrupt
class Thing: pass
def gone(reference):
    os.kill(os.getpid(), signal.SIGINT)
    for _ in range(1000): pass
with exit_on_interrupt():
    thing = Thing()
    reference = weakref.ref(thing, gone)
    del thing
    print("went on")
"""


def test_an_interrupt_ends_a_server_that_begins_also_where_python_would_lose_it():
    """In the callback of a weak reference an exception is printed and forgotten."""
    done = subprocess.run([sys.executable, "-c", LOST], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_exit_codes_are_in_the_help_and_on_the_page():
    shown = " ".join(CliRunner().invoke(app, ["--help"]).stdout.split())
    assert EXIT_CODES in shown
    page = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
    for code in (0, 1, 2, 130, 141):
        assert f"{code} " in EXIT_CODES and f"| {code} | " in page
