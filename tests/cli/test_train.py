"""train and predict with networks, from the command line."""

from __future__ import annotations

import errno
import inspect
import io
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from PIL import Image
from safetensors import safe_open
from safetensors.numpy import save_file

from dissensus import Distributions, Votes, read, write
from dissensus.cli.train import PANELS, train
from dissensus.deliver import DELIVERIES, WRAPPERS
from dissensus.train import NETWORKS, load_network
from dissensus.train.fold_processes import torch_threads
from dissensus.train.heads.config import HeadConfig, initial_layers
from dissensus.train.heads.head import Head
from dissensus.train.heads.model_files import save_head
from tests.cli.commands import override, quiet, refused, run
from tests.facts import states
from tests.train.pictures import CLASSES, blobs

SMALL = ["--network", "small", "--width", 4, "--depth", 1, "--crop", 1, "--no-flip", "--batch", 16]
MANY = 40  # epochs, of which a training that waits at a gate has done a few


@pytest.fixture(autouse=True)
def _one_thread():
    """As the processes that tests start have it, so that bytes can be compared."""
    with torch_threads(1):
        yield


def command(*words):
    return [sys.executable, "-m", "dissensus", *map(str, words)]


def settings():
    return os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Images with their names, votes on them, and a head."""
    at = tmp_path_factory.mktemp("train")
    images, shares = blobs(40)
    np.savez(at / "images.npz", pixels=images.pixels, items=images.items.astype(str))
    np.save(at / "features.npy", np.random.default_rng(0).normal(size=(40, 4)))
    np.save(at / "pixels.npy", images.pixels)
    write(Votes.of_counts(shares), at / "votes.csv", say=quiet)
    (at / "others.csv").write_text("item,label\n" + "".join(f"p{row},{'ab'[row % 2]}\n" for row in range(40)))
    save_head(Head(initial_layers(HeadConfig(kind="linear"), 4, 3), CLASSES), at / "head.safetensors")
    return at


def words(folder, output, *more, epochs=2):
    return ["train", folder / "images.npz", folder / "votes.csv", *SMALL, "--epochs", epochs, "-o", output, *more]


def weights(path):
    with safe_open(path, framework="numpy") as content:
        return {name: content.get_tensor(name) for name in content.keys()}  # noqa: SIM118 (no mapping)


def test_a_data_set_becomes_two_networks_whose_predictions_can_be_evaluated(tmp_path):
    """The embedded digits: 1,797 images of 8 x 8 pixels with ten votes each."""
    model = tmp_path / "m.safetensors"
    done = run(
        "train",
        "digits",
        "digits",
        *SMALL[:6],
        "--crop",
        1,
        "--no-flip",
        "--epochs",
        3,
        "--seed",
        1,
        "--learning-rate",
        0.3,
        "--checkpoint",
        tmp_path / "state",
        "-o",
        model,
        "--json",
    )
    card = json.loads(done.stdout)
    assert (card["items trained on"], card["items held out"], card["delivery"]) == (1438, 359, "soft")
    assert card["images from"] == {"data set": "digits"} and card["items matched"] == "by name"
    scores = card["scores on items held out"]
    assert scores["best"]["soft_nll"] <= scores["last"]["soft_nll"] < np.log(10)
    beside = json.loads((tmp_path / "m.safetensors.json").read_text(encoding="utf-8"))
    last = json.loads((tmp_path / "m-last.safetensors.json").read_text(encoding="utf-8"))
    assert (beside["chosen"], last["chosen"], last["epoch"]) == ("best", "last", 3)
    for written in (beside, last):
        held_out = written["scores on items held out"]
        assert held_out == scores
    run("predict", model, "digits", "-o", tmp_path / "p.parquet")
    predicted = read(tmp_path / "p.parquet", say=quiet)
    assert isinstance(predicted, Distributions) and predicted.n_items == 1797 and predicted.items[:2].tolist() == [0, 1]
    told = json.loads(
        run("evaluate", tmp_path / "p.parquet", "digits", "--no-ceiling", "--replicates", 5, "--json").stdout
    )
    assert told["soft_nll"]["value"] < np.log(10)
    assert (tmp_path / "state" / "state.safetensors").exists(), "a folder that was named stays"


def test_the_result_line_shows_the_best_and_the_last_network(folder, tmp_path):
    model = tmp_path / "m.safetensors"
    head, best, last = run(*words(folder, model, "--delivery", "sls", "--wrap", "mixup=0.2")).stdout.splitlines()
    assert states(head, "small", "32 items", "mixup(sls", "8 held out") and head.endswith(":")
    assert best.startswith("best, epoch ") and last.startswith("last, epoch 2: ")
    assert states(best, "soft nll", model) and states(last, "soft nll", tmp_path / "m-last.safetensors")
    alone = run(*words(folder, model, "--validation", 0)).stdout
    assert states(alone, "small", "40 items", "soft", "epoch 2", model) and "nll" not in alone
    assert weights(tmp_path / "m.safetensors").keys() == weights(tmp_path / "m-last.safetensors").keys()


def gate_in(folder):
    """A pipe among the checkpoints, named as one of them: whoever has saved looks into it, and waits for a writer."""
    folder.mkdir(parents=True)
    os.mkfifo(folder / "best-999999.safetensors")
    return folder / "best-999999.safetensors"


def go_on(process, gate):
    """Wait until the training has saved its state, and let it go on to the next time."""
    while process.poll() is None:
        try:
            return os.close(os.open(gate, os.O_WRONLY | os.O_NONBLOCK))
        except OSError as nobody:
            assert nobody.errno == errno.ENXIO
            time.sleep(0.02)
    raise AssertionError(f"training ended with code {process.returncode}")


@pytest.fixture(scope="module")
def killed(folder, tmp_path_factory):
    """A folder of checkpoints whose training was killed with -9 in the middle, and the words to call again."""
    at = tmp_path_factory.mktemp("killed")
    asked = words(folder, at / "m.safetensors", "--checkpoint", at / "state", epochs=MANY)
    state, gate = at / "state" / "state.safetensors", gate_in(at / "state")
    process = subprocess.Popen(command(*asked, "--save-every", 0), env=settings())
    try:
        while not (state.exists() and _epoch(state) > 2):
            go_on(process, gate)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    gate.unlink()
    assert 2 < _epoch(state) < MANY and not (at / "m.safetensors").exists()
    return at


def _epoch(state):
    with safe_open(state, framework="numpy") as content:
        return json.loads(content.metadata()["about"])["epoch"]


@pytest.fixture(scope="module")
def uninterrupted(folder, tmp_path_factory):
    at = tmp_path_factory.mktemp("whole")
    with torch_threads(1):
        run(*words(folder, at / "m.safetensors", epochs=MANY))
    return at


def test_killed_with_9_and_called_again_it_writes_the_same_bytes(folder, killed, uninterrupted, tmp_path):
    shutil.copytree(killed / "state", tmp_path / "state")
    said = run(*words(folder, tmp_path / "m.safetensors", "--checkpoint", tmp_path / "state", epochs=MANY)).stderr
    assert states(said, tmp_path / "state", "resumes")
    for name in ("m.safetensors", "m-last.safetensors", "m.safetensors.json", "m-last.safetensors.json"):
        assert (tmp_path / name).read_bytes() == (uninterrupted / name).read_bytes(), name


def test_resume_keeps_the_state_beside_the_model_until_it_is_written(folder, killed, uninterrupted, tmp_path):
    model, beside = tmp_path / "m.safetensors", tmp_path / ".m.safetensors.training"
    first = run(*words(folder, model, "--resume")).stderr
    assert states(first, f"{beside}:", "state")
    assert not beside.exists() and model.exists()
    shutil.copytree(killed / "state", beside)
    assert states(refused(*words(folder, model, epochs=MANY)), beside, "m.safetensors", "--resume", "remove")
    assert states(run(*words(folder, model, "--resume", epochs=MANY)).stderr, beside, "resumes")
    assert model.read_bytes() == (uninterrupted / "m.safetensors").read_bytes() and not beside.exists()


def test_another_training_in_the_folder_of_checkpoints_is_not_mixed_up_with_this_one(folder, killed, tmp_path):
    shutil.copytree(killed / "state", tmp_path / "state")
    for more, facts in (
        (["--seed", 9], ["seed was 0", "is 9"]),
        (["--learning-rate", 0.2], ["learning_rate was 0.1", "is 0.2"]),
        (["--folds", 2], ["without folds", "--folds"]),
    ):
        asked = words(folder, tmp_path / "m.safetensors", "--checkpoint", tmp_path / "state", *more, epochs=MANY)
        assert states(refused(*asked), tmp_path / "state", *facts)


@contextmanager
def no_room():
    """A limit on the size of files is a disk on which nothing fits any more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_leaves_the_old_model_and_the_checkpoint_whole(folder, killed, uninterrupted, tmp_path):
    shutil.copytree(killed / "state", tmp_path / "state")
    model = tmp_path / "m.safetensors"
    model.write_bytes(b"an old model")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    asked = words(folder, model, "--checkpoint", tmp_path / "state", epochs=MANY)
    for wanted, facts in (
        ([*asked, "--save-every", 0], [tmp_path / "state", "intact"]),
        (words(folder, model), [f"{model}:", "cannot be written"]),
    ):
        with no_room():
            line = refused(*wanted)
        assert states(line, *facts)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    run(*asked)
    assert model.read_bytes() == (uninterrupted / "m.safetensors").read_bytes()


def test_folds_that_were_interrupted_go_on_to_the_same_bytes(folder, tmp_path):
    """One after the other; and in two processes that Ctrl-C ends, whose work is taken up by one."""
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    more = ["--folds", 2, "--predictions"]
    one, other = (words(folder, at / "m.safetensors", *more, at / "p.csv", epochs=MANY) for at in (whole, parts))
    told = json.loads(run(*one, "--jobs", 1, "--json").stdout)
    asked, gate = [*other, "--checkpoint", parts / "state"], gate_in(parts / "state" / "fold-1")
    process = subprocess.Popen(
        command(*asked, "--jobs", 2, "--save-every", 0),
        env=settings(),
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    for _ in range(4):
        go_on(process, gate)  # the first fold cannot end before it is interrupted; the second may
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it, to parent and children
    said = process.communicate()[1]
    assert process.returncode == 130 and "interrupted" in said and "Traceback" not in said
    assert not (parts / "m-fold-1.safetensors").exists()
    assert _epoch(parts / "state" / "fold-1" / "state.safetensors") < MANY
    gate.unlink()
    run(*asked, "--jobs", 1)
    names = [f"m-fold-{fold}{which}.safetensors" for fold in (1, 2) for which in ("", "-last")]
    for name in [*names, "p.csv", "p-last.csv"]:
        assert (parts / name).read_bytes() == (whole / name).read_bytes(), name
    assert [Path(place).name for place in told["outputs"]] == names and not (whole / "m.safetensors").exists()
    predicted = read(whole / "p.csv", say=quiet)
    assert predicted.n_items == 40 and told["scores"].keys() == {"best", "last"} and len(told["folds"]) == 2
    run("evaluate", whole / "p.csv", folder / "votes.csv", "--no-ceiling", "--replicates", 5)


def test_fine_tuning_from_a_file(folder, tmp_path):
    run(*words(folder, tmp_path / "m.safetensors"))
    start = tmp_path / "m.safetensors"
    basis = ["train", folder / "images.npz", folder / "votes.csv", "--epochs", 1, "--crop", 0, "--from", start]
    run(*basis, "--learning-rate", 0, "--momentum", 0, "-o", tmp_path / "tuned.safetensors")
    tuned, first = (load_network(tmp_path / name) for name in ("tuned.safetensors", "m.safetensors"))
    assert tuned.mean == first.mean and tuned.card["started from"]["file"] == str(start)
    one, other = dict(tuned.module.named_parameters()), dict(first.module.named_parameters())
    assert all(np.array_equal(one[name].detach(), other[name].detach()) for name in other)
    for more, facts in (
        (["--from", folder / "head.safetensors"], ["head.safetensors", "is a head", "not a network"]),
        (["--from", folder / "votes.csv"], ["votes.csv", "not a readable", "safetensors"]),
        (["--from", tmp_path / "gone.safetensors"], ["gone.safetensors:", "no such file"]),
        (["--from", start, "--network", "vgg11"], ["network is vgg11", "small"]),
    ):
        asked = ["train", folder / "images.npz", folder / "votes.csv", *more, "-o", tmp_path / "n.safetensors"]
        assert states(refused(*asked), *facts)
    others = ["train", folder / "images.npz", folder / "others.csv", "--from", start, "-o", tmp_path / "n.safetensors"]
    assert states(refused(*others), ["blue", "green", "red"], ["a", "b"], "same order", "'a'")
    last = tmp_path / "m-last.safetensors"
    assert states(refused(*basis[:-1], last, "-o", start), f"{last}:", "replace", "another name")
    larger = run(*basis, "--size", 12, "--schedule", "constant", "-o", tmp_path / "n.safetensors").stderr
    assert states(larger, "8 x 8", "12 x 12")


def test_what_cannot_be_written_is_refused_before_training(folder, tmp_path):
    (tmp_path / "taken.safetensors").mkdir()
    (tmp_path / "taken-last.csv").mkdir()
    long = "x" * 230
    for output, more, facts in (
        ("taken.safetensors", [], ["taken.safetensors:", "regular file"]),
        (f"{long}.safetensors", [], [f"{long}.safetensors", "cannot be written", "too long"]),
        ("m.safetensors", ["--folds", 2, "--predictions", tmp_path / "taken.csv"], ["taken-last.csv:", "folder"]),
    ):
        state = tmp_path / "state"
        line = refused(*words(folder, tmp_path / output, "--checkpoint", state, *more))
        assert states(line, *facts) and not state.exists()


def test_a_path_that_is_not_utf8_does_not_cost_the_model(folder, tmp_path):
    """As paths made under Latin-1 are; it stands on the card."""
    place = tmp_path / os.fsdecode(b"caf\xe9")
    try:
        place.mkdir()
    except OSError:
        pytest.skip("this file system has names in UTF-8 only")
    shutil.copy(folder / "images.npz", place)
    asked = ["train", place / "images.npz", folder / "votes.csv", *SMALL, "--epochs", 1]
    run(*asked, "-o", tmp_path / "m.safetensors")
    assert load_network(tmp_path / "m.safetensors").card["images from"] == {"path": str(place / "images.npz")}


@pytest.mark.parametrize(
    ("more", "facts"),
    [
        (["-o", "m.pt"], ["m.pt", ".safetensors"]),
        (["-o", "nowhere/m.safetensors"], ["nowhere/m.safetensors:", "folder nowhere"]),
        (["--network", "resnet"], ["network 'resnet'", "small"]),
        (["--delivery", "nonsense"], ["delivery 'nonsense'", "soft"]),
        (["--wrap", "soften=1"], ["wrapper 'soften'", "mixup"]),
        (["--epochs", "0"], ["--epochs 0:", "1 or more"]),
        (["--milestones", "1,x", "--schedule", "steps"], ["--milestones 1,x:", "1 or more", "commas"]),
        (["--milestones", "1"], ["milestones", "schedule 'steps'"]),
        (["--validation", "1"], ["--validation 1.0:", "from 0", "below 1"]),
        (["--validation", "0", "--patience", "2"], ["patience", "validation loss"]),
        (["--folds", "2", "--validation", "0.1"], ["--folds", "--validation out"]),
        (["--folds", "50"], ["50 folds", "40 items"]),
        (["--jobs", "2"], ["--jobs", "for --folds"]),
        (["--predictions", "p.csv"], ["--predictions", "for --folds"]),
        (["--folds", "2", "--predictions", "p.safetensors"], ["p.safetensors:", "'.safetensors'", ".csv"]),
        (["--folds", "2", "--predictions", "nowhere/p.csv"], ["nowhere/p.csv:", "folder nowhere"]),
        (["--device", "abacus"], ["device 'abacus'"]),
        (["--learning-rate", "1e30", "--epochs", "9"], ["learning rate", "1e+30"]),
        (["--save-every", "nan"], ["save_every", "nan", "0 or more"]),
        (["--checkpoint", __file__], [f"{__file__}:", "folder of checkpoints"]),
        (["--crop", "9"], ["--crop 9", "8 x 8"]),
        (["--width", "0"], ["--width 0:", "1 or more"]),
    ],
)
def test_a_wrong_setting_is_refused_in_one_line(folder, tmp_path, monkeypatch, more, facts):
    monkeypatch.chdir(tmp_path)
    asked = ["train", folder / "images.npz", folder / "votes.csv", "-o", "m.safetensors", *SMALL, "--epochs", 2]
    assert states(refused(*override(asked, *more)), *facts)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("images", ["folder", "digits"])
def test_images_and_labels_in_the_wrong_order_are_named_in_the_right_one(folder, tmp_path, images):
    (tmp_path / "photos").mkdir()
    Image.new("RGB", (8, 8)).save(tmp_path / "photos" / "p1.png")
    place = tmp_path / "photos" if images == "folder" else images
    line = refused("train", folder / "votes.csv", place, "-o", tmp_path / "m.safetensors")
    assert states(line, "IMAGES", "LABELS", f"`{place} {folder / 'votes.csv'}`")


def test_images_and_labels_that_do_not_meet_are_refused(folder, tmp_path):
    model = tmp_path / "m.safetensors"
    bare = ["train", folder / "pixels.npy", folder / "votes.csv", *SMALL, "--epochs", 1, "-o", model]
    assert states(refused(*bare), "images", "no item names", "--by-position")
    line = refused("train", "digits", folder / "votes.csv", *SMALL, "-o", model)
    assert states(line, "no item", "images", "labels")
    line = refused("train", folder / "gone.npz", folder / "votes.csv", "-o", model)
    assert states(line, f"{folder / 'gone.npz'}:", "no such file")
    line = refused("train", folder / "features.npy", folder / "votes.csv", "-o", model)
    assert states(line, f"{folder / 'features.npy'}:", "images", "(40, 4)")


def test_predict_tells_heads_from_networks_and_features_from_images(folder, tmp_path):
    network, head, out = tmp_path / "m.safetensors", folder / "head.safetensors", tmp_path / "p.parquet"
    run(*words(folder, network))
    run("predict", network, folder / "images.npz", "-o", out)
    images, _ = blobs(40)
    expected = load_network(network).predict(images)
    assert np.array_equal(read(out, say=quiet).probs, expected.probs)
    assert read(out, say=quiet).items.tolist() == images.items.tolist()
    unnamed = run("predict", network, folder / "pixels.npy", "-o", out).stderr
    assert states(unnamed, "pixels.npy:", "no item names")
    larger = run("predict", network, folder / "images.npz", "--size", 16, "-o", out).stderr
    assert states(larger, "8 x 8", "16 x 16")
    assert "--size 1" not in run("predict", head, folder / "features.npy", "-o", out).stderr
    (tmp_path / "pictures").mkdir()
    for asked, facts in (
        (["predict", head, tmp_path / "pictures"], [tmp_path / "pictures", "`dissensus embed"]),
        (["predict", head, "cifar10-test"], ["cifar10-test:", "images"]),
        (["predict", head, folder / "pixels.npy"], ["pixels.npy:", "images"]),
        (["predict", head, folder / "features.npy", "--size", 8], ["--size", "for images"]),
        (["predict", network, folder / "features.npy"], ["features.npy:", "features"]),
        (["predict", network, folder / "votes.csv"], ["votes.csv", "images", "'.csv'"]),
        (["predict", folder / "votes.csv", folder / "images.npz"], ["votes.csv", "not a readable", "safetensors"]),
    ):
        assert states(refused(*asked, "-o", out), *facts)


def test_predict_passes_over_a_size_of_images_that_is_none(folder, tmp_path):
    run(*words(folder, tmp_path / "m.safetensors"))
    card = json.loads((tmp_path / "m.safetensors.json").read_text(encoding="utf-8"))
    for size in (5, [8], {"side": 8}):
        metadata = {"card": json.dumps(card | {"image size": size})}
        save_file(weights(tmp_path / "m.safetensors"), tmp_path / "n.safetensors", metadata=metadata)
        run("predict", tmp_path / "n.safetensors", folder / "images.npz", "-o", tmp_path / "p.csv")


def test_the_help_names_every_network_delivery_and_wrapper():
    shown = " ".join(run("train", "--help").stdout.replace("│", " ").split())
    assert [name for name in (*NETWORKS, *DELIVERIES, *WRAPPERS) if name not in shown] == []


def test_cifar10_images_meet_the_votes_of_cifar10h_and_teach_something(tmp_path, loaded):
    """What everybody chooses equally often, whatever the image, costs ln 10 = 2.30 nats less nothing."""
    people = loaded("cifar10h").labels
    model = tmp_path / "model.safetensors"
    done = run(
        "train",
        "cifar10-test",
        "cifar10h",
        "--network",
        "small",
        "--width",
        4,
        "--depth",
        2,
        "--epochs",
        1,
        "--seed",
        1,
        "--checkpoint",
        tmp_path / "state",
        "-o",
        model,
        "--json",
    )
    card = json.loads(done.stdout)
    assert (card["items trained on"], card["items held out"], card["items matched"]) == (8000, 2000, "by name")
    constant = -(people.probs * np.log(people.probs.mean(axis=0))).sum(axis=1).mean()
    scores = card["scores on items held out"]
    assert scores["best"]["soft_nll"] < constant - 0.2


def test_images_and_labels_of_one_hugging_face_file_meet_by_the_paths_of_the_images(tmp_path):
    pixels, _ = blobs(12)
    encoded = []
    for row, image in enumerate(pixels.pixels):
        Image.fromarray(image).save(content := io.BytesIO(), "PNG")
        encoded.append({"bytes": content.getvalue(), "path": f"{row}.png"})
    data = tmp_path / "train-00000-of-00001.parquet"
    parquet.write_table(pa.table({"image": encoded, "label": [row % 3 for row in range(12)]}), data)
    done = run("train", data, data, *SMALL, "--epochs", 1, "--json", "-o", tmp_path / "m.safetensors")
    card = json.loads(done.stdout)
    assert card["items matched"] == "by name" and card["items trained on"] + card["items held out"] == 12
    assert set(read(data).items.tolist()) == {f"{row}.png" for row in range(12)}
    nowhere = [{"bytes": one["bytes"], "path": None} for one in encoded]
    parquet.write_table(pa.table({"image": nowhere, "label": [row % 3 for row in range(12)]}), data)
    line = refused("train", data, data, *SMALL, "-o", tmp_path / "m.safetensors")
    assert states(line, f"{data}:", "no column", "item", ["label"])


def test_a_network_that_takes_colour_takes_grey_images_as_it_does_among_coloured_ones(folder, tmp_path):
    network, mixed, grey = tmp_path / "m.safetensors", tmp_path / "mixed", tmp_path / "grey"
    run(*words(folder, network))
    images, _ = blobs(2)
    for place, names in ((mixed, ("L", "RGB")), (grey, ("L",))):
        place.mkdir()
        for mode in names:
            Image.fromarray(images.pixels[0]).convert(mode).save(place / f"{mode}.png")
    alone = run("predict", network, grey, "-o", tmp_path / "grey.npz").stderr
    assert states(alone, "RGB", "1 grey of 1 images")
    run("predict", network, mixed, "-o", tmp_path / "mixed.npz")
    one, both = (read(tmp_path / name, say=quiet) for name in ("grey.npz", "mixed.npz"))
    assert (one.items.tolist(), both.items.tolist()) == (["L.png"], ["L.png", "RGB.png"])
    assert np.allclose(one.probs[0], both.probs[0], rtol=1e-5, atol=0)
    (tmp_path / "grey.csv").write_text("item,label\n" + "".join(f"{row},{CLASSES[row % 3]}\n" for row in range(9)))
    np.savez(tmp_path / "grey.npz", pixels=np.full((9, 8, 8), 7, np.uint8), items=[str(row) for row in range(9)])
    tuned = ["train", tmp_path / "grey.npz", tmp_path / "grey.csv", "--from", network, "--epochs", 1, "--crop", 0]
    run(*tuned, "-o", tmp_path / "tuned.safetensors")
    assert states(load_network(tmp_path / "tuned.safetensors").card["images from"]["changed"][0], "RGB", "9 grey")


@pytest.mark.parametrize(
    ("place", "facts"),
    [
        ("nowhere/p.parquet", ["folder nowhere", "make it first"]),
        ("p.txt", ["'.txt'", ".parquet"]),
        ("taken.csv", ["is a folder"]),
    ],
)
def test_predict_checks_the_place_for_its_result_before_it_works(folder, tmp_path, monkeypatch, place, facts):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.csv").mkdir()
    line = refused("predict", folder / "head.safetensors", folder / "features.npy", "-o", place)
    assert states(line, f"error: {place}:", *facts) and "--format" not in line


def test_the_size_that_is_proposed_is_one_the_network_takes(folder, tmp_path):
    network, pictures = tmp_path / "m.safetensors", tmp_path / "pictures"
    run(*words(folder, network))
    pictures.mkdir()
    for side in (11, 12):
        Image.new("RGB", (side, 14)).save(pictures / f"{side}.png")
    line = refused("predict", network, pictures, "-o", tmp_path / "p.csv")
    assert states(line, "11 x 14", "8 x 8") and line.endswith(" --size 8")
    assert states(refused("train", pictures, folder / "votes.csv", "-o", network), "--size 10:")


def test_a_damaged_image_of_a_column_is_named_without_python_objects(folder, tmp_path):
    parquet.write_table(pa.table({"image": [b"no image"], "item": ["p1"]}), tmp_path / "images.parquet")
    line = refused("train", tmp_path / "images.parquet", folder / "votes.csv", "-o", tmp_path / "m.safetensors")
    assert states(line, "row 1 (item p1):", "readable image") and "<_io" not in line


def test_labels_of_one_class_only_are_refused_with_the_way_out(folder, tmp_path):
    (tmp_path / "one.csv").write_text("item,label\n" + "".join(f"p{row},red\n" for row in range(40)))
    asked = ["train", folder / "images.npz", tmp_path / "one.csv", *SMALL, "-o", tmp_path / "m.safetensors"]
    assert states(refused(*asked), "one class", "'red'", "--classes")


def test_fine_tuning_on_labels_in_which_a_class_does_not_occur_says_how(folder, tmp_path):
    network = tmp_path / "m.safetensors"
    run(*words(folder, network))
    (tmp_path / "two.csv").write_text(
        "item,label\n" + "".join(f"p{row},{('red', 'blue')[row % 2]}\n" for row in range(40))
    )
    asked = ["train", folder / "images.npz", tmp_path / "two.csv", "--from", network, "--epochs", 1, "--crop", 0]
    asked += ["-o", tmp_path / "n.safetensors"]
    assert states(refused(*asked), "--classes blue,green,red")
    run(*asked, "--classes", "blue,green,red")
    assert load_network(tmp_path / "n.safetensors").classes == ("blue", "green", "red")


def test_the_card_says_where_the_labels_come_from_and_which_fold_it_is(folder, tmp_path):
    run(*words(folder, tmp_path / "m.safetensors", "--folds", 2, "--jobs", 1, epochs=1))
    for fold in (1, 2):
        card = json.loads((tmp_path / f"m-fold-{fold}-last.safetensors.json").read_text())
        assert card["labels from"] == {"path": str(folder / "votes.csv")} and card["fold"] == f"{fold} of 2"
    done = run("train", "digits", "digits", *SMALL, "--epochs", 1, "--json", "-o", tmp_path / "d.safetensors")
    assert json.loads(done.stdout)["labels from"] == {"data set": "digits"}


def test_notices_have_no_empty_lines_where_there_is_no_terminal_for_a_bar(folder, tmp_path):
    said = run(*words(folder, tmp_path / "m.safetensors", "--size", 10, "--folds", 2, "--jobs", 1, epochs=1)).stderr
    assert said and "" not in said.splitlines()


def test_the_help_shows_every_option_in_its_group_and_what_is_held_out_unless_given():
    shown = run("train", "--help").stdout
    validation = " ".join(shown.replace("│", " ").split()).partition("--validation ")[2].partition(" --")[0]
    assert states(validation, "[default: 0.2]")
    titles = [*PANELS, "How the labels are read"]
    assert all(f"─ {title} ─" in shown for title in titles)
    options = inspect.signature(train).parameters
    assert {name for names in PANELS.values() for name in names} <= set(options)
    assert f"─ {titles[-1]} ─" in run("describe", "--help").stdout


@pytest.mark.parametrize(
    ("more", "facts"),
    [
        (["--seed", 5], ["seed was 0", "is 5"]),
        (["--learning-rate", 0.05], ["learning_rate was 0.1", "is 0.05"]),
        (["--width", 8], ["network differs"]),
        (["--delivery", "majority"], ["labels", "delivered"]),
    ],
)
def test_another_training_in_the_folder_is_refused_with_what_the_user_changed(folder, tmp_path, more, facts):
    asked = words(folder, tmp_path / "m.safetensors", "--checkpoint", tmp_path / "state", epochs=1)
    run(*asked)
    assert states(refused(*override(asked, *more)), tmp_path / "state", "another training", *facts)


def test_it_is_said_where_there_are_too_few_items_to_hold_one_out(folder, tmp_path):
    (tmp_path / "few.csv").write_text("item,label\np0,red\np1,blue\n")
    asked = [
        "train",
        folder / "images.npz",
        tmp_path / "few.csv",
        *SMALL,
        "--epochs",
        1,
        "-o",
        tmp_path / "m.safetensors",
    ]
    assert states(refused(*asked), "--validation 0.2", "2 items")
    run(*asked, "--validation", 0)
