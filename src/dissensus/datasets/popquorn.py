"""POPQUORN: offensiveness of online comments, rated by people of known background."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dissensus.datasets.dataset import DataCheck, DataSet, Facts, LabelledItems, build_labelled_items
from dissensus.labels.names import encode
from dissensus.labels.votes import Votes

CLASSES = ("1", "2", "3", "4", "5")
BACKGROUND = ("gender", "race", "age", "occupation", "education")


def read_offensiveness(path: Path) -> LabelledItems:
    """Read ratings from 1 to 5 with their annotators, whose background is in extra columns."""
    table = pq.read_table(path)
    item, items = encode(table["item"])
    annotator, annotators = encode(table["annotator"])
    choice, _ = encode(table["label"], CLASSES)
    votes = Votes(
        item=item,
        items=items,
        annotator=annotator,
        annotators=annotators,
        choice=choice,
        classes=CLASSES,
        extra=table.select(list(BACKGROUND)),
    )
    first_row = np.unique(item, return_index=True)[1]
    return build_labelled_items(votes, text=table["text"].cast(pa.string()).take(pa.array(first_row)))


def _one_background_each(loaded: LabelledItems) -> bool:
    votes = loaded.labels
    assert isinstance(votes, Votes) and votes.extra is not None
    people = votes.extra.append_column("annotator", pa.array(votes.require_annotators("background")[0]))
    distinct = people.group_by(["annotator", *BACKGROUND]).aggregate([])
    return bool(distinct.num_rows == votes.n_annotators)


DATASETS = (
    DataSet(
        name="popquorn",
        title="POPQUORN offensiveness",
        what="how offensive 1,500 comments are, from 1 (not at all) to 5 (very), with gender, race, age, occupation "
        "and education of each annotator; contains offensive language",
        source="https://github.com/Jiaxin-Pei/Potato-Prolific-Dataset",
        citation="Pei, Jurgens (2023), When Do Annotator Demographics Matter? Measuring the Influence of Annotator "
        "Demographics with the POPQUORN Dataset, LAW",
        licence="none stated",
        facts=Facts(items=1_500, classes=5, answers=13_036, annotators=262, fewest=5, most=10),
        files=(("popquorn/offensiveness.parquet",),),
        read=read_offensiveness,
        checks=(
            DataCheck("each annotator has one background", _one_background_each),
            DataCheck(
                "40 to 50 ratings by each annotator",
                lambda loaded: loaded.labels.per_annotator.min() == 40 and loaded.labels.per_annotator.max() == 50,
            ),
        ),
        obtain="take the offensiveness ratings from GitHub Jiaxin-Pei/Potato-Prolific-Dataset and pack item, "
        "annotator, label, text and the background columns into popquorn/offensiveness.parquet",
    ),
)
