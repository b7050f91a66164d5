"""probe, from the command line: what it prints and writes, and how it refuses."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from dissensus import Distributions, Votes, write
from dissensus.cli.main import app
from dissensus.cli.probe import PANELS, probe
from dissensus.probe import PROBES
from dissensus.train import NETWORKS, Network, save_network
from dissensus.train.heads.config import HeadConfig, initial_layers
from dissensus.train.heads.head import Head
from dissensus.train.heads.model_files import save_head
from tests.train.pictures import CLASSES, blobs

HALF = (0.5, 0.5, 0.5)
QUICK = ["--what", "gradients"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Images with their names, votes on them, two networks of one architecture, one of another, and a head."""
    at = tmp_path_factory.mktemp("probe")
    images, shares = blobs(40)
    np.savez(at / "images.npz", pixels=images.pixels, items=images.items.astype(str))
    np.savez(at / "others.npz", pixels=blobs(30, seed=8)[0].pixels)
    np.savez(at / "training.npz", pixels=blobs(60, seed=9)[0].pixels)
    write(Votes.of_counts(shares), at / "votes.csv", say=lambda notice: None)
    renamed = Distributions(shares.probs, shares.items, ("red", "green", "pink"))
    write(renamed, at / "pink.parquet", say=lambda notice: None)
    for seed, width in ((0, 4), (1, 4), (2, 8)):
        torch.manual_seed(seed)
        network = Network(NETWORKS["small"](classes=3, width=width, depth=1).eval(), sorted(CLASSES), HALF, HALF)
        save_network(network, at / f"{'wide' if width == 8 else f'net-{seed}'}.safetensors")
    save_head(Head(initial_layers(HeadConfig(kind="linear"), 4, 3), CLASSES), at / "head.safetensors")
    return at


def call(folder, *more, model="net-0.safetensors", labels="votes.csv"):
    words = ["probe", folder / model, folder / "images.npz", folder / labels, *more]
    return CliRunner().invoke(app, [str(word) for word in words])


def run(folder, *more, **inputs):
    done = call(folder, *more, **inputs)
    assert done.exit_code == 0, done.output + done.stderr
    return done


def refused(folder, *more, **inputs):
    done = call(folder, *more, **inputs)
    assert done.exit_code == 2 and not done.stdout, done.output
    *notices, line = done.stderr.splitlines()
    assert line.startswith("error: ") and not any("error" in notice for notice in notices)
    return line


def test_json_is_alone_on_standard_output_and_says_what_was_left_out(folder):
    record = json.loads(
        run(folder, "--json", "--what", "attacks,gradients", "--epsilon", "4..6", "--epsilon", "2", "--seed", 5).stdout
    )
    assert record["what"] == ["attacks", "gradients"] and record["items"] == 40 and record["seed"] == 5
    assert [after["epsilon"] for after in record["attacks"][0]["after"]] == [2, 4, 5, 6]
    assert [attack["method"] for attack in record["attacks"]] == ["fgsm", "pgd"]


def test_both_barriers_are_printed_and_the_networks_have_their_names(folder):
    done = run(folder, "--what", "barrier,cka,saliency", "--other", folder / "net-1.safetensors")
    for words in ("statistics renewed", "statistics interpolated", "net-0 and net-1", "most disputed"):
        assert words in done.stdout
    assert "renewed on the images that are probed" in " ".join(done.stdout.split())


def test_sets_of_other_images_have_names_and_training_images_bring_knn(folder):
    others = folder / "others.npz"
    record = json.loads(
        run(
            folder,
            "--json",
            "--what",
            "ood",
            "--ood",
            others,
            "--ood",
            f"far={others}",
            "--reference",
            folder / "training.npz",
            "--items",
            20,
        ).stdout
    )
    assert {row["set"] for row in record["ood"]} == {"others", "far"}
    assert {row["detector"] for row in record["ood"]} >= {"knn", "energy"} and record["ood"][0]["outside"] == 20


def test_the_page_is_written_and_the_terminal_has_the_same_numbers(folder, tmp_path):
    page = tmp_path / "page.html"
    done = run(folder, "--what", "gradients,saliency", "--html", page, "--items", 12)
    text = page.read_text(encoding="utf-8")
    assert "<h1>Inside net-0</h1>" in text and PROBES["gradients"].title in text
    spearman = done.stdout.split("median variance")[1].split()[1]
    assert f">{spearman}<" in text and f"wrote {page}" in done.stderr


def test_items_are_those_that_the_seed_draws(folder):
    ran = [json.loads(run(folder, *QUICK, "--json", "--items", 15, "--seed", seed).stdout) for seed in (1, 1, 2)]
    assert ran[0] == ran[1] != ran[2] and ran[0]["items"] == 15
    assert ran[0]["remarks"] == ["15 of 40 items are probed, drawn at random"]


def test_what_cannot_be_probed_is_one_line(folder):
    assert "head.safetensors: is a head, not a network" in refused(folder, *QUICK, model="head.safetensors")
    assert "which knows 'pink'" in refused(folder, *QUICK, labels="pink.parquet")
    assert "Read the labels with --classes blue,green,red" in refused(folder, *QUICK, "--classes", "red,green,blue")
    assert "unknown probe 'attack'; did you mean 'attacks'" in refused(folder, "--what", "attack")
    wide = folder / "wide.safetensors"
    assert "barrier: the two networks are of different" in refused(folder, "--what", "barrier", "--other", wide)
    line = refused(folder, "--what", "ood")
    assert line.startswith("error: ood: no images") and "with --ood" in line
    line = refused(folder, "--what", "cka")
    assert line.startswith("error: cka: no other network") and line.endswith("with --other")
    same = refused(folder, *QUICK, "--other", folder / "net-0.safetensors")
    assert "is the file of the model" in same


def test_options_that_say_nothing_are_one_line(folder):
    for epsilon in ("four", "8..4", "4..", ""):
        assert f"--epsilon {epsilon}: expected a number of 255" in refused(folder, *QUICK, "--epsilon", epsilon)
    assert "if this is a share of 1, say 7.65" in refused(folder, "--epsilon", "0.03", model="none.safetensors")
    assert "there is no folder" in refused(folder, *QUICK, "--html", folder / "none" / "page.html")
    assert "--items 41 of 40 items" in refused(folder, *QUICK, "--items", 41)
    assert "batch is 0" in refused(folder, *QUICK, "--batch", 0)
    others = folder / "others.npz"
    assert "this name is taken" in refused(folder, "--what", "ood", "--ood", others, "--ood", others)
    assert "the card of the network does not say" in refused(folder, *QUICK, "--held-out")
    assert "no such file or folder, and no data set" in refused(folder, *QUICK, "--ood", "nowhere.npz")


def test_what_is_wrong_with_other_images_is_said_with_their_option(folder):
    for option, place in (("--ood", f"near={folder / 'votes.csv'}"), ("--reference", str(folder / "votes.csv"))):
        line = refused(folder, *QUICK, option, place)
        assert line.startswith(f"error: {option} {place}: cannot read images from the ending '.csv'")


def test_networks_that_share_a_file_name_are_called_by_their_folders(folder, tmp_path):
    again = tmp_path / "net-0.safetensors"
    again.write_bytes((folder / "net-1.safetensors").read_bytes())
    record = json.loads(run(folder, "--json", "--what", "cka", "--other", again).stdout)
    assert record["model"] == str(folder / "net-0") and record["other"] == str(tmp_path / "net-0")


def test_a_seed_below_0_is_refused_by_its_name(folder):
    assert refused(folder, *QUICK, "--seed", "-1") == "error: --seed -1: expected a whole number, 0 or more"


def test_an_option_that_no_chosen_probe_looks_at_is_said(folder):
    done = run(folder, *QUICK, "--epsilon", "8", "--reference", folder / "training.npz")
    assert "--epsilon is ignored: it is for attacks" in done.stderr
    assert "--reference is ignored: it is for ood, barrier" in done.stderr
    assert "--ood" not in done.stderr and "ignored" not in run(folder, *QUICK).stderr


def test_a_page_never_replaces_what_is_read(folder):
    other = folder / "net-1.safetensors"
    assert "would replace a file that is read here" in refused(folder, *QUICK, "--other", other, "--html", other)


def test_every_option_of_a_panel_is_an_option(folder):
    import inspect

    known = inspect.signature(probe).parameters
    assert {name for names in PANELS.values() for name in names} <= set(known)
