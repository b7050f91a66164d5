"""What is true of every delivery: a function of seed, epoch and item, whoever asks."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from inspect import Parameter, signature
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from dissensus.aggregate.aggregations import aggregate_labels
from dissensus.cli.main import app
from dissensus.datasets.catalogue import load
from dissensus.deliver import (
    DELIVERIES,
    WRAPPERS,
    Delivery,
    deliver,
    mixup,
    multipass,
    posterior,
    sls,
    smoothed,
    soft,
    stale,
    wrapped,
)
from dissensus.deliver.deliveries import wrapper_forms
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.completion import COMPLETIONS
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import share
from dissensus.labels.votes import Votes
from tests.facts import refuses, states


@pytest.fixture(scope="module")
def anaesthetists() -> Votes:
    return load("anesthesia").labels


def spec(name: str) -> str:
    """How a wrapper is written, with the number its entry gives as an example."""
    knob = WRAPPERS[name].knob
    return name if knob is None else f"{name}={knob.example}"


def wrapping(name: str, delivery: str) -> Callable[[Votes], Delivery]:
    return lambda labels: wrapped(deliver(labels, delivery, seed=5), spec(name), seed=4)


MAKERS: dict[str, Callable[[Votes], Delivery]] = {
    **{name: partial(deliver, name=name, seed=5) for name in DELIVERIES},
    **{f"{name} soft": wrapping(name, "soft") for name in WRAPPERS},
    **{f"{name} sls": wrapping(name, "sls") for name, entry in WRAPPERS.items() if not entry.needs_probabilities},
    "posterior distribution": partial(posterior, seed=5, draw="distribution"),
    "three deep": lambda labels: smoothed(stale(mixup(multipass(labels, 1), 2, alpha=1.0), 3), 0.05),
}


@pytest.fixture(scope="module")
def made(votes):
    """Every delivery by its name, and every wrapper around a hard and a soft one."""
    return {name: make(votes) for name, make in MAKERS.items()}


@pytest.mark.parametrize("name", MAKERS)
def test_targets_are_classes_or_probabilities(made, votes, name):
    delivery = made[name]
    assert (delivery.n_items, delivery.classes) == (60, votes.classes)
    assert np.array_equal(delivery.items, votes.items)
    for epoch in range(6):
        targets = delivery.targets(epoch)
        if delivery.hard:
            assert targets.shape == (60,) and targets.dtype == np.int64
            assert targets.min() >= 0 and targets.max() < 4
        else:
            assert targets.shape == (60, 4) and targets.dtype == np.float64
            assert targets.min() >= 0 and np.allclose(targets.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("name", MAKERS)
def test_any_epoch_can_be_asked_for_in_any_order_and_again(votes, made, name):
    forwards = [made[name].targets(epoch) for epoch in range(8)]
    resumed = MAKERS[name](votes)  # another process would make it anew, and go on from epoch 5
    for epoch in (5, 7, 6, 0, 3, 5):
        assert np.array_equal(resumed.targets(epoch), forwards[epoch])
    assert made[name].fixed == all(np.array_equal(forwards[0], other) for other in forwards)


@pytest.mark.parametrize("name", MAKERS)
@given(items=st.lists(st.integers(0, 59), max_size=30), epoch=st.integers(0, 10**6))
def test_a_part_of_the_items_has_the_same_targets_as_in_the_whole(made, name, items, epoch):
    delivery = made[name]
    assert np.array_equal(delivery.targets(epoch, items), delivery.targets(epoch)[np.array(items, dtype=np.int64)])
    if delivery.mixes:
        part, whole = delivery.mixing(epoch, items), delivery.mixing(epoch)
        assert np.array_equal(part.partner, whole.partner[items]) if items else part.partner.size == 0
        assert np.array_equal(part.weight, whole.weight[items]) if items else part.weight.size == 0


@pytest.mark.parametrize("name", MAKERS)
def test_machines_that_share_the_items_deliver_what_one_delivers(made, name):
    delivery = pickle.loads(pickle.dumps(made[name]))  # as worker processes receive it
    shares = [np.arange(rank, 60, 3) for rank in range(3)]
    whole = made[name].targets(4)
    for part in shares:
        assert np.array_equal(delivery.targets(4, part), whole[part])


@pytest.mark.parametrize("name", MAKERS)
def test_what_a_delivery_holds_cannot_be_changed_through_its_targets(made, name):
    before = made[name].targets(1).copy()
    targets = made[name].targets(1)
    if targets.flags.writeable:
        targets[:] = 0
    else:
        with pytest.raises(ValueError, match="read-only"):
            targets[:] = 0
    assert np.array_equal(made[name].targets(1), before)


@pytest.mark.parametrize("name", [name for name, maker in DELIVERIES.items() if "seed" in signature(maker).parameters])
def test_another_seed_delivers_otherwise(votes, name):
    one, two = (deliver(votes, name, seed=seed) for seed in (5, 6))
    assert not np.array_equal(one.targets(0), two.targets(0))


def test_another_process_loads_little_and_delivers_the_same():
    """A checksum of what a fresh interpreter draws: no hash seed, no state, no address enters.

    The fronts, and the tables behind the help of the command line, load neither SciPy nor numba.
    """
    code = (
        "import sys, dissensus.aggregate, dissensus.deliver; from dissensus.labels.votes import Votes\n"
        "dissensus.aggregate.AGGREGATIONS, dissensus.deliver.DELIVERIES, dissensus.deliver.WRAPPERS\n"
        "print([name for name in ('scipy', 'numba', 'torch') if name in sys.modules])\n"
        "import numpy as np; from dissensus.deliver import sls, mixup\n"
        "m = np.arange(50); names = ('a', 'b', 'c')\n"
        "votes = Votes(item=m % 20, items=np.arange(20), classes=names, choice=m % 3)\n"
        "d = mixup(sls(votes, 9), 9, alpha=0.5); print(d.targets(123456).tobytes().hex())"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    few = Votes(item=np.arange(50) % 20, items=np.arange(20), classes=("a", "b", "c"), choice=np.arange(50) % 3)
    assert printed.splitlines() == ["[]", mixup(sls(few, 9), 9, alpha=0.5).targets(123456).tobytes().hex()]


GAP = Votes(item=np.array([0, 0, 2]), items=np.array(["a", "b", "c"]), classes=("x", "y"), choice=np.array([0, 1, 1]))


@pytest.mark.parametrize("name", DELIVERIES)
def test_an_item_without_votes_is_refused_by_name_or_estimated(name):
    if name == "posterior":
        assert posterior(GAP, 0).targets(0).shape == (3,)
        assert posterior(GAP, 0, draw="distribution").targets(0).shape == (3, 2)
        return
    with refuses("item b", "no votes", "1 of 3 items", "select(items=...)", "shrinkage"):
        deliver(GAP, name, seed=0)


@pytest.mark.parametrize("name", DELIVERIES)
def test_shares_that_know_their_votes_do_as_well_as_votes_unless_single_answers_are_needed(votes, name):
    shares = Distributions.from_counts(votes.counts(), items=votes.items, classes=votes.classes)
    if name == "deaggregated":
        with refuses("deaggregated", "single answers", "Votes", "Beliefs", "sls"):
            deliver(shares, name, seed=0)
        return
    assert deliver(shares, name, seed=0).targets(3).shape[0] == 60


@pytest.mark.parametrize("name", DELIVERIES)
def test_beliefs_are_delivered_or_refused_with_the_way_out(votes, name):
    beliefs = COMPLETIONS["dense"](Beliefs.of_votes(votes))
    if name == "posterior":
        with refuses("posterior", "beliefs.first_choices()", "sls"):
            deliver(beliefs, name, seed=0)
        return
    assert deliver(beliefs, name, seed=0).targets(3).shape[0] == 60


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapper_is_what_its_entry_says(votes, name):
    entry = WRAPPERS[name]
    plain = soft(votes)
    seed = {"seed": 4} if "seed" in signature(entry.function).parameters else {}
    knob = {} if entry.knob is None else {entry.knob.name: entry.knob.example}
    by_hand, by_text = entry.function(plain, **seed, **knob), wrapped(plain, spec(name), seed=4)
    assert by_hand.name == by_text.name == f"{name}(soft{''.join(f', {value:g}' for value in knob.values())})"
    assert np.array_equal(by_hand.targets(3), by_text.targets(3))
    if entry.needs_probabilities:
        with refuses("sls", "delivers classes"):
            wrapped(sls(votes, 0), spec(name), seed=0)
    if entry.knob is None:
        with refuses(f"{name}=1", f"expected {name}", "without"):
            wrapped(plain, f"{name}=1", seed=0)
        return
    knob, number = entry.knob, "whole number" if entry.knob.type is int else "a number"
    for text, facts in (
        (name, (f"{name}:", f"{name}=NUMBER", knob.name)),
        (f"{name}=", (f"{name}=:", f"{name}=NUMBER", knob.name)),
        (f"{name}=x", (f"{name}=x", "'x'", number, knob.name, knob.range)),
    ):
        with refuses(*facts):
            wrapped(plain, text, seed=0)


def test_whole_numbers_stay_whole():
    with refuses("stale=1.5", "'1.5'", "whole number", "every", "1 or more"):
        wrapped(soft(GAP.select(items=[0, 2])), "stale=1.5", seed=0)
    with refuses("wrapper 'soften'", ", ".join(WRAPPERS)):
        wrapped(soft(GAP.select(items=[0, 2])), "soften=1", seed=0)


def test_the_page_and_the_help_name_every_delivery_and_wrapper():
    """As the page writes them: name, arguments and defaults; a required keyword as `name=...`."""
    page = (Path(__file__).parents[2] / "docs" / "deliver.md").read_text()
    makers = DELIVERIES | {name: entry.function for name, entry in WRAPPERS.items()}
    for name, maker in makers.items():
        assert f"| `{name}({', '.join(map(shown, signature(maker).parameters.values()))})` |" in page
    fit_help = " ".join(CliRunner().invoke(app, ["fit", "--help"]).stdout.replace("│", " ").split())
    assert all(name in fit_help for name in DELIVERIES)
    assert all(form.partition("=")[0] + "=" * ("=" in form) in fit_help for form in wrapper_forms())


def shown(parameter: Parameter) -> str:
    if parameter.default is Parameter.empty:
        return f"{parameter.name}=..." if parameter.kind is Parameter.KEYWORD_ONLY else parameter.name
    return f"{parameter.name}={parameter.default!r}".replace("'", '"')


@pytest.mark.parametrize("method", ["majority", "dirichlet", "shrinkage", "dawid-skene", "linear-pool"])
@pytest.mark.parametrize("name", ["multipass", "deterministic_control", "deaggregated", "posterior"])
def test_no_answers_are_invented_for_majorities_and_estimates(anaesthetists, method, name):
    """Seven anaesthetists disagree; what was made of their votes does not tell what each of them said."""
    made = aggregate_labels(anaesthetists, method).distributions
    with refuses(name, "single answers" if name == "deaggregated" else "number of votes", "Votes", "sls"):
        deliver(made, name, seed=0)
    assert deliver(made, "sls", seed=0).n_items == 45  # the way out is one


@pytest.mark.parametrize("name", ["multipass", "deterministic_control"])
def test_shares_of_votes_are_passed_through_as_their_votes(anaesthetists, name):
    passes = deliver(share(anaesthetists), name, seed=0)
    cycle = np.stack([passes.targets(epoch) for epoch in range(7)])  # (7, n)
    seen = np.stack([(cycle == code).sum(axis=0) for code in range(4)], axis=1)
    assert np.array_equal(seen, anaesthetists.counts())


def test_invalid_items_epochs_seeds_and_names_are_refused(votes):
    delivery = sls(votes, 0)
    for items, facts in (
        ([0, 60], ("60 items", "0..59", "1 of 2", "such as 60")),
        ([-1], ("60 items", "0..59", "1 of 1", "such as -1")),
        ([0.5], ("(r,) integers", "0 to 59", "float64", "(1,)")),
        ([[1, 2]], ("(r,) integers", "0 to 59", "int64", "(1, 2)")),
    ):
        with refuses(*facts):
            delivery.targets(0, items)
    for epoch in (-1, 1.5, True, "3"):
        with refuses(f"epoch is {epoch!r}", "whole number", "0 or more"):
            delivery.targets(epoch)
    for seed in (-1, 2**64, 0.5, None):
        with refuses(f"seed is {seed!r}", "whole number", "0 to 2**64 - 1"):
            sls(votes, seed)
    with refuses("delivery 'slz'", "'sls'", ", ".join(DELIVERIES)):
        deliver(votes, "slz", seed=0)
    with refuses("majority", "'alpha'", "from: ties"):
        deliver(votes, "majority", seed=0, alpha=1)
    with refuses("sls", "mixes no inputs", "mixup(delivery, ...)"):
        delivery.mixing(0)


def test_a_delivery_says_what_it_is(votes):
    assert states(repr(smoothed(sls(votes, 0), 0.1)), "smoothed(sls, 0.1)", "probabilities", "60 items", "4 classes")
    assert states(repr(sls(votes, 0)), "sls", "classes", "60 items", "4 classes")
