"""Recalibration before aggregation: gold matched by name, and the option of `dissensus aggregate`."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from dissensus import Beliefs, Votes, complete, read
from dissensus.aggregate.aggregations import aggregate_labels
from dissensus.aggregate.pooling import linear_pool
from dissensus.aggregate.recalibration import fit_temperatures, gold_codes, recalibrate, temperatures_by
from dissensus.cli.main import app
from tests.facts import refuses, states

SURE = "x,ann,0.99,0.01\ny,ann,0.98,0.02\nz,ann,0.99,0.01\n"
SAID = f"item,annotator,stated.a,stated.b\n{SURE}x,bo,0.6,0.4\ny,bo,0.4,0.6\nz,bo,0.7,0.3\n"
GOLD = "item,label\nz,a\ny,b\nelsewhere,a\n"


def stated_by(
    people: int, each: int, temperature: float, rng: np.random.Generator, k: int = 10
) -> tuple[Beliefs, np.ndarray]:
    """Beliefs, most of them fairly sure, and right classes drawn from what should have been stated."""
    rows = rng.dirichlet(np.full(k, 0.3), size=people * each)
    honest = np.maximum(rows, 1e-300) ** (1 / temperature)
    honest /= honest.sum(axis=1, keepdims=True)
    gold = (rng.random((len(rows), 1)) > np.cumsum(honest, axis=1)[:, :-1]).sum(axis=1)
    m = len(rows)
    beliefs = Beliefs(
        item=np.arange(m),
        items=np.arange(m),
        annotator=np.repeat(np.arange(people), each),
        annotators=np.arange(people),
        classes=tuple("abcdefghij"[:k]),
        stated=rows,
        ruled_out=np.zeros(rows.shape, dtype=bool),
        named=np.empty((m, 0), dtype=np.int32),
    )
    return beliefs, gold


def log_loss(beliefs: Beliefs, gold: np.ndarray, answers: np.ndarray) -> float:
    chance = beliefs.stated[answers, gold[beliefs.item[answers]]]
    return float(-np.log(np.maximum(chance, 1e-4)).mean())


def quiet(_: str) -> None:
    """Notices are not what these tests are about."""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "said.csv").write_text(SAID)
    (tmp_path / "gold.csv").write_text(GOLD)
    return tmp_path


def verb(folder, *words, code=0):
    result = CliRunner().invoke(app, ["aggregate", *map(str, words), "-o", str(folder / "out.parquet")])
    assert result.exit_code == code, result.output
    return result


def beliefs_of(folder) -> Beliefs:
    labels = read(folder / "said.csv", say=quiet)
    assert isinstance(labels, Beliefs)
    return labels


@pytest.mark.parametrize("temperature", [0.5, 0.75, 1.0, 1.5, 2.0, 3.0])
def test_a_known_temperature_is_recovered_with_the_defaults(temperature):
    """Most of these beliefs give some class less than a thousandth, which must not be read as one percent."""
    beliefs, gold = stated_by(20, 150, temperature, np.random.default_rng(0))
    found = fit_temperatures(beliefs, gold)
    assert found.crowd == pytest.approx(temperature, rel=0.1)
    assert np.median(found.temperature) == pytest.approx(temperature, rel=0.1)


def test_the_reported_means_are_those_of_a_plain_sum_over_crowds_spreads_and_temperatures():
    beliefs, gold = stated_by(3, 4, 1.5, np.random.default_rng(1))
    log_temperature, log_rows = np.linspace(-3, 3, 601), np.log(np.maximum(beliefs.stated, 1e-4))
    likelihood = np.ones((3, log_temperature.size))
    for row, who, right in zip(log_rows, beliefs.annotator, gold, strict=True):
        mass = np.exp(row[:, None] / np.exp(log_temperature))
        likelihood[who] *= mass[right] / mass.sum(axis=0)
    weights, crowds, own = [], [], []
    for crowd in np.linspace(-1.5, 1.5, 61):
        for spread in np.geomspace(0.05, 1.0, 8):
            people = np.exp(-0.5 * ((log_temperature - crowd) / spread) ** 2)
            joint = likelihood * people / people.sum()
            prior = np.exp(-0.5 * (crowd / 0.35) ** 2 - 0.5 * (spread / 0.25) ** 2) * spread
            weights.append(prior * joint.sum(axis=1).prod())
            crowds.append(crowd)
            own.append(joint @ log_temperature / joint.sum(axis=1))
    found = fit_temperatures(beliefs, gold)
    assert np.log(found.crowd) == pytest.approx(np.average(crowds, weights=weights), abs=2e-3)
    np.testing.assert_allclose(np.log(found.temperature), np.average(own, axis=0, weights=weights), atol=2e-3)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_two_known_answers_a_person_leave_the_crowd_within_reason(temperature):
    for seed in range(20):
        found = fit_temperatures(*stated_by(5, 2, temperature, np.random.default_rng(seed), k=3))
        assert 0.5 < found.crowd < 3


@pytest.mark.parametrize("temperature", [0.5, 1.0, 1.5, 3.0])
@pytest.mark.parametrize("known", [2, 20])
def test_what_others_should_expect_is_not_worse_than_what_was_stated(temperature, known):
    """Mean log-loss of unseen answers, over ten crowds of 20: finding one number from N answers costs 1/(2N) nats.

    That is the price where people are honest already; elsewhere recalibration gains much more.
    """
    gains = []
    for seed in range(10):
        beliefs, gold = stated_by(20, known + 50, temperature, np.random.default_rng(seed))
        seen = np.arange(beliefs.n_answers) % (known + 50) < known
        better = recalibrate(beliefs, fit_temperatures(beliefs, np.where(seen, gold, -1)))
        later = np.flatnonzero(~seen)
        gains.append(log_loss(beliefs, gold, later) - log_loss(better, gold, later))
    assert np.mean(gains) > -1 / (2 * 20 * known) - 2 * np.std(gains) / np.sqrt(len(gains))
    assert temperature == 1 or np.mean(gains) > 0.015


def test_more_answers_bring_the_crowd_from_one_to_its_own_temperature():
    crowds = [fit_temperatures(*stated_by(10, each, 3.0, np.random.default_rng(2))).crowd for each in (1, 10, 300)]
    assert 1 < crowds[0] < crowds[1] < crowds[2] and crowds[2] > 2.4


def test_gold_is_matched_by_the_names_of_items_and_classes(folder):
    beliefs = beliefs_of(folder)
    gold = Votes.of(["y", "elsewhere", "z", "z"], ["b", "a", "a", "a"])
    shuffled = Votes(item=gold.item, items=gold.items, choice=1 - gold.choice, classes=gold.classes[::-1])
    assert gold_codes(gold, beliefs).tolist() == gold_codes(shuffled, beliefs).tolist() == [-1, 1, 0]


def test_gold_that_does_not_fit_is_refused(folder):
    beliefs = beliefs_of(folder)
    with refuses("item y", "['a', 'b']", "1 of 2 items"):
        gold_codes(Votes.of(["y", "y", "x"], ["a", "b", "a"]), beliefs)
    with refuses("['a', 'c']", "beliefs ['a', 'b']"):
        gold_codes(Votes.of(["y", "x"], ["a", "c"]), beliefs)
    with refuses("gold begins with q", "beliefs with x"):
        gold_codes(Votes.of(["q", "r"], ["a", "b"]), beliefs)


def test_the_option_tempers_beliefs_before_they_are_pooled(folder):
    words = (folder / "said.csv", "--method", "linear-pool")
    told = verb(folder, *words, "--recalibrate", folder / "gold.csv", "--json")
    assert json.loads(told.stdout)["recalibrate"] == str(folder / "gold.csv")
    assert states(told.stderr.replace("\n", " "), "recalibrated", "gold", "4 known answers")
    beliefs = beliefs_of(folder)
    by_hand = linear_pool(recalibrate(beliefs, fit_temperatures(beliefs, np.array([-1, 1, 0]))))
    found = read(folder / "out.parquet", say=quiet)
    assert np.allclose(found.probs, by_hand.probs, atol=1e-9)
    assert not np.allclose(found.probs, linear_pool(beliefs).probs, atol=0.01)


def test_the_option_takes_second_answers_where_there_are_some(folder):
    words = (folder / "said.csv", "--method", "log-pool", "--recalibrate", "repeats")
    assert states(verb(folder, *words, code=2).stderr, "no annotator", "twice")
    (folder / "said.csv").write_text(SAID + "x,ann,0.3,0.7\nx,bo,0.55,0.45\n")
    told = verb(folder, *words, "--repeats", "keep").stderr.replace("\n", " ")
    assert states(told, "recalibrated", "repeats", "4 known answers")


def test_recalibration_is_refused_where_it_would_do_nothing(folder):
    said = (folder / "said.csv",)
    line = verb(folder, *said, "--method", "share", "--recalibrate", "repeats", code=2).stderr
    assert states(line, "recalibrate", "dawid-skene", "linear-pool", "log-pool", "not for 'share'")
    line = verb(folder, *said, "--method", "log-pool", "--recalibrate", "nowhere.csv", code=2).stderr
    assert states(line, "--recalibrate nowhere.csv", "no such file")
    line = verb(folder, *said, "--method", "log-pool", "--recalibrate", folder / "said.csv", code=2).stderr
    assert states(line, "said.csv", "row per item")
    assert not (folder / "out.parquet").exists()
    with refuses("recalibrate", "stated probabilities", "Votes"):
        aggregate_labels(Votes.of(["x"], ["a"], ["ann"]), "log-pool", recalibrate="repeats")


@pytest.mark.parametrize(("known", "shown"), [("repeat", "'repeat'"), ({"a": "x"}, "dict")])
def test_only_repeats_or_gold_votes_recalibrate(known, shown):
    beliefs = complete(Beliefs.of_votes(Votes.of(["a", "a"], ["x", "y"], [1, 2])))
    with refuses('"repeats"', "Votes", shown):
        temperatures_by(known, beliefs)
