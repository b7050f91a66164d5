"""The study that `study init` writes explains every key, and runs."""

import re
import tomllib

import pytest

from dissensus.study import read_spec as specs
from dissensus.study import read_study, run_study
from dissensus.study.checks import tasks_of
from dissensus.study.init_template import init_study
from dissensus.study.model_settings import default_settings, model_setting
from dissensus.study.read_data import load_data
from dissensus.train.heads.fit_config import HEADS
from tests.facts import refuses

KEYS = {
    "": specs._TOP,
    "data": specs._DATA,
    "labels": specs._LABELS,
    "split": specs._SPLIT,
    "evaluate": specs._EVALUATE,
    "compare": specs._COMPARE,
}


def test_it_is_a_study_of_embedded_data_that_runs(tmp_path):
    init_study(tmp_path / "first.toml")
    study = read_study(tmp_path / "first.toml")
    ran = run_study(study, tmp_path / "out")
    assert (ran.total, ran.made, ran.failures) == (24, 24, {})


def test_that_of_networks_has_nothing_to_refuse(tmp_path):
    init_study(tmp_path / "networks.toml", images="digits")
    study = read_study(tmp_path / "networks.toml")
    assert len(tasks_of(study, load_data(study))) == 9


@pytest.mark.parametrize("given", [{}, {"images": "digits"}], ids=["heads", "networks"])
def test_every_key_is_in_it_live_or_behind_a_comment_sign(tmp_path, given):
    init_study(tmp_path / "s.toml", **given)
    text = (tmp_path / "s.toml").read_text()
    written = set(re.findall(r"^(?:# )?(?:\[\[?)?(\w+)(?: =|[.\]])", text, flags=re.MULTILINE))
    kind, name = ("network", "small") if given else ("head", "mlp")
    wanted = {key for keys in KEYS.values() for key in keys} | set(default_settings(kind, name)) | {kind}
    assert wanted <= written


def test_every_setting_of_every_model_is_explained():
    for kind, names in (("head", HEADS), ("network", ("small",))):
        for key in {key for name in names for key in default_settings(kind, name)}:
            assert model_setting(kind, key).help


@pytest.mark.parametrize("given", [{}, {"images": "digits"}], ids=["heads", "networks"])
def test_keys_behind_a_comment_sign_are_at_their_defaults(tmp_path, given):
    """With all of them live the study is the same, but for what is only an example."""
    init_study(tmp_path / "s.toml", **given)
    text = (tmp_path / "s.toml").read_text()
    examples = ("people", "images", "features", "folds", "column", "file")
    live = re.sub(
        rf"^# (?!(?:{'|'.join(examples)}) )(\w+ = .*)$", r"\1", text.split("# [[skip]]")[0], flags=re.MULTILINE
    )
    assert tomllib.loads(live) != tomllib.loads(text)
    (tmp_path / "live.toml").write_text(live)
    first, second = read_study(tmp_path / "s.toml"), read_study(tmp_path / "live.toml")
    for name in ("data", "models", "labels", "deliveries", "split", "seeds", "evaluation", "comparing", "keep_models"):
        assert getattr(first, name) == getattr(second, name)


def test_files_of_ones_own_are_named_in_it(tmp_path):
    labels, features = tmp_path / 'my "votes".csv', tmp_path / "x.npy"
    for path in (labels, features):
        path.write_text("")
    init_study(tmp_path / "s.toml", labels=str(labels), features=str(features))
    (source,) = read_study(tmp_path / "s.toml").data.values()
    assert (source.labels, source.features) == (str(labels), str(features))


@pytest.mark.parametrize(
    ("given", "facts"),
    [
        ({"labels": "digits"}, ["labels='digits'", "features or images", "Add features="]),
        ({"features": "x.npy"}, ["features='x.npy'", "Add labels="]),
        ({"images": "pictures"}, ["images='pictures':", "not a data set", "labels"]),
        ({"labels": "digits", "features": "x.npy"}, ["features='x.npy':", "no such file", "no data set"]),
        ({"labels": "votes.csv", "images": "digits"}, ["labels='votes.csv':", "no such file", "no data set"]),
    ],
)
def test_missing_inputs_and_files_are_refused(tmp_path, given, facts):
    with refuses(*facts):
        init_study(tmp_path / "s.toml", **given)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "s.toml").write_text("mine")
    with refuses(tmp_path / "s.toml", "exists already"):
        init_study(tmp_path / "s.toml")
    with refuses(tmp_path / "s.txt", ".toml"):
        init_study(tmp_path / "s.txt")
    assert (tmp_path / "s.toml").read_text() == "mine"
