"""What goes beyond the paper: texts, shrunken targets, and the human ceiling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.datasets.catalogue import load
from dissensus.evaluate.ceiling import human_ceiling
from dissensus.labels.distributions import Distributions
from dissensus.labels.sampling import evenly_spaced
from dissensus.labels.shares import as_distributions
from dissensus.papers.gheibi2026.studies import SIZES, data_of
from dissensus.papers.paper import Scale, Tell
from dissensus.papers.text_sets import CHAOSNLI, minilm_features, people_of
from dissensus.study.description import read_folder
from dissensus.study.read_spec import study_of
from dissensus.study.run import StudyProgress, run_study
from dissensus.study.spec import Study
from dissensus.study.summary.cell_table import cell_rows
from dissensus.train.heads.features import FeatureTable

ALL = "all"
KEPT = ("best", "last")


@dataclass(frozen=True)
class TextSet:
    """A set of texts on which deliveries are compared.

    few   answers drawn of each text, beside all of them: the least that some text has, or fewer
    data  names of its data sets
    """

    title: str
    few: int
    data: tuple[str, ...]


TEXTS = {
    "chaosnli": TextSet("ChaosNLI", 5, CHAOSNLI),
    "popquorn": TextSet("POPQUORN offensiveness", 5, ("popquorn",)),
    "hs-brexit": TextSet("HS-Brexit", 3, ("hs-brexit",)),
}
DELIVERIES = ("soft", "sls", "multipass")
TEXT_SIZES: dict[Scale, dict[str, Any]] = {
    "quick": {"seeds": 3, "at_most": 100, "epochs": 10},
    "laptop": {"seeds": 10, "at_most": None, "epochs": 20},
    "overnight": {"seeds": 10, "at_most": None, "epochs": 20},
    "full": {"seeds": 10, "at_most": None, "epochs": 20},
}
FEW_VOTES = (5, 10)
SHRUNK_SEEDS: dict[Scale, int] = {"quick": 3, "laptop": 5, "overnight": 5, "full": 10}
CEILING: dict[Scale, dict[str, int]] = {
    "quick": {"items": 2_000, "refits": 5, "draws": 5},
    "laptop": {"items": 10_000, "refits": 10, "draws": 10},
    "overnight": {"items": 10_000, "refits": 10, "draws": 10},
    "full": {"items": 10_000, "refits": 30, "draws": 20},
}
CEILING_METRICS = ("soft_nll", "kl", "accuracy", "entropy_spearman")


def text_runs(scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Scores by set, votes, delivery and epoch kept, one for each seed."""
    size, told = TEXT_SIZES[scale], {}
    for place, (name, texts) in enumerate(TEXTS.items()):

        def embedding(done: int, total: int, place: int = place) -> None:
            tell((place + 0.5 * done / max(total, 1)) / len(TEXTS))

        def training(now: StudyProgress, place: int = place) -> None:
            tell((place + 0.5 + 0.5 * now.done / now.total) / len(TEXTS))

        every = people_of(name)
        rows = evenly_spaced(every.n_items, size["at_most"])
        people, x = every.select(rows), minilm_features(name, every, rows, folder, embedding)
        study = _text_study(people, x, texts.few, size)
        run_study(study, folder / name, jobs=1, say=lambda notice: None, progress=training)
        told[name] = {"few": texts.few, "runs": _runs(folder / name)}
    return told


def _text_study(people: Distributions, x: np.ndarray, few: int, size: Mapping[str, Any]) -> Study:
    return study_of(
        {
            "name": "Deliveries on texts",
            "seeds": size["seeds"],
            "delivery": list(DELIVERIES),
            "data": {"texts": {"labels": people, "features": FeatureTable(x, people.items)}},
            "labels": {"votes": [few, ALL]},
            "model": {
                "head": "mlp",
                "hidden": 64,
                "dropout": 0.0,
                "epochs": size["epochs"],
                "learning_rate": 1e-3,
                "batch": 32,
                "standardise": True,
                "patience": "none",
                "keep": list(KEPT),
            },
            "split": {"test": 0.2, "validation": "test"},
            "evaluate": {"metrics": ["soft_nll", "kl", "accuracy"]},
        }
    )


def _runs(folder: Path) -> dict[str, list[float]]:
    """Soft NLL by "votes · delivery · epoch kept", in the order of the seeds."""
    runs: dict[str, list[float]] = {}
    for row in sorted(cell_rows(read_folder(folder)), key=lambda row: row["seed"]):
        runs.setdefault(f"{row['votes']} · {row['delivery']} · {row['keep']}", []).append(row["soft_nll"])
    return runs


def shrinkage_study(scale: Scale) -> Study:
    """Soft and drawn labels from few votes, shrunk towards the crowd or not; draws from the posterior; multipass.

    Here few votes are real ones, drawn without replacement: shrinkage is fitted to votes.
    """
    size = SIZES[scale]["heads"]
    return study_of(
        {
            "name": "Shrinkage and delivery",
            "seeds": SHRUNK_SEEDS[scale],
            "delivery": ["soft", "sls", "multipass", "posterior"],
            "data": {"cifar10h": data_of("heads", size.items)},
            "labels": {"votes": list(FEW_VOTES), "aggregation": ["none", "shrinkage"]},
            "skip": [{"delivery": ["multipass", "posterior"], "aggregation": "shrinkage"}],
            "model": dict(size.model) | {"keep": list(KEPT)},
            "split": {"test": 0.2, "validation": "test"},
            "evaluate": {"metrics": ["soft_nll", "kl", "accuracy"]},
        }
    )


def ceiling(scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """What people's own distribution would score, and what half a crowd scores of the other half."""
    size = CEILING[scale]
    people = as_distributions(load("cifar10h").labels)
    rows = evenly_spaced(people.n_items, size["items"])
    top = human_ceiling(
        people.select(rows), np.random.default_rng(2026), refits=size["refits"], draws=size["draws"], replicates=200
    )
    kinds = {"corrected": top.corrected, "half": top.half}
    return {
        kind: {name: [of[name].value, of[name].low, of[name].high] for name in CEILING_METRICS}
        for kind, of in kinds.items()
    } | {"half_votes": top.half_votes, "items": top.items}
