"""The command line as a user types it: what it prints and writes, and how it fails."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from html.parser import HTMLParser

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from dissensus import Distributions, Votes
from dissensus.cli.main import app
from dissensus.files.read_labels import read
from tests.cli.commands import refused, run
from tests.facts import states

VOTES = "item,annotator,label,seconds\na,ann,cat,1\na,bo,dog,2\nb,ann,cat,3\nb,bo,cat,4\n"
TOP_TWO = "item,annotator,top1,top1_prob,top2,top2_prob,impossible\nx,1,a,70,b,20,c\nx,2,b,100,,,\ny,1,c,50,a,50,\n"


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    return path


def test_describe_gives_the_facts_other_programs_rely_on(votes):
    facts = json.loads(run("describe", votes, "--json").stdout)
    assert (facts["items"], facts["annotators"], facts["answers"]) == (2, 2, 4)
    assert facts["classes"] == ["cat", "dog"]
    assert facts["answers_per_item"] == {"min": 2, "mean": 2.0, "max": 2}
    assert facts["entropy"] == {"mean": 0.5, "sd": 0.5}  # one even split, one consensus


def test_describe_prints_what_people_ask_first(votes):
    text = run("describe", votes).stdout
    for fact in (
        r"items +2",
        r"annotators +2",
        r"per item +2\b",
        r"mean entropy +0\.500 ± 0\.500",
        r"cat +75\.0%",
    ):
        assert re.search(fact, text), fact
    assert text.splitlines()[1].startswith("Two people") and " 50% of the time" in text.splitlines()[1]
    assert re.search(r"a +1\.000  cat 50%, dog 50%", text) and "top 2" not in text


def test_guesses_go_to_stderr_so_that_json_stays_json(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("task,worker,vote\na,1,0\na,2,1\n")
    result = run("describe", path, "--json")
    assert json.loads(result.stdout)["classes"] == ["0", "1"]
    (notice,) = result.stderr.splitlines()
    assert states(notice, f"{path}:", "item = task", "annotator = worker", "label = vote", "(0, 1)")


def test_names_that_look_like_markup_are_printed_as_they_are(tmp_path):
    path = tmp_path / "[red]votes.csv"
    path.write_text("item,annotator,label\n[/b],1,[bold]\n:dog:,1,:cat:\n:dog:,2,[bold]\n")
    text = run("describe", path).stdout
    assert "[bold]" in text and ":cat:" in text and ":dog:" in text and "[red]votes.csv" in text.replace("\n", "")
    out = tmp_path / "[i].parquet"
    assert "[i].parquet" in run("aggregate", path, "-o", out).stdout.replace("\n", "")


class Elements(HTMLParser):
    """Elements that are open when the page ends, or closed without being open."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br", "hr", "img", "input", "link"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def test_describe_writes_a_well_formed_page(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text('item,annotator,label\n<script>,1,"<b>&\n"\n<script>,2,y\na,1,y\n')
    run("describe", path, "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    elements = Elements()
    elements.feed(page)
    assert not elements.open and not elements.wrong
    assert page.lower().startswith("<!doctype html>") and "<td><script>" not in page and "&lt;script&gt;" in page


def test_aggregate_writes_the_share_of_votes_as_item_classes_and_votes(votes, tmp_path):
    run("aggregate", votes, "-o", tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == [
        {"item": "a", "cat": 0.5, "dog": 0.5, "votes": 2},
        {"item": "b", "cat": 1.0, "dog": 0.0, "votes": 2},
    ]
    assert read(tmp_path / "out.parquet") == Distributions.from_counts(
        [[1, 1], [2, 0]], items=["a", "b"], classes=["cat", "dog"]
    )


def test_labels_0_and_1_stay_0_and_1(tmp_path):
    pq.write_table(pa.table({"item": [7, 7], "annotator": [1, 2], "label": [1, 0]}), tmp_path / "v.parquet")
    run("aggregate", tmp_path / "v.parquet", "-o", tmp_path / "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").column_names == ["item", "0", "1", "votes"]
    assert json.loads(run("describe", tmp_path / "out.parquet", "--json").stdout)["classes"] == ["0", "1"]


def test_aggregate_completes_beliefs_by_the_method_asked_for(tmp_path):
    path = tmp_path / "beliefs.csv"
    path.write_text(TOP_TWO)
    done = json.loads(run("aggregate", path, "-o", tmp_path / "p.parquet", "--json").stdout)
    assert done == {"method": "t2-clamp", "items": 2, "classes": ["a", "b", "c"], "output": str(tmp_path / "p.parquet")}
    clamp = read(tmp_path / "p.parquet")
    run("aggregate", path, "-o", tmp_path / "q.parquet", "--method", "top-two-only")
    assert np.allclose(clamp.probs.sum(axis=1), 1) and read(tmp_path / "q.parquet") != clamp
    line = refused("aggregate", path, "-o", tmp_path / "r.parquet", "--method", "median")
    assert states(line, "method", "'median'", "top-two-only")
    assert not (tmp_path / "r.parquet").exists()


@pytest.mark.parametrize("ending", ["parquet", "arrow", "tsv", "json", "jsonl"])
def test_convert_there_and_back_is_the_same_file(votes, tmp_path, ending):
    run("convert", votes, tmp_path / f"x.{ending}")
    run("convert", tmp_path / f"x.{ending}", tmp_path / "back.csv")
    assert read(tmp_path / "back.csv") == read(votes)


def test_convert_tells_what_the_format_does_not_keep(votes, tmp_path):
    run("convert", votes, tmp_path / "v.parquet", "--classes", "dog,cat,eel")
    assert read(tmp_path / "v.parquet").classes == ("dog", "cat", "eel")
    said = run("convert", tmp_path / "v.parquet", tmp_path / "w.csv").stderr
    assert states(said, f"{tmp_path / 'w.csv'}:", "order of classes", "--classes dog,cat,eel")


def test_convert_writes_the_exports_and_layouts_of_other_tools(votes, tmp_path):
    run("convert", votes, tmp_path / "ls.json", "--to", "label-studio")
    assert [task["id"] for task in json.loads((tmp_path / "ls.json").read_text())] == ["a", "b"]
    run("convert", votes, tmp_path / "ck.csv", "--to-layout", "crowd-kit")
    assert (tmp_path / "ck.csv").read_text().splitlines()[0].replace('"', "") == "task,worker,label,seconds"
    said = run("convert", votes, tmp_path / "cl.csv", "--to-layout", "annotators").stderr
    assert (tmp_path / "cl.csv").read_text().splitlines()[0].replace('"', "") == "item,ann,bo"
    assert states(said, "cl.csv:", "times", "--layout annotators")
    assert "items=" not in said and "annotators=" not in said


def test_items_cannot_be_listed_on_the_command_line_so_no_advice_says_so(votes, tmp_path):
    run("convert", votes, tmp_path / "v.parquet")
    run("aggregate", tmp_path / "v.parquet", "-o", tmp_path / "n.npy")
    said = run("convert", tmp_path / "n.npy", tmp_path / "m.npy", "--classes", "cat,dog").stderr
    assert "--classes ..." in said and "--items" not in said and "items=" not in said


def test_a_delimiter_that_does_not_fit_is_answered_with_one_that_does(votes):
    assert refused("describe", votes, "--delimiter", ";").endswith("--delimiter ,")
    run("describe", votes, "--delimiter", ",")


def test_advice_for_votes_without_annotators_is_an_option(tmp_path):
    (tmp_path / "v.csv").write_text("item,who,label\na,ann,x\na,bo,y\n")
    assert "--annotator" in refused("annotators", tmp_path / "v.csv", "--annotator", "")
    run("annotators", tmp_path / "v.csv", "--annotator", "who")


def test_beliefs_without_columns_of_stated_probabilities_are_refused_before_their_classes(tmp_path):
    path = tmp_path / "b.csv"
    path.write_text("item,annotator,cat,dog\na,ann,0.2,0.8\n")
    assert "stated.cat" in refused("describe", path, "--layout", "beliefs", "--classes", "cat,dog")
    path.write_text("item,annotator,stated.cat,stated.dog\na,ann,0.2,0.8\n")
    run("describe", path, "--layout", "beliefs", "--classes", "cat,dog")


def test_counting_another_format_than_parquet_names_the_way_out(votes, tmp_path):
    assert states(refused("count", votes, "-o", tmp_path / "c.npy"), f"{votes}:", "Parquet first")
    run("convert", votes, tmp_path / "v.parquet")
    run("count", tmp_path / "v.parquet", "-o", tmp_path / "c.npy")


def test_count_streams_what_aggregate_shares(votes, tmp_path):
    run("convert", votes, tmp_path / "v.parquet")
    run("count", tmp_path / "v.parquet", "-o", tmp_path / "counts.npy")
    assert np.load(tmp_path / "counts.npy").tolist() == [[1, 1], [2, 0]]
    unlabelled = parquet(tmp_path, {"item": [1]})
    assert states(refused("count", unlabelled, "-o", tmp_path / "no.npy"), f"{unlabelled}:", "no column", "label")


def test_count_refuses_lists_and_takes_classes_nobody_chose(tmp_path):
    lists = parquet(tmp_path, {"item": [1], "label": [[0, 1]]})
    assert states(refused("count", lists, "-o", tmp_path / "no.npy"), f"{lists}:", "'label'", "list")
    votes = parquet(tmp_path, {"item": [1, 1], "label": ["b", "a, b"]})
    done = run("count", votes, "-o", tmp_path / "n.npy", "--classes", '"a, b",b,c', "--json")
    assert json.loads(done.stdout) == {
        "votes": 2,
        "items": 1,
        "classes": ["a, b", "b", "c"],
        "output": str(tmp_path / "n.npy"),
    }
    assert np.load(tmp_path / "n.npy").tolist() == [[1, 1, 0]]


def test_a_matrix_holds_counts_of_votes_and_probabilities_of_beliefs_and_says_which(votes, tmp_path):
    (tmp_path / "beliefs.csv").write_text(TOP_TWO)
    said = run("aggregate", tmp_path / "beliefs.csv", "-o", tmp_path / "p.npy").stderr
    assert states(said, "p.npy:", "probabilities") and np.allclose(np.load(tmp_path / "p.npy").sum(axis=1), 1)
    assert states(run("aggregate", votes, "-o", tmp_path / "n.npy").stderr, "n.npy:", "counts")
    assert np.load(tmp_path / "n.npy").tolist() == [[1, 1], [2, 0]]


def test_options_that_would_do_nothing_are_refused(votes, tmp_path):
    for options in (["--label", "x"], ["--classes", "a,b"], ["--repeats", "first"], ["--where", "a=1"]):
        line = refused("describe", "anesthesia", *options)
        command = "`dissensus convert anesthesia anesthesia.parquet`"
        assert states(line, "anesthesia", "data set", options[0], "no effect", command)
    run("describe", "anesthesia", "--missing", "error")  # its default
    run("aggregate", votes, "-o", tmp_path / "d.parquet")
    line = refused("aggregate", tmp_path / "d.parquet", "-o", tmp_path / "e.parquet", "--gamma", "0.3")
    assert states(line, "gamma", "no effect")


def test_convert_says_what_it_did_as_json(votes, tmp_path):
    done = json.loads(run("convert", votes, tmp_path / "v.parquet", "--json").stdout)
    assert done == {"kind": "votes", "items": 2, "classes": ["cat", "dog"], "output": str(tmp_path / "v.parquet")}


def test_a_link_stays_a_link(votes, tmp_path):
    (tmp_path / "old.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "old.csv")
    run("convert", votes, tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink() and read(tmp_path / "old.csv") == read(votes)


def test_every_method_is_in_the_help():
    from dissensus.aggregate.aggregations import AGGREGATIONS

    words = run("aggregate", "--help").stdout.replace("│", " ").split()
    assert all(any(name in word for word in words) for name in AGGREGATIONS)


def parquet(folder, columns):
    pq.write_table(pa.table(columns), folder / "other.parquet")
    return folder / "other.parquet"


BAD = [
    (["gone.csv"], ["gone.csv:", "no such file", "no data set"]),
    (["gone"], ["gone:", "no such file", "no data set", "`dissensus data list`"]),
    (["x" * 5000], ["x" * 5000, "too long"]),
    (["votes.csv", "--label", "gold"], ["votes.csv:", "label column", "'gold'", "item, annotator, label, seconds"]),
    (["votes.csv", "--classes", "cat"], ["votes.csv:", "row 2", "'a'", "'bo'", "'dog'", "['cat']", "1 of 4 rows"]),
    (["votes.csv", "--layout", "tower"], ["votes.csv:", "layout 'tower'", "votes, beliefs"]),
    (["votes.csv", "--repeats", "some"], ["votes.csv:", "repeats 'some'", "error, keep, first, last"]),
    (["votes.csv", "--where", "label"], ["--where label:", "COLUMN=VALUE"]),
    (["votes.csv", "--where", "label=eel"], ["votes.csv:", "'eel'", "column 'label'", "['cat', 'dog']"]),
    (["votes.csv", "--where", "label=cat", "--where", "label=dog"], ["--where label=cat and label=dog:", "no row"]),
    (["votes.csv", "--classes", ""], ["--classes", "empty"]),
    (["votes.csv", "--classes", '"cat'], ['--classes "cat:', "CSV"]),
    (["votes.csv", "--encoding", "klingon"], ["votes.csv:", "unknown", "'klingon'", "--encoding", "utf-8"]),
    (["votes.csv", "--encoding", "rot13"], ["votes.csv:", "not an encoding", "'rot13'", "--encoding", "utf-8"]),
    (["votes.csv", "--encoding", "base64"], ["votes.csv:", "not an encoding", "'base64'", "--encoding", "utf-8"]),
    (["votes.csv", "--format", "parquet"], ["votes.csv:", "not a readable", "Parquet"]),
    (["votes.csv", "--scale", "0"], ["votes.csv:", "--scale 0.0:", "above 0"]),
    (["empty.csv"], ["empty.csv:", "empty"]),
    (["lines.csv"], ["lines.csv:", "row 1", "1 columns", 2, repr('"two\nlines"')]),
    (["."], [".:", "folder, not a file"]),
]


@pytest.mark.parametrize("verb", ["describe", "aggregate", "convert"])
@pytest.mark.parametrize(("words", "facts"), BAD, ids=[" ".join(words)[:30] for words, _ in BAD])
def test_bad_input_is_one_line_and_exit_code_2_and_no_file(votes, tmp_path, monkeypatch, verb, words, facts):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.csv").touch()
    (tmp_path / "lines.csv").write_text('item,label\n"two\nlines"\n')
    before = sorted(tmp_path.iterdir())
    target = {"describe": ["--html", "out.html"], "aggregate": ["-o", "out.parquet"], "convert": ["out.parquet"]}[verb]
    file, *options = words
    assert states(refused(verb, file, *target, *options), *facts)
    assert sorted(tmp_path.iterdir()) == before


def test_bad_output_leaves_the_old_file_and_nothing_else(votes, tmp_path):
    old = tmp_path / "out.npy"
    old.write_bytes(b"old")
    nowhere = tmp_path / "no"
    assert states(refused("convert", votes, old), f"{old}:", "per item", "per answer", ".parquet or .csv")
    line = refused("aggregate", votes, "-o", nowhere / "out.parquet")
    assert states(line, nowhere / "out.parquet", f"no folder {nowhere}")
    line = refused("aggregate", votes, "-o", tmp_path / "out.xlsx")
    assert states(line, f"{tmp_path / 'out.xlsx'}:", "'.xlsx'", ".parquet")
    assert states(refused("convert", votes, "/dev/null", "--to", "csv"), "/dev/null:", "regular file")
    line = refused("describe", votes, "--html", nowhere / "page.html")
    assert states(line, nowhere / "page.html", f"no folder {nowhere}")
    assert old.read_bytes() == b"old" and sorted(p.name for p in tmp_path.iterdir()) == ["out.npy", "votes.csv"]


def command(*words, **options):
    return subprocess.Popen([sys.executable, "-m", "dissensus", *map(str, words)], stderr=subprocess.PIPE, **options)


def test_the_command_itself_exits_with_2_and_no_traceback(tmp_path):
    path = tmp_path / "v.csv"
    path.write_bytes(b"item,label\na,x\n\xfc\n")  # a ragged row that is not UTF-8 either
    process = command("describe", path)
    said = process.communicate()[1].decode()
    assert process.returncode == 2 and len(said.splitlines()) == 1 and states(said, f"{path}:", "line 3", "utf-8")


def test_a_terminal_that_knows_ascii_only_gets_the_figures(votes):
    process = command("describe", votes, stdout=subprocess.PIPE, env=os.environ | {"PYTHONIOENCODING": "ascii"})
    printed, said = process.communicate()
    assert process.returncode == 0 and b"0.500 ? 0.500" in printed and not said


def test_killed_while_writing_the_target_is_old_or_new_and_whole(tmp_path):
    source, target = tmp_path / "votes.parquet", tmp_path / "out.csv"
    m = 400_000
    codes = np.arange(m)
    big = Votes.of(codes // 4, (codes % 3).astype(str), codes % 4)
    pq.write_table(pa.table({"item": codes // 4, "annotator": codes % 4, "label": codes % 3}), source)
    target.write_text("old\n")
    interrupted = 0
    for _ in range(2):
        process = command("convert", source, target)
        while not (parts := list(tmp_path.glob(".out.csv.*.part"))) and process.poll() is None:
            time.sleep(0.001)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        interrupted += process.returncode == -signal.SIGKILL
        assert target.read_text() == "old\n" or read(target, say=lambda _: None) == big
        for part in parts:
            part.unlink(missing_ok=True)
    assert interrupted


# name, items, annotators, answers, fewest, mean, most, mean and sd of normalised entropy: overview of the data README.
OVERVIEW = [
    ("cifar10h", 10_000, None, 511_000, 47, 51.10, 63, 0.067, 0.102),
    ("cifar10h-annotators", 10_000, 2_551, 497_246, 47, 49.72, 50, 0.067, 0.102),
    ("cifar10h-annotators-all", 10_000, 2_567, 500_000, 50, 50, 50, 0.073, 0.103),
    ("cifar10s", 1_000, 248, 6_723, 6, 6.72, 11, 0.301, 0.186),
    ("cifar10n", 50_000, None, 150_000, 3, 3, 3, 0.122, 0.157),
    ("chaosnli-snli", 1_514, None, 151_400, 100, 100, 100, 0.503, 0.210),
    ("chaosnli-mnli", 1_599, None, 159_900, 100, 100, 100, 0.676, 0.169),
    ("chaosnli-snli-original", 1_514, None, 7_563, 4, 5.00, 5, 0.663, 0.102),
    ("chaosnli-mnli-original", 1_599, None, 7_995, 5, 5, 5, 0.659, 0.098),
    ("popquorn", 1_500, 262, 13_036, 5, 8.69, 10, 0.522, 0.277),
    ("hs-brexit", 1_120, 6, 6_720, 6, 6, 6, 0.259, 0.397),
    ("convabuse", 4_050, 8, 12_168, 2, 3.00, 8, 0.123, 0.202),
    ("par", 450, 4, 1_800, 4, 4, 4, 0.386, 0.157),
    ("csc", 704, 850, 3_186, 4, 4.53, 6, 0.498, 0.210),
    ("crowd-bluebird", 108, 39, 4_212, 39, 39, 39, 0.847, 0.139),
    ("crowd-anesthesia", 45, 5, 315, 7, 7, 7, 0.268, 0.224),
    ("crowd-labelme", 1_000, 59, 2_547, 1, 2.55, 3, 0.112, 0.161),
]
FILES = [
    ("cifar10h", "cifar10h/counts.npy", []),
    ("cifar10h-annotators", "cifar10h/annotator_votes.parquet", ["--where", "in_counts=True"]),
    ("cifar10h-annotators-all", "cifar10h/annotator_votes.parquet", []),
    ("cifar10s", "cifar10s/elicitations.parquet", ["--repeats", "keep"]),
    (
        "chaosnli-snli",
        "chaosnli/nli.parquet",
        ["--where", "subset=snli", "--classes", "n_entailment,n_neutral,n_contradiction"],
    ),
    ("popquorn", "popquorn/offensiveness.parquet", []),
    ("hs-brexit", "lewidi/hs_brexit.parquet", []),
    ("convabuse", "lewidi/convabuse.parquet", []),
    ("par", "lewidi/par.parquet", ["--missing", "drop"]),
    ("csc", "lewidi/csc.parquet", ["--missing", "drop"]),
    ("crowd-anesthesia", "crowd/crowd.parquet", ["--where", "dataset=anesthesia", "--repeats", "keep"]),
]


def figures(facts):
    per_item, entropy = facts["answers_per_item"], facts["entropy"]
    return (
        facts["items"],
        facts["annotators"],
        facts["answers"],
        per_item["min"],
        round(per_item["mean"], 2),
        per_item["max"],
        round(entropy["mean"], 3),
        round(entropy["sd"], 3),
    )


@pytest.mark.parametrize("row", OVERVIEW, ids=lambda row: row[0])
def test_describe_reproduces_the_overview_of_the_public_sets(row, data_folder):
    facts = json.loads(run("describe", row[0], "--json").stdout)
    assert figures(facts) == row[1:]
    if row[0] == "cifar10s":  # the other two figures of its row
        first, within = facts["entropy_of_first_choices"], facts["entropy_within_answers"]
        assert [round(v, 3) for v in (*first.values(), *within.values())] == [0.130, 0.157, 0.187, 0.200]


@pytest.mark.parametrize(("name", "file", "options"), FILES, ids=lambda value: value if isinstance(value, str) else "")
def test_describe_reads_the_same_figures_from_the_plain_files(name, file, options, data_folder):
    facts = json.loads(run("describe", data_folder / file, "--json", *options).stdout)
    expected = next(row for row in OVERVIEW if row[0] == name)
    assert figures(facts) == expected[1:]


def test_the_page_of_describe_shows_the_alphas_that_the_terminal_shows(tmp_path):
    described = CliRunner().invoke(app, ["describe", "anesthesia", "--html", str(tmp_path / "page.html")])
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    facts = json.loads(CliRunner().invoke(app, ["describe", "anesthesia", "--json"]).stdout)["alpha"]
    shown = re.findall(r"<dt>Krippendorff&#x27;s alpha, (\w+)</dt><dd>(\S+) <small>(\S+) to (\S+)</small></dd>", page)
    assert [level for level, *_ in shown] == ["nominal", "ordinal"] and facts is not None
    for level, *numbers in shown:
        assert re.search(rf"alpha, {level} +{numbers[0]} \[{numbers[1]}, {numbers[2]}\]", described.stdout)
    (region,) = re.findall(r'<div [^>]*aria-label="Annotators"[^>]*>', page)
    assert 'role="region"' in region and 'tabindex="0"' in region


@pytest.mark.parametrize(
    "words",
    [
        ("aggregate", "votes.csv", "-o", "votes.csv"),
        ("aggregate", "votes.csv", "--labels", "./votes.csv"),
        ("convert", "votes.csv", "votes.csv"),
        ("describe", "votes.csv", "--html", "votes.csv"),
        ("review", "votes.csv", "--votes", "votes.csv"),
        ("count", "votes.csv", "-o", "votes.csv"),
        ("embed", "votes.csv", "-o", "votes.csv"),
    ],
)
def test_a_file_that_is_read_is_not_replaced(votes, words, monkeypatch):
    monkeypatch.chdir(votes.parent)
    assert states(refused(*words), words[-1].removeprefix("./"), "replace", "another name")
    assert votes.read_text() == VOTES


def test_two_results_do_not_go_to_one_file(votes, tmp_path):
    line = refused("aggregate", votes, "--labels", tmp_path / "y.csv", "-o", tmp_path / "y.csv")
    assert states(line, f"{tmp_path / 'y.csv'}:", "two results") and not (tmp_path / "y.csv").exists()


def test_a_matrix_without_names_comes_with_the_order_of_its_rows(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("item,annotator,label\n25,a,x\n8,a,y\n100,a,x\n")
    said = run("aggregate", path, "-o", tmp_path / "p.npy").stderr
    assert states(said, "p.npy:", "(8, 25, 100)")


def test_rows_chosen_by_a_value_are_counted_and_1_is_1_0(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("item,annotator,label,n\n1,a,x,1\n2,a,y,1.0\n3,a,x,2\n")
    result = run("describe", path, "--where", "n=1", "--json")
    assert json.loads(result.stdout)["items"] == 2
    assert states(result.stderr, "2 of 3 rows", "'1'", "column 'n'")
