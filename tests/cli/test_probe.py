"""probe, from the command line: what it prints and writes, and how it refuses."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import torch

from dissensus import Distributions, Votes, write
from dissensus.cli.probe import PANELS, probe
from dissensus.probe import PROBES
from dissensus.train import NETWORKS, Network, save_network
from dissensus.train.heads.config import HeadConfig, initial_layers
from dissensus.train.heads.head import Head
from dissensus.train.heads.model_files import save_head
from tests.cli import commands
from tests.facts import states
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


def words(folder, *more, model="net-0.safetensors", labels="votes.csv"):
    return ["probe", folder / model, folder / "images.npz", folder / labels, *more]


def run(folder, *more):
    return commands.run(*words(folder, *more))


def refused(folder, *more, **inputs):
    return commands.refused(*words(folder, *more, **inputs))


def test_json_is_alone_on_standard_output_and_says_what_was_left_out(folder):
    record = json.loads(
        run(folder, "--json", "--what", "attacks,gradients", "--epsilon", "4..6", "--epsilon", "2", "--seed", 5).stdout
    )
    assert record["what"] == ["attacks", "gradients"] and record["items"] == 40 and record["seed"] == 5
    assert [after["epsilon"] for after in record["attacks"][0]["after"]] == [2, 4, 5, 6]
    assert [attack["method"] for attack in record["attacks"]] == ["fgsm", "pgd"]


def test_both_barriers_are_printed_and_the_networks_have_their_names(folder):
    done = run(folder, "--what", "barrier,cka,saliency", "--other", folder / "net-1.safetensors")
    names = ("statistics renewed", "statistics interpolated", "net-0 and net-1", "most disputed")
    assert states(done.stdout, *names)
    (remark,) = re.findall(r"[^.]*renewed on[^.]*", done.stdout)
    assert states(remark, "images", "probed")


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
    (remark,) = ran[0]["remarks"]
    assert states(remark, "15 of 40 items", "random")


def test_what_cannot_be_probed_is_one_line(folder):
    head, same = folder / "head.safetensors", folder / "net-0.safetensors"
    known = ["blue", "green", "red"]
    assert states(refused(folder, *QUICK, model="head.safetensors"), f"{head}:", "is a head", "not a network")
    assert states(refused(folder, *QUICK, labels="pink.parquet"), known, ["red", "green", "pink"], "'pink'")
    line = refused(folder, *QUICK, "--classes", "red,green,blue")
    assert states(line, known, ["red", "green", "blue"], "--classes blue,green,red")
    assert states(refused(folder, "--what", "attack"), "probe 'attack'", "'attacks'", ", ".join(PROBES))
    line = refused(folder, "--what", "barrier", "--other", folder / "wide.safetensors")
    assert states(line, "barrier:", "different architectures", "(4, 12, 3, 3)", "(8, 12, 3, 3)")
    assert states(refused(folder, "--what", "ood"), "error: ood:", "no images", "--ood")
    assert states(refused(folder, "--what", "cka"), "error: cka:", "no other network", "--other")
    assert states(refused(folder, *QUICK, "--other", same), f"--other {same}:", "another network")


def test_invalid_values_of_options_are_one_line(folder):
    for epsilon in ("four", "8..4", "4..", ""):
        assert states(refused(folder, *QUICK, "--epsilon", epsilon), f"--epsilon {epsilon}:", 255, "4..8")
    line = refused(folder, "--epsilon", "0.03", model="none.safetensors")
    assert states(line, "epsilon", "0.03 of 255", "share of 1", "7.65")
    nowhere = folder / "none"
    line = refused(folder, *QUICK, "--html", nowhere / "page.html")
    assert states(line, f"{nowhere / 'page.html'}:", f"no folder {nowhere}")
    assert states(refused(folder, *QUICK, "--items", 41), "--items 41", "40 items", "1 to 40")
    assert states(refused(folder, *QUICK, "--batch", 0), "batch is 0", "1 or more")
    others = folder / "others.npz"
    line = refused(folder, "--what", "ood", "--ood", others, "--ood", others)
    assert states(line, f"--ood {others}:", "name", "NAME=IMAGES", "once")
    assert states(refused(folder, *QUICK, "--held-out"), "card", "held-out items")
    line = refused(folder, *QUICK, "--ood", "nowhere.npz")
    assert states(line, "--ood nowhere.npz:", "no such file", "no data set")


def test_what_is_wrong_with_other_images_is_said_with_their_option(folder):
    for option, place in (("--ood", f"near={folder / 'votes.csv'}"), ("--reference", str(folder / "votes.csv"))):
        line = refused(folder, *QUICK, option, place)
        assert line.startswith(f"error: {option} {place}: ") and states(line, "images", "'.csv'", ".parquet")


def test_networks_that_share_a_file_name_are_called_by_their_folders(folder, tmp_path):
    again = tmp_path / "net-0.safetensors"
    again.write_bytes((folder / "net-1.safetensors").read_bytes())
    record = json.loads(run(folder, "--json", "--what", "cka", "--other", again).stdout)
    assert record["model"] == str(folder / "net-0") and record["other"] == str(tmp_path / "net-0")


def test_a_seed_below_0_is_refused_by_its_name(folder):
    assert states(refused(folder, *QUICK, "--seed", "-1"), "error: --seed -1:", "0 or more")


def test_an_option_that_no_chosen_probe_uses_is_reported(folder):
    said = run(folder, *QUICK, "--epsilon", "8", "--reference", folder / "training.npz").stderr
    notices = {line.split()[0]: line for line in said.splitlines() if line.startswith("--")}
    assert set(notices) == {"--epsilon", "--reference"}
    assert states(notices["--epsilon"], "attacks", "gradients")
    assert states(notices["--reference"], "ood, barrier", "gradients")
    assert not any(line.startswith("--") for line in run(folder, *QUICK).stderr.splitlines())


def test_a_page_never_replaces_what_is_read(folder):
    other = folder / "net-1.safetensors"
    assert states(refused(folder, *QUICK, "--other", other, "--html", other), f"{other}:", "replace", "another name")


def test_every_option_of_a_panel_is_an_option(folder):
    import inspect

    known = inspect.signature(probe).parameters
    assert {name for names in PANELS.values() for name in names} <= set(known)
