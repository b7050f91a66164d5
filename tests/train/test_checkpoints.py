"""Training that is cut off anywhere goes on to the same bytes, and what is saved is whole."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save
from torch import nn

from dissensus.deliver import sls, soft
from dissensus.train import TrainConfig, train_module
from dissensus.train.checkpoints import FORMAT, STATE
from tests.facts import refuses
from tests.train.pictures import blobs, tiny

CONFIG = TrainConfig(epochs=3, batch=8, learning_rate=0.05, crop=1, optimizer="adam", device="cpu")


class CutOffError(Exception):
    """Stands for whatever ends a process."""


class Fragile(nn.Module):
    """A network that breaks off at a step; whether it does is not part of what it computes."""

    def __init__(self, at=None):
        super().__init__()
        torch.manual_seed(0)
        self.inner, self.at, self.steps = tiny(), at, 0

    def forward(self, x):
        if self.training and self.steps == self.at:
            raise CutOffError
        self.steps += self.training
        return self.inner(x)


def states(training):
    return {which: getattr(training, which).module.state_dict() for which in ("best", "last")}


def assert_same(one, other):
    assert one.history == other.history and one.scores == other.scores
    for which, weights in states(one).items():
        assert all(torch.equal(value, states(other)[which][name]) for name, value in weights.items())


def test_training_cut_off_at_any_step_goes_on_to_the_same_bits(tmp_path):
    """Three epochs of three steps: each of the nine is the last one once, with saves after every step."""
    table, people = blobs(20)
    delivery = sls(people, 0)
    whole = train_module(Fragile(), table, delivery, CONFIG, validation=(table, people))
    for step in range(9):
        folder = tmp_path / str(step)
        with pytest.raises(CutOffError):
            train_module(
                Fragile(step), table, delivery, CONFIG, validation=(table, people), checkpoint=folder, save_every=0
            )
        again = train_module(Fragile(), table, delivery, CONFIG, validation=(table, people), checkpoint=folder)
        assert_same(whole, again)


def test_what_is_finished_is_not_trained_again(tmp_path):
    table, people = blobs(20)
    first = train_module(Fragile(), table, people, CONFIG, validation=(table, people), checkpoint=tmp_path)
    assert_same(first, train_module(Fragile(0), table, people, CONFIG, validation=(table, people), checkpoint=tmp_path))


class Slow(nn.Module):
    """A network that from step 40 on takes its time and says so by a file, so that it can be killed at leisure."""

    def __init__(self, told=None):
        super().__init__()
        self.inner, self.told, self.steps = tiny(), told, 0

    def forward(self, x):
        self.steps += self.training
        if self.told is not None and self.steps >= 40:
            self.told.touch()
            time.sleep(0.2)
        return self.inner(x)


SCRIPT = """
import sys
from functools import partial
from pathlib import Path
import torch
from dissensus.deliver import sls
from dissensus.train import train_module
from tests.train.pictures import blobs
from tests.train.test_checkpoints import LONG, Slow
torch.set_num_threads(1)
table, people = blobs(60)
train_module(partial(Slow, Path(sys.argv[2])), table, sls(people, 0), LONG, validation=(table, people),
    checkpoint=sys.argv[1], save_every=0)
"""
LONG = TrainConfig(epochs=3, batch=2, learning_rate=0.05, crop=1, device="cpu")


PATH = os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])


def about(folder: Path) -> dict:
    with safe_open(folder / STATE, framework="pt") as content:
        return json.loads(content.metadata()["about"])


def test_killed_with_minus_nine_in_the_middle_of_an_epoch_it_ends_in_the_same_bytes(tmp_path):
    table, people = blobs(60)
    whole = train_module(Slow, table, sls(people, 0), LONG, validation=(table, people), checkpoint=tmp_path / "whole")
    folder, told, end = tmp_path / "killed", tmp_path / "told", time.monotonic() + 120
    running = subprocess.Popen([sys.executable, "-c", SCRIPT, folder, told], env=os.environ | {"PYTHONPATH": PATH})
    try:
        while not told.exists():
            assert running.poll() is None and time.monotonic() < end
            time.sleep(0.005)
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait()
    assert about(folder)["epoch"] == 1 and about(folder)["step"] >= 9, "the second epoch, of 30 steps"
    again = train_module(Slow, table, sls(people, 0), LONG, validation=(table, people), checkpoint=folder)
    assert_same(whole, again)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        path.name: path.read_bytes() for path in (tmp_path / "whole").iterdir()
    }


def test_a_full_disk_leaves_the_checkpoint_before_it_whole(tmp_path):
    """Files may not grow beyond a kilobyte for a while, as on a disk that is full."""
    table, people = blobs(20)
    with pytest.raises(CutOffError):
        train_module(Fragile(4), table, people, CONFIG, checkpoint=tmp_path, save_every=0)
    before = (tmp_path / STATE).read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, limits[1]))
        with refuses(tmp_path / STATE, "cannot be written", "intact"):
            train_module(Fragile(), table, people, CONFIG, checkpoint=tmp_path, save_every=0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert (tmp_path / STATE).read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == [STATE]
    assert_same(
        train_module(Fragile(), table, people, CONFIG),
        train_module(Fragile(), table, people, CONFIG, checkpoint=tmp_path),
    )


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        ({"config": {"epochs": 4}}, ("epochs was 3", "is 4")),
        ({"config": {"seed": 1}}, ("seed was 0", "is 1")),
        ({"images": 1}, ("images differ",)),
        ({"targets": 1}, ("labels", "delivered")),
        ({"network": 1}, ("weights", "starts from")),
        ({"validation": 1}, ("items held out",)),
    ],
    ids=str,
)
def test_a_folder_resumes_its_own_training_only(tmp_path, change, facts):
    table, people = blobs(20)
    other, _ = blobs(20, seed=1)
    train_module(Fragile(), table, people, CONFIG, checkpoint=tmp_path)
    config = TrainConfig(**(vars(CONFIG) | change.get("config", {})))
    network = Fragile()
    if "network" in change:
        torch.manual_seed(3)
        network.inner = tiny()
    with refuses(tmp_path, "another training", *facts):
        train_module(
            network,
            other if "images" in change else table,
            sls(people, 0) if "targets" in change else soft(people),
            config,
            checkpoint=tmp_path,
            validation=(table, people) if "validation" in change else None,
        )


def test_two_processes_do_not_train_into_one_folder(tmp_path):
    table, people = blobs(20)
    with refuses(tmp_path, "another process"):
        train_module(
            Fragile(),
            table,
            people,
            CONFIG,
            checkpoint=tmp_path,
            after_epoch=lambda record, network: train_module(Fragile(), table, people, CONFIG, checkpoint=tmp_path),
        )


def test_other_files_in_the_place_of_a_checkpoint_are_refused_and_kept(tmp_path):
    table, people = blobs(20)
    (tmp_path / STATE).write_bytes(b"something else")
    with refuses(tmp_path / STATE, "not a readable checkpoint", "header", "remove the folder"):
        train_module(Fragile(), table, people, CONFIG, checkpoint=tmp_path)
    assert (tmp_path / STATE).read_bytes() == b"something else"


def test_a_checkpoint_is_no_pickle(tmp_path):
    table, people = blobs(20)
    train_module(Fragile(), table, people, CONFIG, validation=(table, people), checkpoint=tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) == 2 and names[0].startswith("best-") and names[1] == STATE
    for path in tmp_path.iterdir():
        with safe_open(path, framework="pt") as content:
            assert list(content.keys())


def test_files_of_others_in_the_folder_stay(tmp_path):
    """Such as the models of `train -o runs/best.safetensors --checkpoint runs`, which are best and best-last."""
    table, people = blobs(20)
    others = ["best-last.safetensors", "best-7.safetensors", ".m.safetensors.1.part", "best-1.safetensors.json"]
    for name in others:
        (tmp_path / name).write_bytes(b"of others")
    train_module(Fragile(), table, people, CONFIG, validation=(table, people), checkpoint=tmp_path, save_every=0)
    assert {name: (tmp_path / name).read_bytes() for name in others} == dict.fromkeys(others, b"of others")
    assert len(list(tmp_path.iterdir())) == len(others) + 2
    for epoch in (1, 2, 3):
        (tmp_path / "new").mkdir(exist_ok=True)
        (tmp_path / "new" / f"best-{epoch}.safetensors").write_bytes(b"of others")
    with refuses(tmp_path / "new", "safetensors", "not a checkpoint", "overwritten"):
        train_module(Fragile(), table, people, CONFIG, validation=(table, people), checkpoint=tmp_path / "new")


def test_best_weights_that_another_training_left_are_not_taken_for_those_of_this_one(tmp_path):
    """Killed between the best weights and the first state, a training leaves only the former."""
    table, people = blobs(20)
    other = TrainConfig(**(vars(CONFIG) | {"seed": 9, "learning_rate": 0.3}))
    train_module(Fragile(), table, people, other, validation=(table, people), checkpoint=tmp_path)
    best = next(tmp_path.glob("best-*")).read_bytes()
    (tmp_path / STATE).unlink()
    for epoch in (1, 2, 3):
        (tmp_path / f"best-{epoch}.safetensors").write_bytes(best)
    first = train_module(Fragile(), table, people, CONFIG, validation=(table, people), checkpoint=tmp_path)
    assert_same(first, train_module(Fragile(), table, people, CONFIG, validation=(table, people), checkpoint=tmp_path))


def no_weight(about, tensors):
    del tensors["module.inner.0.weight"]


def no_losses(about, tensors):
    del tensors["losses"]


def no_work(about, tensors):
    del about["work"]


def too_far(about, tensors):
    about.update(epoch=0, history=[], step=99)


def no_history(about, tensors):
    about["history"] = "lost"


@pytest.mark.parametrize(
    ("damage", "facts"),
    [
        (no_weight, ("inner.0.weight",)),
        (no_losses, ("'losses'",)),
        (no_work, ("not name the training",)),
        (too_far, ("0 records", "0 epochs", "99 steps")),
        (no_history, ("4 records", "3 epochs", "0 steps")),
    ],
)
def test_a_damaged_state_is_refused_with_the_damage(tmp_path, damage, facts):
    table, people = blobs(20)
    train_module(Fragile(), table, people, CONFIG, validation=(table, people), checkpoint=tmp_path)
    with safe_open(tmp_path / STATE, framework="pt") as content:
        tensors = {name: content.get_tensor(name) for name in content.keys()}  # noqa: SIM118 (no mapping)
    header = about(tmp_path)
    damage(header, tensors)
    (tmp_path / STATE).write_bytes(save(tensors, metadata={"about": json.dumps(header)}))
    with refuses(tmp_path / STATE, "not a readable checkpoint", *facts, "remove the folder"):
        train_module(Fragile(), table, people, CONFIG, validation=(table, people), checkpoint=tmp_path)


@pytest.mark.parametrize(("text", "fact"), [("{", "not a readable"), ("[]", "dissensus"), ("3", "dissensus")])
def test_a_foreign_header_is_refused(tmp_path, text, fact):
    table, people = blobs(20)
    (tmp_path / STATE).write_bytes(save({"a": torch.zeros(1)}, metadata={"about": text}))
    with refuses(tmp_path / STATE, "checkpoint", fact):
        train_module(Fragile(), table, people, CONFIG, checkpoint=tmp_path)


def test_best_weights_of_another_network_are_refused_before_training_goes_on(tmp_path):
    table, people = blobs(20)
    train_module(Fragile(), table, people, CONFIG, validation=(table, people), checkpoint=tmp_path)
    best = next(tmp_path.glob("best-*"))
    best.write_bytes(save({"a": torch.zeros(1)}, metadata={"about": json.dumps({"format": FORMAT})}))
    with refuses(best, "not a readable checkpoint", "another network", "remove the folder"):
        train_module(Fragile(), table, people, CONFIG, validation=(table, people), checkpoint=tmp_path)


def test_a_folder_that_cannot_be_one_is_refused_before_training(tmp_path):
    table, people = blobs(20)
    (tmp_path / "file").touch()
    for place in (tmp_path / "file", tmp_path / "file" / "below"):
        with refuses(place, "folder of checkpoints", "a file"):
            train_module(Fragile(), table, people, CONFIG, checkpoint=place)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder in which not even root can write")
def test_a_folder_in_which_nothing_can_be_written_is_refused_before_the_first_step():
    table, people = blobs(20)
    with refuses("/proc/self/state.safetensors", "cannot be written"):
        train_module(Fragile(0), table, people, CONFIG, checkpoint="/proc/self")
