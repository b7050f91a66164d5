"""Eleven classic crowdsourcing sets, used to compare aggregation methods."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dissensus.datasets.dataset import (
    DataCheck,
    DataSet,
    Facts,
    Features,
    LabelledItems,
    build_labelled_items,
    class_names,
)
from dissensus.labels.names import encode
from dissensus.labels.votes import Votes

_TABLE = "crowd/crowd.parquet"
_TEXTS = ("crowd/sentiment_polarity_text.parquet",)


def read_votes(path: Path, texts: Path | None = None, *, dataset: str, classes: tuple[str, ...]) -> LabelledItems:
    """Read the votes of one set of the shared table, whose codes 0..k-1 are `classes`."""
    table = pq.read_table(path)
    table = table.filter(pc.equal(table["dataset"].cast(pa.string()), dataset))
    item, items = encode(table["item"])
    annotator, annotators = encode(table["annotator"])
    votes = Votes(
        item=item,
        items=items,
        annotator=annotator,
        annotators=annotators,
        choice=table["label"].to_numpy(),
        classes=classes,
    )
    gold = np.empty(items.size, dtype=np.int32)
    gold[item] = table["gold"].fill_null(-1).to_numpy()
    return build_labelled_items(
        votes,
        gold=class_names(gold, classes) if (gold >= 0).any() else None,
        text=None if texts is None else _sentences(texts).take(pa.array(items)),
    )


def read_labelme_features(path: Path, split: str) -> Features:
    """Read pooled VGG features of the LabelMe images; row i of train is item i of crowd-labelme.  (n, 512) float16"""
    with path.open("rb") as file, np.load(file) as content:
        values, gold = content[f"x_{split}"], content[f"z_{split}"]
    return Features(values, np.arange(len(values)), gold.astype(np.int32))


def _sentences(path: Path) -> pa.ChunkedArray:
    table = pq.read_table(path)
    return table.filter(pc.equal(table["split"].cast(pa.string()), "train"))["text"]  # row i is item i


def _gold_check(expected: int) -> DataCheck:
    return DataCheck(f"{expected:,} items have a gold class", lambda loaded: int((loaded.gold >= 0).sum()) == expected)


def _dataset(
    name: str,
    title: str,
    citation: str,
    votes: int,
    items: int,
    annotators: int,
    classes: tuple[str, ...] | int,
    spread: tuple[int, int],
    gold: int,
    what: str = "",
    **fields: Any,
) -> DataSet:
    names = tuple(map(str, range(classes))) if isinstance(classes, int) else classes
    copy, licence = {
        "anesthesia": ("jeffreypullin/rater", "GPL-2 (package data)"),
        "caries": ("jeffreypullin/rater", "GPL-2 (package data)"),
        "labelme": ("fmenat/PyLearningCrowds", "GPL (stated in its README)"),
        "sentiment_polarity": ("fmenat/PyLearningCrowds", "GPL (stated in its README)"),
    }.get(name, ("yuan-li/truth-inference-at-scale", "MIT for its repacking; the set has its own origin"))
    return DataSet(
        name=f"crowd-{name.replace('_', '-')}",
        title=title,
        citation=citation,
        what=what or "labels are codes; which class a code stands for is not in the source",
        source=f"https://github.com/{copy}",
        licence=licence,
        facts=Facts(
            items=items, classes=len(names), answers=votes, annotators=annotators, fewest=spread[0], most=spread[1]
        ),
        files=((_TABLE,),),
        read=partial(read_votes, dataset=name, classes=names),
        checks=(_gold_check(gold),),
        obtain=f"take {name} from GitHub {copy} and add it to {_TABLE} (dataset, item, annotator, label, gold)",
        **fields,
    )


def _labelme_features(split: str, n: int) -> DataSet:
    return DataSet(
        name=f"labelme-vgg-{split}",
        title=f"VGG features of the LabelMe images, {split}",
        kind="features",
        what="pooled VGG features, 512 numbers as float16, with gold classes; rows of train are items of crowd-labelme",
        source="https://github.com/fmenat/PyLearningCrowds",
        licence="GPL (stated in its README)",
        citation=_LABELME,
        facts=Facts(items=n),
        files=(("crowd/labelme_vgg.npz",),),
        read=partial(read_labelme_features, split=split),
        obtain="take the features from GitHub fmenat/PyLearningCrowds",
    )


_LABELME = (
    "Rodrigues, Lourenço, Ribeiro, Pereira (2017), Learning Supervised Topic Models for Classification and Regression "
    "from Crowds, TPAMI"
)
_WELINDER = "Welinder, Branson, Belongie, Perona (2010), The Multidimensional Wisdom of Crowds, NeurIPS"
_IPEIROTIS = "Ipeirotis, Provost, Wang (2010), Quality Management on Amazon Mechanical Turk, HCOMP"
_TREC = "Buckley, Lease, Smucker (2010), Overview of the TREC 2010 Relevance Feedback Track"
_ZHENG = "Zheng, Li, Li, Shan, Cheng (2017), Truth Inference in Crowdsourcing, VLDB"
_CROWDSCALE = "CrowdScale 2013 shared task"


DATASETS = (
    _dataset("bluebird", "Bluebirds", _WELINDER, 4_212, 108, 39, 2, (39, 39), 108),
    _dataset("trec", "TREC 2010 relevance, two grades", _TREC, 88_385, 19_033, 762, 2, (1, 10), 2_275),
    _dataset("adult", "Adult content of web pages", _IPEIROTIS, 92_721, 11_040, 825, 4, (1, 30), 333),
    _dataset("relevance", "TREC 2010 relevance, four grades", _TREC, 98_453, 20_232, 766, 4, (1, 21), 4_460),
    _dataset("tweet_sentiment", "Sentiment of tweets", _ZHENG, 20_000, 1_000, 85, 2, (20, 20), 1_000),
    _dataset(
        "sentiment_polarity",
        "Sentiment of film reviews",
        "Rodrigues, Pereira, Ribeiro (2013), Learning from Multiple Annotators, Pattern Recognition Letters",
        27_746,
        4_999,
        203,
        ("negative", "positive"),
        (4, 10),
        4_999,
        what="sentences judged negative or positive",
        also=(_TEXTS,),
    ),
    _dataset("weather_cf", "Sentiment of tweets on the weather", _CROWDSCALE, 1_720, 300, 461, 5, (5, 58), 300),
    _dataset("fact_eval", "Judgements of facts", _CROWDSCALE, 216_725, 42_624, 57, 3, (5, 12), 576),
    _dataset(
        "anesthesia",
        "Fitness for anaesthesia",
        "Dawid, Skene (1979), Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm, JRSS C",
        315,
        45,
        5,
        ("1", "2", "3", "4"),
        (7, 7),
        0,
        what="five observers grade 45 patients; observer 0 graded each three times; also embedded as anesthesia",
    ),
    _dataset(
        "caries",
        "Caries in X-ray pictures",
        "Espeland, Handelman (1989), Using Latent Class Models to Characterize and Assess Relative Error, Biometrics",
        19_295,
        3_859,
        5,
        2,
        (5, 5),
        0,
        what="five dentists judge tooth surfaces; item numbers are arbitrary",
    ),
    _dataset("labelme", "Scenes of LabelMe", _LABELME, 2_547, 1_000, 59, 8, (1, 3), 1_000),
    _labelme_features("train", 1_000),
    _labelme_features("valid", 500),
    _labelme_features("test", 1_188),
)
