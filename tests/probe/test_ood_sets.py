"""A model and sets from outside, in one call."""

import json
from dataclasses import asdict

import numpy as np
import torch
from sklearn.ensemble import RandomForestClassifier

from dissensus.probe import DETECTORS, detect_ood, odin, ood_scores, separation
from dissensus.probe.ood import msp
from dissensus.train import Network
from dissensus.train.heads.head import Head
from dissensus.train.heads.logistic import soft_logistic
from tests.facts import refuses
from tests.train.pictures import CLASSES, blobs, tiny


def head_and_items(d=6, seed=0):
    """A head on three clusters, held-out items of these, and items from elsewhere, near and far."""
    rng = np.random.default_rng(seed)
    middle = 4 * np.eye(3, d)
    code = np.arange(300) % 3
    x = middle[code] + rng.normal(size=(300, d))
    fit = soft_logistic(x[:200], np.eye(3)[code[:200]], np.ones(200), penalty=1.0)
    away = {shift: middle.mean(axis=0) - shift + rng.normal(size=(80, d)) for shift in (0.5, 3.0)}
    return Head((fit.layer,), CLASSES), x[:200], x[200:], {"near": away[0.5], "far": away[3.0]}


def test_a_head_is_looked_at_by_all_six_and_each_set_has_its_row():
    head, reference, inside, outside = head_and_items()
    detection = detect_ood(head, inside, outside, reference=reference)
    records = detection.as_json()
    assert [(r["set"], r["detector"]) for r in records] == [(s, d) for s in ("near", "far") for d in DETECTORS]
    assert json.loads(json.dumps(records)) == records
    assert {(r["inside"], r["outside"]) for r in records} == {(100, 80)}
    assert all(r["auroc"] > 0.6 for r in records)
    expected = {
        name: ood_scores(head.logits(x), x, reference=reference)
        for name, x in (("in", inside), ("far", outside["far"]))
    }
    for name in DETECTORS:
        result = separation(expected["in"][name], expected["far"][name])
        np.testing.assert_equal(asdict(detection.separations["far"][name]), asdict(result))
        assert np.array_equal(detection.inside[name], expected["in"][name])


def test_without_a_reference_knn_is_left_out():
    head, _, inside, outside = head_and_items()
    calls = []
    detection = detect_ood(head, inside, outside, progress=lambda done, total: calls.append((done, total)))
    assert list(detection.inside) == [name for name in DETECTORS if name != "knn"]
    assert calls == [(1, 3), (2, 3), (3, 3)] and "separations=dict of 2" in repr(detection)


def test_a_network_takes_images_and_the_step_of_odin():
    torch.manual_seed(0)
    network = Network(tiny().eval(), CLASSES, (0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
    inside, reference, outside = blobs(40)[0], blobs(60, seed=1)[0], 255 - blobs(30, seed=2)[0].pixels
    detection = detect_ood(network, inside, {"negative": outside}, reference=reference, neighbours=5, epsilon=0.01)
    assert list(detection.inside) == list(DETECTORS)
    assert np.array_equal(detection.outside["negative"]["odin"], odin(network, outside, epsilon=0.01))
    assert np.array_equal(detection.inside["msp"], msp(network.logits(inside)))


def test_a_classifier_without_features_or_energies_is_refused():
    _, reference, inside, outside = head_and_items()
    forest = RandomForestClassifier(20, random_state=0).fit(reference, np.arange(200) % 3)
    detection = detect_ood(forest, inside, outside, detectors=("msp", "entropy", "margin"))
    assert detection.separations["far"]["msp"].auroc > 0.6
    with refuses("energy is 0", "every item", "leave energy out"):
        detect_ood(forest, inside, outside)
    with refuses("knn", "_ClassifierModel", "detectors=['msp', 'energy', 'odin', 'entropy', 'margin']"):
        detect_ood(forest, inside, outside, reference=reference)


def test_what_cannot_be_detected_is_refused():
    head, reference, inside, outside = head_and_items()
    for call, facts in (
        (lambda: detect_ood(head, inside, outside["far"]), ("outside", "(80, 6)", "{'far': images}")),
        (lambda: detect_ood(head, inside, {}), ("outside", "empty", "{'far': images}")),
        (lambda: detect_ood(head, inside, outside, detectors=["knn"]), ("knn", "reference=")),
        (lambda: detect_ood(head, inside, outside, reference=reference[:9]), ("neighbours is 50", "9 items", "1 to 9")),
        (
            lambda: detect_ood(head, inside, outside, epsilon=0.01),
            ("epsilon is 0.01", "a Head", "a Network", "epsilon=0"),
        ),
        (lambda: detect_ood(head, inside[:, :5], outside), ("(100, 5)", "6 features")),
        (lambda: detect_ood("head", inside, outside), ("a str", "Network(module, classes, mean, std)")),
    ):
        with refuses(*facts):
            call()


def test_cifar100_is_told_from_cifar10_on_frozen_features(data_folder, loaded):
    """Gheibi 2026, table 8, for networks: ODIN and energy lead and agree, then entropy and MSP, the margin is last."""
    folder = data_folder / "features"
    known, near = (
        np.load(folder / f"{name}_efficientnet_lite0.npz")["values"].astype(np.float64)
        for name in ("cifar10_test", "cifar100_test_2k")
    )
    counts = loaded("cifar10h").labels.counts()[:1000].astype(np.float64)
    middle, spread = known[:1000].mean(axis=0), known[:1000].std(axis=0) + 1e-9
    train, inside, outside = ((x - middle) / spread for x in (known[:1000], known[9000:], near[::2]))
    fit = soft_logistic(train, counts / counts.sum(axis=1, keepdims=True), np.ones(1000), penalty=333, tolerance=1e-3)
    names = [f"class {code}" for code in range(10)]
    detection = detect_ood(Head((fit.layer,), names), inside, {"cifar100": outside}, reference=train)
    area = {name: result.auroc for name, result in detection.separations["cifar100"].items()}
    assert abs(area["odin"] - area["energy"]) < 0.01
    assert min(area["odin"], area["energy"]) > area["msp"] > area["margin"] > 0.75
    assert max(area.values()) < 0.93 and area["knn"] > 0.75
