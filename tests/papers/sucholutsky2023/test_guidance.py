"""A pilot leads to better labels than guessing, on average, and real answers can be its pilot."""

from __future__ import annotations

import numpy as np

from dissensus.papers.sucholutsky2023.guidance import HARD_SECONDS, real_pilot, world


def test_over_many_worlds_a_pilot_saves_loss():
    worlds = [world(np.random.default_rng([2023, number])) for number in range(60)]
    assert all(entry["before"] >= 0 and entry["after"] >= 0 for entry in worlds), "nothing beats the best kind"
    assert np.mean([entry["after"] for entry in worlds]) < np.mean([entry["before"] for entry in worlds])


def test_real_answers_are_timed_and_held_against_other_peoples_votes(data_folder):
    options = {option["kind"]: option for option in real_pilot()["options"]}
    assert set(options) == {"hard", "sparse (2 classes)"}
    assert abs(options["hard"]["seconds"][0] - HARD_SECONDS) < 1e-9
    assert 20 < options["sparse (2 classes)"]["seconds"][0] < 60  # Collins 2022: a median of 32 seconds
    assert 0 < options["hard"]["wrong"][0] < options["sparse (2 classes)"]["wrong"][0] < 0.5
