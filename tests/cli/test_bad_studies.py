"""An invalid study is refused before anything runs: with the key, its line, the expected value, and no traceback."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dissensus.files import write
from dissensus.files.toml import parse_toml
from dissensus.labels import Distributions
from dissensus.study.checks import tasks_of
from dissensus.study.grid import cells_of
from dissensus.study.read_data import load_data
from dissensus.study.read_spec import read_study, study_of
from tests.cli.study_files import changed, dissensus, make_study
from tests.facts import refuses, states

WRONG = {
    "unknown key": (
        ("votes = ", "vote = "),
        10,
        ["labels:", "key 'vote'", "'votes'", "votes, completion, aggregation, transforms"],
    ),
    "unknown top key": (
        ("seeds = 2", "seedz = 2"),
        2,
        ["key 'seedz'", "'seeds'", "name, question"],
    ),
    "misspelt delivery": (
        ('"soft",', '"sofft",'),
        3,
        ["delivery:", "'sofft'", "'soft'", "soft, majority"],
    ),
    "misspelt wrapper": (
        ('"soft",', '"soft | smooth=1",'),
        3,
        ["delivery:", "wrapper 'smooth'", "'smoothed'"],
    ),
    "number of a wrapper": (
        ('"soft",', '"soft | smoothed=3",'),
        3,
        ["delivery:", "smoothing", "3.0"],
    ),
    "misspelt metric": (
        ('"soft_nll"', '"soft_nil"'),
        21,
        ["evaluate.metrics:", "'soft_nil'", "'soft_nll'"],
    ),
    "misspelt head": (
        ('"mlp"', '"mpl"'),
        13,
        ["model.head:", "'mpl'", "'mlp'", "mlp, linear, logistic"],
    ),
    "setting": (("epochs = 3", "epochs = 0"), 14, ["model.epochs is 0", "1 or more"]),
    "setting of another model": (
        ("hidden = 8", "width = 8"),
        15,
        ["model:", "key 'width'", "hidden"],
    ),
    "head and network": (("epochs = 3", 'network = "small"'), 12, ["model:", "either", "head", "mlp", "network"]),
    "network without images": (
        ('head = "mlp"\nepochs = 3\nhidden = 8', 'network = "small"'),
        5,
        ["data.world", "no images", "small", "images = …"],
    ),
    "no such data set": (("{folder}/votes.csv", "digit"), 6, ["data.world.labels:", "digit:", "no such file"]),
    "no such file": (("/votes.csv", "/vote.csv"), 6, ["data.world.labels:", "{folder}/vote.csv:", "no such file"]),
    "no such features": (("/x.npy", "/y.npy"), 7, ["{folder}/y.npy:", "no such file"]),
    "empty grid": (('"all"', "[]"), 10, ["labels.votes", "empty list", "no cells"]),
    "empty list of a setting": (("hidden = 8", "hidden = []"), 15, ["model.hidden", "empty list"]),
    "cells twice": (('"soft",', '"soft", "soft",'), 3, ["delivery", "'soft' twice"]),
    "cells twice by spelling": (
        ('"soft",', '"soft", "soft|tempered=2", "soft | tempered=2.0",'),
        3,
        ["delivery", "'soft | tempered=2' twice"],
    ),
    "setting twice": (("hidden = 8", "hidden = [8, 8]"), 15, ["model.hidden", "8 twice"]),
    "model twice": (
        ('[model]\nhead = "mlp"\n', '[[model]]\nhead = "mlp"\nepochs = 3\nhidden = 8\n[[model]]\nhead = "mlp"\n'),
        16,
        ["model.2", "mlp", "twice"],
    ),
    "data twice": (
        ("[labels]", '[data.again]\nlabels = "{folder}/votes.csv"\nfeatures = "{folder}/x.npy"\n[labels]'),
        9,
        ["data.again", "same content", "world"],
    ),
    "seeds twice": (("seeds = 2", "seeds = [1, 0, 1]"), 2, ["seeds", "1 twice"]),
    "no seeds": (
        ("seeds = 2", "seeds = 0"),
        2,
        ["seeds is 0", "1 or more", "[0, 1, 2]"],
    ),
    "slices": (
        ('["disagreement"]', '["colour"]'),
        22,
        ["evaluate.slices:", "world", "no column 'colour'", "disagreement, entropy, majority, gold"],
    ),
    "baseline": (
        ('{delivery = "soft"}', '{delivery = "sls"}'),
        25,
        ["compare.baseline:", "no arm", "{'delivery': 'sls'}", "delivery: soft, majority"],
    ),
    "key of the baseline": (
        ('{delivery = "soft"}', '{delivry = "soft"}'),
        25,
        ["compare.baseline:", "key 'delivry'", "'delivery'"],
    ),
    "too few answers": (
        ('"all"', "7"),
        9,
        ["labels:", "world, 7 votes per item:", "item i0", "6 answers"],
    ),
    "completion of votes": (('"all"', '"all"\ncompletion = "t2-clamp"'), 9, ["completion t2-clamp", "beliefs"]),
    "passes without answers": (('"soft", "majority"]', '"soft", "multipass"]\n'), 3, ["multipass"]),
    "changing target": (
        ('head = "mlp"\nepochs = 3\nhidden = 8', 'head = "logistic"\n'),
        3,
        ["sls", "epoch", "logistic head", "one target"],
    ),
    "scheme": (
        ('"per-seed"', '"perseed"'),
        18,
        ["split.scheme:", "'perseed'", "'per-seed'"],
    ),
    "share": (('"per-seed"', '"per-seed"\ntest = 1.5'), 19, ["split.test is 1.5", "above 0", "below 1"]),
    "file of parts": (
        ('"per-seed"', '"file"\nfile = "{folder}/parts.csv"'),
        17,
        ["{folder}/parts.csv:", "no such file", "table"],
    ),
    "probes of heads": (
        ("[compare]", 'probes = ["attacks"]\n[compare]'),
        24,
        ["probes", "networks", "mlp is a head"],
    ),
    "TOML": (
        ("[labels]", "[labels"),
        None,
        ["TOML", "']'"],
    ),
    "skip": (
        ("[compare]", '[[skip]]\ndelivery = "sls"\n[compare]'),
        24,
        ["skip.1 is {'delivery': 'sls'}", "matches"],
    ),
    "skip everything": (
        ("[compare]", '[[skip]]\ndata = "world"\n[compare]'),
        24,
        ["skip.1", "no cell"],
    ),
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return make_study(tmp_path_factory.mktemp("bad"))


@pytest.mark.parametrize("what", WRONG)
def test_it_is_refused_before_anything_runs(file, tmp_path, what):
    (old, new), line, facts = WRONG[what]
    old, new = (text.replace("{folder}", str(file.parent)) for text in (old, new))
    pairs = [(old, new)]
    if what == "passes without answers":
        pairs.append(('votes = "all"', 'aggregation = "dirichlet"'))
    if what == "changing target":
        pairs.append(('"majority"]', '"sls"]'))
    study = changed(file, *pairs)
    done = dissensus("study", "run", study, "-o", tmp_path / "out")
    assert (done.exit_code, done.stdout) == (2, "")
    where = f"error: {study}: " if line is None else f"error: {study}, line {line}: "
    assert done.stderr.startswith(where)
    assert states(done.stderr, *(fact.replace("{folder}", str(file.parent)) for fact in facts))
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()
    assert dissensus("study", "check", study, "--no-timing").stderr == done.stderr


def test_probabilities_have_no_answers_to_deliver_or_to_draw(file, tmp_path):
    """Neither multipass nor drawing some of the answers is possible with probabilities."""
    probs = np.random.default_rng(0).dirichlet([1, 1, 1], size=120)
    names = [f"i{place}" for place in range(120)]
    write(Distributions(probs, names, ("cat", "dog", "fox")), tmp_path / "shares.csv", say=lambda notice: None)
    own = (f"{file.parent}/votes.csv", f"{tmp_path}/shares.csv")
    for pair, line, facts in (
        (('"majority"', '"multipass"'), 3, ["delivery:", "world, all answers, multipass:", "no number of votes"]),
        (('"all"', "3"), 9, ["labels:", "world, 3 votes per item"]),
    ):
        study = changed(file, own, pair)
        done = dissensus("study", "check", study, "--no-timing")
        assert done.exit_code == 2 and states(done.stderr, f"error: {study}, line {line}:", *facts)


def test_a_folder_whose_name_is_that_of_another_cell_is_refused(file, tmp_path):
    """A collision of two hashes, made by hand."""
    assert dissensus("study", "run", file, "-o", tmp_path).exit_code == 0
    first, second, *_ = sorted((tmp_path / "cells").iterdir())
    record = json.loads((second / "record.json").read_text())
    (first / "record.json").write_text(json.dumps(record | {"cell": first.name}))
    for words in (("run", file, "-o", tmp_path), ("check", file, "-o", tmp_path)):
        done = dissensus("study", *words)
        assert done.exit_code == 2
        assert states(done.stderr, f"{first}:", "another cell", "Remove the folder")


NETWORK = ('head = "mlp"\nepochs = 3\nhidden = 8', 'network = "small"\nepochs = 3\n')
SILENT = {
    "text for true or false": (NETWORK[1] + 'flip = "false"', ["model.flip is 'false'", "true or false"]),
    "number for true or false": (NETWORK[1] + "nesterov = 0", ["model.nesterov is 0", "true or false"]),
    "no width": (NETWORK[1] + "width = -1", ["model.width is -1", "1 or more"]),
    "quoted depth": (NETWORK[1] + 'depth = "2"', ["model.depth is '2'", "1 or more"]),
    "device by number": (NETWORK[1] + "device = 0", ["model.device is 0", "text"]),
    "milestones": (NETWORK[1] + "milestones = 2", ["model.milestones is 2", "list of epochs"]),
    "true as a number": (
        'head = "mlp"\nepochs = 3\nlearning_rate = true',
        ["model.learning_rate is True", "number"],
    ),
    "no head": ("head = []", ["model.head", "empty list", "no cells"]),
    "penalty in quotes": ('head = "logistic"\n\npenalty = "1"', ["model.penalty is '1'", "above 0"]),
}


@pytest.mark.parametrize("case", SILENT)
def test_settings_that_python_would_take_for_others_are_refused_on_their_line(case):
    settings, facts = SILENT[case]
    text = f"name = 'x'\n[data.a]\nlabels = 'digits'\nfeatures = 'pixels'\nimages = 'digits'\n[model]\n{settings}\n"
    with refuses(*facts, place=f"s.toml, line {len(text.splitlines())}"):
        study_of(*parse_toml(text, "s.toml"))


def one_study(top="", labels="", data="labels = 'digits'", rest=""):
    head = "[model]\nhead = 'linear'\n"
    return f"{top}\n[data.a]\n{data}\nfeatures = 'pixels'\n[labels]\n{labels}\n{head}{rest}\n"


LINES = {
    "array of tables": (one_study().replace("[labels]", "[[labels]]"), 5, ["labels is [{}]", "table"]),
    "dotted": (one_study(rest="[compare]\nbaseline.delivery = 3\nside = 'up'"), 11, ["compare.side", "'up'"]),
    "second model": (
        one_study(rest="").replace("[model]", "[[model]]") + "[[model]]\nhead='mlp'\nepochs='3'\n",
        12,
        ["model.2.epochs is '3'", "whole number"],
    ),
    "features as a number": (one_study().replace("'pixels'", "3"), 4, ["data.a.features is 3", "one name"]),
    "labels as a list": (one_study(data="labels = ['x']"), 3, ["data.a.labels is ['x']", "one name"]),
    "split file": (one_study(rest="[split]\nscheme='file'\nfile=3"), 11, ["split.file is 3", "text"]),
    "split column": (one_study(rest="[split]\nscheme='column'\ncolumn=['a']"), 11, ["split.column is ['a']"]),
    "no validation": (one_study(rest="[split]\nvalidation=false"), 10, ["split.validation is False"]),
    "question": (one_study(top="question = 3"), 1, ["question is 3", "quotes"]),
    "no baseline": (one_study(rest="[compare]\ntest='wilcoxon'"), 9, ["compare", "no baseline"]),
    "half a class": (one_study(labels="transforms = 'sparsest=2.5'"), 6, ["'2.5'", "1 or more"]),
}


@pytest.mark.parametrize("case", LINES)
def test_an_error_names_the_line_of_its_key(case):
    text, line, facts = LINES[case]
    with refuses(*facts) as refused:
        study_of(*parse_toml(text, "s.toml"))
    assert refused.value.place.partition(": ")[0] == f"s.toml, line {line}"


@pytest.mark.parametrize(
    ("value", "way_out"),
    [
        ('"C:\\Users\\me.csv"', "single quotes"),
        ("True", "true or false"),
        ("None", '"none"'),
        ("soft", "need quotes"),
    ],
)
def test_what_is_not_toml_is_refused_with_what_to_write_instead(value, way_out):
    with refuses("TOML", "line 2", way_out, place="s.toml"):
        parse_toml(f"seeds = 2\nkey = {value}\n", "s.toml")


def test_a_file_from_notepad_is_read(tmp_path):
    (tmp_path / "s.toml").write_bytes(b"\xef\xbb\xbf" + one_study(top="name = 'n'").replace("\n", "\r\n").encode())
    assert read_study(tmp_path / "s.toml").name == "n"


def test_as_many_classes_may_be_kept_as_the_data_have():
    study = study_of(*parse_toml(one_study(labels="aggregation = 'share'\ntransforms = 'sparsest=3'"), "s.toml"))
    assert tasks_of(study, load_data(study))
    study = study_of(*parse_toml(one_study(labels="aggregation = 'share'\ntransforms = 'sparsest=11'"), "s.toml"))
    with refuses("11 classes", "k_hat", "1 to 10"):
        tasks_of(study, load_data(study))


def test_a_penalty_that_nothing_can_choose_is_refused_before_anything_runs():
    text = one_study(rest="[split]\nvalidation = 0").replace("'linear'", "'logistic'")
    study = study_of(*parse_toml(text, "s.toml"))
    with refuses("line 7:", "model:", "logistic", "penalty none", "validation items"):
        tasks_of(study, load_data(study))


def test_a_baseline_that_all_arms_have_is_refused():
    text = one_study(top='delivery = ["soft", "majority"]', rest="[compare]\nbaseline = {model = 'linear'}")
    with refuses("line 10:", "compare.baseline:", "all 2 arms", "{'model': 'linear'}"):
        cells_of(study_of(*parse_toml(text, "s.toml")))


def test_none_names_a_setting_that_is_switched_off_in_a_baseline_and_in_a_rule():
    rest = (
        "patience = [2, 'none']\n[compare]\nbaseline = {patience = 'none'}\n[[skip]]\npatience = 'none'\ndelivery='sls'"
    )
    cells = cells_of(study_of(*parse_toml(one_study(top='delivery = ["soft", "sls"]', rest=rest), "s.toml")))
    assert {(cell.arm["delivery"], cell.arm["patience"]) for cell in cells} == {("soft", 2), ("soft", None), ("sls", 2)}


def test_lines_are_found_behind_quoted_names_lists_of_lists_and_texts_of_several_lines():
    text = '''question = """
seeds = 9
[model]
"""
seeds = "3"
[data."votes.v1"]
labels = "digits"
features = "pixels"
[data."votes.v2 [b]"]
labels = 3
features = "pixels"
[[model]]
network = "small"
epochs = 30
schedule = "steps"
milestones = [
[10, 20]
]
width = "4"
["split"] # of the items
"test" = 3
'''
    values, where = parse_toml(text, "s.toml")
    assert where.lines == {
        ("question",): 1,
        ("seeds",): 5,
        ("data", "votes.v1"): 6,
        ("data", "votes.v1", "labels"): 7,
        ("data", "votes.v1", "features"): 8,
        ("data", "votes.v2 [b]"): 9,
        ("data", "votes.v2 [b]", "labels"): 10,
        ("data", "votes.v2 [b]", "features"): 11,
        ("model", "1"): 12,
        ("model", "1", "network"): 13,
        ("model", "1", "epochs"): 14,
        ("model", "1", "schedule"): 15,
        ("model", "1", "milestones"): 16,
        ("model", "1", "width"): 19,
        ("split",): 20,
        ("split", "test"): 21,
    }
    with refuses("data.votes.v2 [b].labels is 3", place="s.toml, line 10"):
        study_of(values, where)
