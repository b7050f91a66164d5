"""Several probes on one page: what can be done is done, what cannot is said, and numbers are those of the functions."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
import torch
from torch import nn

from dissensus import Distributions, Votes
from dissensus.labels.as_json import json_text
from dissensus.probe import (
    DETECTORS,
    Probed,
    attack,
    barrier,
    describe_probes,
    image_batches,
    linear_cka,
    probe_network,
)
from dissensus.probe.probed import choose_items
from dissensus.probe.probes import PROBES
from dissensus.probe.runs.saliency import overlay_map
from dissensus.report.document import Document, Section, Table
from dissensus.report.html import html_page
from dissensus.train import ImageTable, Network, NetworkConfig, TrainConfig, train_network
from tests.elicit.test_accessibility import STANDARDS, VIOLATIONS, axe  # noqa: F401  (a fixture)
from tests.facts import refuses, states
from tests.train.pictures import CLASSES, blobs, tiny

HALF = (0.5, 0.5, 0.5)
IMAGES, SHARES = blobs(40)
OUTSIDE, _ = blobs(30, seed=5)


def network(seed=0, norm=True):
    torch.manual_seed(seed)
    return Network(tiny(norm).eval(), CLASSES, HALF, HALF)


def probed(networks=1, **more):
    models = {f"net {seed}": network(seed) for seed in range(networks)}
    return Probed(models, image_batches(models["net 0"], IMAGES, SHARES), **more)


@pytest.fixture(scope="module")
def everything():
    reference, _ = blobs(60, seed=9)
    return probe_network(probed(2, outside={"near & far": OUTSIDE}, reference=reference, epsilons=(4.0, 8.0), seed=3))


@pytest.mark.parametrize("name", PROBES)
def test_every_probe_has_a_sentence_a_table_and_json(everything, name):
    result, setting = everything.parts[name], everything.probed
    assert result.answer(setting).endswith(".") and len(result.answer(setting).split()) <= 30
    blocks = list(Document("probe", "answer", sections=[Section("", result.blocks(setting))]).blocks())
    assert any(isinstance(block, Table) and block.note for block in blocks) and json_text(result.as_json())
    assert set(PROBES[name].uses) <= {"networks", "outside", "reference", "epsilons"}


def test_all_possible_probes_run_and_the_others_are_reported(everything):
    assert list(everything.parts) == list(PROBES)
    assert all(remark.startswith("curvature: trace of ") for remark in everything.remarks), "1000 draws were too few"
    alone = probe_network(probed(), ("saliency", "gradients"))
    assert list(alone.parts) == ["saliency", "gradients"]


def test_missing_input_is_a_remark_unless_its_probe_was_asked_for():
    obstacles = {name: obstacle for name in PROBES if (obstacle := PROBES[name].find_obstacle(probed()))}
    settings = {name: list(obstacle.ways[0].settings) for name, obstacle in obstacles.items()}
    assert settings == {"ood": ["outside"], "barrier": ["networks"], "cka": ["networks"]}
    for name in ("ood", "barrier", "cka"):
        with refuses(name, place=name) as refused:
            probe_network(probed(), (name,))
        assert (refused.value.problem, refused.value.ways) == (obstacles[name].problem, obstacles[name].ways)
    with refuses("probe 'attack'", "'attacks'", ", ".join(PROBES)):
        probe_network(probed(), ("attack",))


def test_a_probe_that_a_network_does_not_take_does_not_lose_the_others():
    """Frozen weights have no curvature, and without a last linear layer there is no gradient by it."""
    torch.manual_seed(0)
    module = nn.Sequential(nn.Conv2d(3, 3, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()).requires_grad_(False)
    odd = Network(module, CLASSES, HALF, HALF)
    what = Probed({"odd": odd}, image_batches(odd, IMAGES, SHARES))
    result = probe_network(what)
    assert list(result.parts) == ["attacks", "saliency"] and describe_probes(result, "blobs").title == "Inside odd"
    for name, facts in (("curvature", ("no weight",)), ("gradients", ("Sequential", "no nn.Linear"))):
        (remark,) = (remark for remark in result.remarks if remark.startswith(name))
        assert states(remark, "left out", *facts)
    with refuses("no weight", "a gradient", place="curvature"):
        probe_network(what, ("attacks", "curvature"))


def test_networks_of_two_architectures_have_no_way_between_them_but_their_features_compare():
    torch.manual_seed(1)
    wide = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3)).eval()
    two = replace(probed(), networks={"net 0": network(), "wide": Network(wide, CLASSES, HALF, HALF)})
    with refuses("different architectures", "BatchNorm2d (1)", "ReLU (1)", place="barrier"):
        probe_network(two, ("barrier",))
    result = probe_network(two, ("cka", "saliency"))
    assert result.parts["cka"].columns == (24, 8) and result.parts["saliency"].stability is None
    assert "not compared" in result.remarks[0]


def test_numbers_are_those_of_the_functions_on_the_same_items(everything):
    setting = everything.probed
    first, second = setting.networks.values()
    fgsm = attack(first, IMAGES, SHARES, "fgsm", epsilons=(4, 8))
    assert np.allclose(everything.parts["attacks"].by_method["fgsm"].after[8].soft_nll, fgsm.after[8].soft_nll)
    way = barrier(first, second, setting.batches)
    assert np.allclose(everything.parts["barrier"].barrier.interpolated.loss, way.interpolated.loss)
    assert everything.parts["cka"].cka == pytest.approx(linear_cka(first.features(IMAGES), second.features(IMAGES)))
    assert "knn" in everything.parts["ood"].detection.inside


def test_a_probe_draws_the_same_whichever_others_are_run(everything):
    again = probe_network(replace(everything.probed), ("attacks",))
    ours, theirs = (result.parts["attacks"].by_method["pgd"] for result in (again, everything))
    assert np.array_equal(ours.after[4].accuracy, theirs.after[4].accuracy)
    assert np.array_equal(ours.steps[8].soft_nll, theirs.steps[8].soft_nll)


def test_an_epsilon_that_the_steps_of_pgd_cannot_reach_causes_a_remark():
    result = probe_network(probed(epsilons=(4.0, 16.0)), ("attacks",))
    (remark,) = (remark for remark in result.remarks if "pgd" in remark)
    assert remark.startswith("attacks: ") and states(remark, "10 steps of 1", "epsilon 16", "fgsm")


def test_without_training_images_knn_is_left_out_with_a_remark():
    result = probe_network(probed(outside={"far": OUTSIDE}), ("ood",))
    assert "knn" not in result.parts["ood"].detection.inside
    (remark,) = result.remarks
    assert remark.startswith("ood: ") and states(remark, "knn", "left out", "no reference images")


def test_images_that_are_probed_are_not_their_own_neighbours():
    """Without this, an image that is in the reference too is at distance 0 from one of its 50 neighbours."""
    others, _ = blobs(60, seed=9)
    mixed = ImageTable(np.concatenate([IMAGES.pixels, others.pixels]))
    alone = probe_network(probed(outside={"far": OUTSIDE}, reference=others), ("ood",))
    both = probe_network(probed(outside={"far": OUTSIDE}, reference=mixed), ("ood",))
    assert both.parts["ood"].as_json() == alone.parts["ood"].as_json()
    (remark,) = both.remarks
    assert remark.startswith("ood: ") and states(remark, "knn", "40 of 100 reference images")


def test_too_few_training_images_leave_knn_out_instead_of_ending_the_run():
    found = probe_network(probed(outside={"far": OUTSIDE}, reference=OUTSIDE), ("ood",))
    (remark,) = found.remarks
    assert remark.startswith("ood: ") and states(remark, "knn", "left out", "30 reference images", "50 or more")
    found = probe_network(probed(outside={"far": OUTSIDE}, reference=IMAGES), ("ood",))
    assert states(found.remarks[0], "knn", "40 reference images", "40 of them probed", "50 or more")


def test_images_that_are_both_inside_and_outside_cause_a_remark():
    found = probe_network(probed(outside={"far": OUTSIDE, "same": IMAGES.select(range(7))}), ("ood",))
    (remark,) = (remark for remark in found.remarks if "inside" in remark)  # none about "far"
    assert remark.startswith("ood: ") and states(remark, "7 of 7 images", "same", "inside")


def test_one_item_is_probed_as_far_as_it_goes():
    batches = image_batches(network(), IMAGES.select([0]), SHARES.select(items=[0]))
    one = Probed({"net": network()}, batches)
    assert states(PROBES["gradients"].find_obstacle(one).problem, "1 item", "2 or more")
    assert describe_probes(probe_network(one, ("attacks", "saliency")), "one").facts[0] == ("items", 1)


def test_an_epsilon_of_0_moves_nothing_and_no_gradient_is_blamed():
    assert not probe_network(probed(epsilons=(0.0, 4.0)), ("attacks",)).remarks


@pytest.mark.parametrize(
    ("given", "facts"),
    [
        ({"networks": [network()]}, ("networks", "a list", "{'mine': network}")),
        ({"networks": {"m": nn.Flatten()}}, ("networks", "torch Flatten", "{'mine': network}")),
        ({"batches": []}, ("batches is a list", "image_batches(network, images, labels)")),
        ({"outside": IMAGES}, ("outside", "an ImageTable", "{'far': as_images(pixels)}")),
        ({"outside": {"far": IMAGES.pixels}}, ("outside", "(40, 8, 8, 3)", "{'far': as_images(pixels)}")),
        ({"reference": IMAGES.pixels}, ("reference", "(40, 8, 8, 3)", "as_images(pixels)")),
        ({"epsilons": 4}, ("epsilons is an int", "(4, 8)")),
        ({"epsilons": (4 / 255,)}, ("epsilon is 0.0156863", "0 to 255", "say 4")),
    ],
)
def test_inputs_of_another_type_are_refused_by_name(given, facts):
    with refuses(*facts):
        replace(probed(), **given)


def test_one_probe_may_be_named_alone():
    assert list(probe_network(probed(), "gradients").parts) == ["gradients"]


def test_maps_of_few_pixels_cause_a_remark():
    """Two unrelated maps of 2 x 2 pixels correlate at 0.5 or more, either way, in half of all cases."""
    rough = {}
    for seed in range(2):
        torch.manual_seed(seed)
        module = nn.Sequential(nn.Conv2d(3, 6, 3, stride=4), nn.ReLU(), nn.Flatten(), nn.Linear(24, 3)).eval()
        rough[f"net {seed}"] = Network(module, CLASSES, HALF, HALF)
    found = probe_network(Probed(rough, image_batches(rough["net 0"], IMAGES, SHARES)), "saliency")
    assert found.remarks[0].startswith("saliency: ") and states(found.remarks[0], "4 pixels", "2 x 2 maps")
    assert not probe_network(probed(2), "saliency").remarks


def test_json_has_every_part_and_comes_back(everything):
    record = json.loads(json_text(everything.as_json()))
    assert record["what"] == list(PROBES) and record["items"] == 40 and record["model"] == "net 0"
    both = record["barrier"]
    assert both["batch_norms"] == 1 and both["interpolated"]["barrier"] != both["renewed"]["barrier"]
    assert states(both["statistics_renewed_on"], "60 images", "training set")
    over = record["curvature"]["over"]
    assert over[0]["items"] == "all" and over[0]["top_eigenvalues"]["items"] == 40
    assert over[1]["top_eigenvalues"]["items"] < 10 and len(over[0]["top_eigenvalues"]["value"]) == 3
    assert {row["set"] for row in record["ood"]} == {"near & far"} and len(record["ood"]) == len(DETECTORS)


def test_the_page_shows_every_number_of_the_tables_and_fetches_nothing(everything):
    document = describe_probes(everything, "blobs & votes")
    page = html_page(document)
    root = ElementTree.fromstring(page.removeprefix("<!doctype html>"))
    headings = ["".join(node.itertext()) for node in root.iter("h2")]
    assert [heading for heading in headings if heading != "Remarks"] == [probe.title for probe in PROBES.values()]
    assert document.answer == " ".join(everything.parts[name].answer(everything.probed) for name in ("attacks", "ood"))
    cells = " ".join("".join(node.itertext()) for node in root.iter("td"))
    for epsilon, scores in everything.parts["attacks"].by_method["pgd"].after.items():
        assert f"{scores.means()['accuracy']:.1%}" in cells and f"{epsilon:g}" in cells
    assert f"{everything.parts['cka'].cka:.3f}" in cells
    assert all(node.get("aria-label") for node in root.iter("svg"))
    assert all(node.get("alt") and node.get("src").startswith("data:image/png") for node in root.iter("img"))
    assert "http" not in page.replace("http://www.w3.org", "")


def test_a_map_tints_the_image_where_it_is_strong_and_leaves_it_grey_elsewhere():
    pixels = np.full((4, 4, 3), 100, dtype=np.uint8)
    drawn = overlay_map(pixels, np.array([[1.0, 0.0], [-1.0, 0.0]]))
    assert (drawn[:, 2:] == 100).all()
    assert drawn[0, 0, 0] > drawn[0, 0, 2] and drawn[3, 0, 0] < drawn[3, 0, 2]  # orange above, blue below
    assert (overlay_map(pixels, np.zeros((2, 2))) == 100).all()


def test_items_on_which_everybody_agrees_have_no_slice_and_no_correlation():
    certain = Distributions(np.eye(3)[np.arange(40) % 3], IMAGES.items, CLASSES)
    torch.manual_seed(0)
    linear = Network(nn.Sequential(nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(12, 3)), CLASSES, HALF, HALF)
    setting = Probed({"linear": linear}, image_batches(linear, IMAGES, certain))
    result = probe_network(setting)
    assert list(result.parts) == ["attacks", "curvature", "gradients"]
    assert list(result.parts["curvature"].eigenvalues) == ["all"]
    assert json.loads(json_text(result.as_json()))["gradients"]["spearman_with_entropy"] is None
    for name, *facts in (
        ("ood", "left out", "no images"),
        ("barrier", "left out", "no other network"),
        ("cka", "left out", "no other network"),
        ("saliency", "left out", "no convolution"),
        ("curvature", "people agree", "every item"),
        ("gradients", "same entropy"),
    ):
        (remark,) = (remark for remark in result.remarks if remark.startswith(name) and "trace of" not in remark)
        assert states(remark, *facts)


def trained(source=None):
    config = NetworkConfig(width=4, depth=1, training=TrainConfig(epochs=1, batch=16, crop=1, flip=False, seed=3))
    table = ImageTable(IMAGES.pixels, IMAGES.items, source)
    return table, train_network(table, Votes.of_counts(SHARES), config, lambda notice: None, quiet=True)


def test_items_held_out_are_drawn_again_from_the_card_and_checked_by_its_score():
    said = []
    table, training = trained({"path": "here"})
    votes = Votes.of_counts(SHARES)
    chosen, people = choose_items(
        {"best": training.best}, table, votes, np.random.default_rng(0), said.append, held_out=True
    )
    held_out, count = said
    assert len(chosen) == 8 and states(held_out, "best: 8 of 40", "held out", "best epoch")
    assert states(count, "8 of 40 items", "probed")
    assert training.scores["best"]["soft_nll"] == pytest.approx(
        -(people * np.log(training.best.probs(chosen))).sum(axis=1).mean(), rel=1e-4
    )
    turned = Votes.of_counts(SHARES.select(np.arange(40)[::-1]))
    with refuses("held-out items", "best", "soft NLL", training.scores["best"]["soft_nll"]):
        choose_items({"best": training.best}, table, turned, np.random.default_rng(0), said.append, held_out=True)


def test_of_two_networks_only_items_held_out_of_both_are_probed():
    config = NetworkConfig(width=4, depth=1, training=TrainConfig(epochs=1, batch=16, crop=1, flip=False))
    networks, votes = {}, Votes.of_counts(SHARES)
    for seed in (1, 2):
        training = train_network(
            IMAGES,
            votes,
            replace(config, training=replace(config.training, seed=seed)),
            lambda notice: None,
            quiet=True,
        )
        networks[f"seed {seed}"] = training.last
    parts = [
        choose_items({name: networks[name]}, IMAGES, votes, np.random.default_rng(0), print, held_out=True)[0]
        for name in networks
    ]
    both = set(parts[0].items.tolist()) & set(parts[1].items.tolist())
    chosen, _ = choose_items(networks, IMAGES, votes, np.random.default_rng(0), print, held_out=True)
    assert set(chosen.items.tolist()) == both and 0 < len(both) < 8


def test_images_of_other_channels_are_refused_with_the_set_and_the_network():
    grey = Network(
        nn.Sequential(nn.Conv2d(1, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3)).eval(),
        CLASSES,
        HALF[:1],
        HALF[:1],
    )
    pale = ImageTable(IMAGES.pixels[..., :1], IMAGES.items)
    batches = image_batches(grey, pale, SHARES)
    with refuses("in colour", "3 channels", "takes grey", place="far for pale"):
        probe_network(Probed({"pale": grey}, batches, outside={"far": OUTSIDE}))
    with refuses("grey", "takes colour", "np.repeat(pixels, 3, axis=3)", place="the images for bright"):
        probe_network(Probed({"pale": grey, "bright": network()}, batches))


def test_images_that_a_network_cannot_take_are_refused_by_name():
    module = nn.Sequential(nn.Flatten(), nn.Linear(192, 3))
    setting = Probed(
        {"flat": Network(module, CLASSES, HALF, HALF)}, probed().batches, outside={"tall": blobs(9, 10)[0]}
    )
    with refuses("flat", "10 x 10", place="tall", ways={"size": ...}):
        probe_network(setting, ("ood",))


def test_the_page_can_be_used_by_everybody(everything, launched, axe, tmp_path):  # noqa: F811
    file = tmp_path / "probe.html"
    file.write_text(html_page(describe_probes(everything, "blobs")), encoding="utf-8")
    browser = launched()
    try:
        for width in (1600, 400):
            page = browser.new_context(viewport={"width": width, "height": 900}).new_page()
            page.goto(file.as_uri())
            page.evaluate(axe)
            assert [rule["id"] for rule in page.evaluate(VIOLATIONS, STANDARDS)] == [], width
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing sticks out sideways"
    finally:
        browser.close()


def test_images_of_the_training_set_cause_a_warning():
    said = []
    table, training = trained({"path": "here"})
    choose_items({"best": training.best}, table, SHARES, np.random.default_rng(0), said.append)
    (warning,) = said
    assert warning.startswith("warning: ") and states(warning, "best", "same place", "8 held-out items")
    said.clear()
    choose_items(
        {"best": training.best}, ImageTable(IMAGES.pixels, IMAGES.items), SHARES, np.random.default_rng(0), said.append
    )
    assert not said


def test_images_of_the_training_set_cause_a_warning_however_their_place_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table, training = trained({"path": "pics"})
    for place, known in (
        ({"path": str(tmp_path / "pics")}, True),
        ({"path": "pics", "changed": ["40 of 40 images were resized"]}, True),
        ({"path": str(tmp_path / "other" / "pics")}, False),
        ({"data set": "pics"}, False),
    ):
        said: list[str] = []
        here = replace(table, source=place)
        choose_items({"best": training.best}, here, SHARES, np.random.default_rng(0), said.append)
        assert bool(said) == known, place


def test_some_items_are_drawn_by_the_seed_and_keep_their_labels():
    said = []
    drawn = [
        choose_items({"net": network()}, IMAGES, SHARES, np.random.default_rng(4), said.append, items=12)
        for _ in range(2)
    ]
    assert np.array_equal(drawn[0][0].items, drawn[1][0].items)
    assert states(said[0], "12 of 40 items", "probed", "at random")
    rows = [IMAGES.items.tolist().index(item) for item in drawn[0][0].items.tolist()]
    assert np.array_equal(SHARES.probs[rows], drawn[0][1])
    with refuses("items=41", "40 items", "1 to 40"):
        choose_items({"net": network()}, IMAGES, SHARES, np.random.default_rng(4), said.append, items=41)


def test_labels_of_other_classes_are_refused():
    other = Distributions(SHARES.probs, SHARES.items, ("red", "green", "pink"))
    with refuses("['red', 'green', 'blue']", "['red', 'green', 'pink']", "knows 'pink'"):
        choose_items({"net": network()}, IMAGES, other, np.random.default_rng(0), print)
