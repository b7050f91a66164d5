"""ChaosNLI: a hundred judgements of whether one sentence follows from another."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dissensus.datasets.dataset import DataCheck, DataSet, Facts, LabelledItems, build_labelled_items, class_names
from dissensus.labels.distributions import Distributions
from dissensus.labels.names import encode
from dissensus.labels.votes import Votes

CLASSES = ("entailment", "neutral", "contradiction")
_LETTERS = {"e": 0, "n": 1, "c": 2, "entailment": 0, "neutral": 1, "contradiction": 2}


def read_counts(path: Path, subset: str) -> LabelledItems:
    """Read the hundred new judgements of each sentence pair as shares; gold is the original majority label."""
    table = _pairs(path, subset)
    counts = np.stack([table[f"n_{name}"].to_numpy() for name in CLASSES], axis=1)  # (n, 3)
    return _describe_pairs(Distributions.from_counts(counts, items=table["uid"].to_pylist(), classes=CLASSES), table)


def read_original(path: Path, subset: str) -> LabelledItems:
    """Read the four or five original labels of each pair, as votes without annotator."""
    table = _pairs(path, subset)
    lists = table["old_labels"].combine_chunks()
    each = pc.list_value_length(lists).to_numpy()
    votes = Votes(
        item=np.repeat(np.arange(table.num_rows, dtype=np.int32), each),
        items=table["uid"].to_pylist(),
        choice=lists.flatten().to_numpy(),
        classes=CLASSES,
    )
    return _describe_pairs(votes, table)


def read_models(path: Path, subset: str) -> dict[str, Distributions]:
    """Read the predictions of fine-tuned models: softmax of their logits by "model seed s", on the pairs they saw."""
    table = pq.read_table(path)
    table = table.filter(pc.equal(table["subset"].cast(pa.string()), subset))
    run = pc.binary_join_element_wise(table["model"].cast(pa.string()), table["seed"].cast(pa.string()), " seed ")
    codes, names = encode(run)
    logits = np.stack([table[f"logit_{name}"].to_numpy() for name in CLASSES], axis=1).astype(np.float64)  # (m, 3)
    mass = np.exp(logits - logits.max(axis=1, keepdims=True))
    uids = table["uid"].cast(pa.string()).to_numpy(zero_copy_only=False)
    return {
        str(name): Distributions.from_mass(mass[codes == code], items=uids[codes == code], classes=CLASSES)
        for code, name in enumerate(names.tolist())
    }


def _pairs(path: Path, subset: str) -> pa.Table:
    if path.suffix == ".jsonl":
        return _official_pairs(path)
    table = pq.read_table(path)
    return table.filter(pc.equal(table["subset"].cast(pa.string()), subset))


def _official_pairs(path: Path) -> pa.Table:
    rows = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                rows.append(_official_pair(json.loads(line)))
            except (ValueError, KeyError, TypeError) as problem:
                raise ValueError(
                    f"{path}, line {number}: not a line of ChaosNLI v1.0 ({problem!r}); expected uid, label_count, "
                    "example, old_label and old_labels, with labels e, n, c"
                ) from problem
    return pa.Table.from_pylist(rows)


def _official_pair(entry: dict[str, Any]) -> dict[str, Any]:
    entailment, neutral, contradiction = entry["label_count"]
    example = entry["example"]
    return {
        "uid": entry["uid"],
        "premise": example["premise"],
        "hypothesis": example["hypothesis"],
        "source": example["source"],
        "n_entailment": entailment,
        "n_neutral": neutral,
        "n_contradiction": contradiction,
        "old_label": _LETTERS[entry["old_label"]],
        "old_labels": [_LETTERS[label] for label in entry["old_labels"]],
    }


def _describe_pairs(labels: Votes | Distributions, table: pa.Table) -> LabelledItems:
    texts = {name: table[name] for name in ("premise", "hypothesis", "source")}
    return build_labelled_items(labels, gold=class_names(table["old_label"].to_numpy(), CLASSES), **texts)


def _old_majority(loaded: LabelledItems) -> bool:
    assert isinstance(loaded.labels, Votes)
    counts = loaded.labels.counts()
    return bool((counts[np.arange(len(counts)), loaded.gold] == counts.max(axis=1)).all())


_TERMS: dict[str, Any] = {
    "source": "https://github.com/easonnie/ChaosNLI, copied from https://github.com/jsbaan/calibration-on-disagreement-"
    "data",
    "citation": "Nie, Zhou, Bansal (2020), What Can We Learn from Collective Human Opinions on Natural Language "
    "Inference Data?, EMNLP",
    "licence": "CC BY-NC 4.0; none stated for the copy",
}


def _subset(short: str, subset: str, title: str, n: int, old: int, fewest_old: int) -> tuple[DataSet, DataSet]:
    official = f"chaosNLI_{subset}.jsonl"
    fields = _TERMS | {
        "files": (("chaosnli/nli.parquet", f"chaosNLI_v1.0/{official}", f"chaosnli/{official}"),),
        "obtain": f"download chaosNLI_v1.0.zip, linked in the README of GitHub easonnie/ChaosNLI (no checksum is "
        f"published), and put {official} into chaosNLI_v1.0/",
    }
    chosen = "pairs were chosen for low agreement among the original labels, so disagreement is not representative"
    return (
        DataSet(
            name=f"chaosnli-{short}",
            title=f"ChaosNLI {title}",
            what=f"100 judgements of each of {n:,} sentence pairs; no annotator was released; {chosen}",
            facts=Facts(items=n, classes=3, answers=100 * n, fewest=100, most=100),
            read=partial(read_counts, subset=subset),
            **fields,
        ),
        DataSet(
            name=f"chaosnli-{short}-original",
            title=f"Original labels of ChaosNLI {title}",
            what=f"the four or five labels of the same pairs in {title}; {chosen}",
            facts=Facts(items=n, classes=3, answers=old, fewest=fewest_old, most=5),
            checks=(DataCheck("the original label is a majority of the original labels", _old_majority),),
            read=partial(read_original, subset=subset),
            **fields,
        ),
    )


def _models(short: str, subset: str, title: str, runs: int, n: int) -> DataSet:
    return DataSet(
        name=f"chaosnli-{short}-models",
        title=f"Fine-tuned models on ChaosNLI {title}",
        kind="predictions",
        what=f"class probabilities of {runs} fine-tuned models (bert-base on SNLI, roberta-base on both, several "
        f"seeds) on {n:,} pairs",
        source="https://github.com/jsbaan/calibration-on-disagreement-data",
        licence="none stated",
        citation="Baan, Aziz, Plank, Fernandez (2022), Stop Measuring Calibration When Humans Disagree, EMNLP",
        facts=Facts(items=n, classes=3, answers=runs * n, annotators=runs, fewest=runs, most=runs),
        files=(("chaosnli/model_logits.parquet",),),
        read=partial(read_models, subset=subset),
        obtain="take the predictions from GitHub jsbaan/calibration-on-disagreement-data",
    )


DATASETS = (
    *_subset("snli", "snli", "SNLI", 1_514, 7_563, 4),
    *_subset("mnli", "mnli_m", "MNLI-m", 1_599, 7_995, 5),
    _models("snli", "snli", "SNLI", 5, 1_514),
    _models("mnli", "mnli_m", "MNLI-m", 3, 1_569),
)
