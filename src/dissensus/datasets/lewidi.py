"""Learning With Disagreements: four sets of the shared tasks of 2023 and 2025."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dissensus.datasets.dataset import DataCheck, DataSet, Facts, LabelledItems, build_labelled_items, class_names
from dissensus.labels.names import encode
from dissensus.labels.votes import Votes

_PEOPLE = ("lewidi/annotators_2025.parquet",)


def read_lists(
    path: Path,
    people: Path | None = None,
    *,
    codes: tuple[int, ...],
    classes: tuple[str, ...],
    beside: tuple[str, ...] = (),
    gold: bool = False,
) -> LabelledItems:
    """Read votes from one row per item with parallel lists; items with withheld labels are left out.

    codes, classes  the code of each class in the file, and its name
    beside          further parallel lists, kept as extra columns
    gold            whether the file's hard_label (0 or 1) is the gold class
    """
    table = pq.read_table(path)
    table = table.filter(pa.array(_is_labelled(table["annotations"])))
    answers = table["annotations"].combine_chunks()
    each = pc.list_value_length(answers).to_numpy()  # (n,)
    columns = {name: _parallel(path, table, name, each) for name in ("annotators", *beside)}
    choice, _ = encode(answers.flatten(), codes)
    annotator, annotators = encode(columns.pop("annotators"))
    extra = pa.table(columns) if columns else None
    if people is not None:
        extra = _add_background(extra, pq.read_table(people), path.stem, annotators[annotator])
    votes = Votes(
        item=np.repeat(np.arange(table.num_rows, dtype=np.int32), each),
        items=table["item"].to_pylist(),
        annotator=annotator,
        annotators=annotators,
        choice=choice,
        classes=classes,
        extra=extra,
    )
    known = [name for name in table.column_names if name not in {"item", "annotators", "annotations", *beside}]
    about = {name: table[name] for name in known}
    if gold:
        about = {"gold": class_names(table["hard_label"].to_numpy(), classes)} | about
    return build_labelled_items(votes, **about)


def _is_labelled(annotations: pa.ChunkedArray) -> np.ndarray:
    """Whether an item has votes: withheld labels are lists of nulls.  (n,)"""
    lists = annotations.combine_chunks()
    known = np.zeros(len(lists), dtype=bool)
    row = pc.list_parent_indices(lists).to_numpy()
    known[row[lists.flatten().is_valid().to_numpy(zero_copy_only=False)]] = True
    return known


def _parallel(path: Path, table: pa.Table, name: str, each: np.ndarray) -> pa.Array:
    lists = table[name].combine_chunks()
    lengths = pc.list_value_length(lists).fill_null(0).to_numpy()
    bad = np.flatnonzero(lengths != each)
    if bad.size:
        raise ValueError(
            f"{path}: item {table['item'][int(bad[0])].as_py()} has {each[bad[0]]} annotations and {lengths[bad[0]]} "
            f"{name}; expected equally many; {bad.size} of {each.size} items differ"
        )
    return lists.flatten()


def _add_background(extra: pa.Table | None, people: pa.Table, dataset: str, who: np.ndarray) -> pa.Table:
    """Add columns about the annotator of each vote, null if unknown."""
    people = people.filter(pc.equal(people["dataset"], dataset))
    position = {name: row for row, name in enumerate(people["annotator"].to_pylist())}
    rows = pa.array([position.get(name) for name in who.tolist()], pa.int64())
    known = [name for name in people.column_names[2:] if people[name].null_count < people.num_rows]
    columns = {name: people[name].take(rows) for name in known}
    return pa.table(({} if extra is None else dict(zip(extra.column_names, extra.columns, strict=True))) | columns)


def _splits(**expected: int) -> DataCheck:
    def holds(loaded: LabelledItems) -> bool:
        splits = loaded.items["split"].to_pylist()
        return {name: splits.count(name) for name in set(splits)} == expected

    return DataCheck(", ".join(f"{count:,} items in {name}" for name, count in expected.items()), holds)


def _soft_label(is_one: tuple[int, ...]) -> DataCheck:
    def holds(loaded: LabelledItems) -> bool:
        votes = loaded.labels
        assert isinstance(votes, Votes)
        share = votes.counts()[:, list(is_one)].sum(axis=1) / votes.per_item
        return bool(np.abs(share - loaded.items["soft_label_1"].to_numpy()).max() < 0.006)

    return DataCheck("the published soft label is the share of votes, up to its rounding", holds)


def _dataset(name: str, edition: int, **fields: Any) -> DataSet:
    repository = {2023: "Ni-Vi/lewidi_2023", 2025: "AadiSanghani/LeWidi"}[edition]
    file = f"lewidi/{name.replace('-', '_')}.parquet"
    return DataSet(
        name=name,
        source=f"https://github.com/{repository}",
        licence="none stated",
        files=((file,),),
        obtain=f"take the {edition} edition from GitHub {repository} (the task has its own terms) and pack one row per "
        f"item with lists of annotators and annotations into {file}",
        **fields,
    )


def _scale(lowest: int, highest: int) -> dict[str, Any]:
    codes = tuple(range(lowest, highest + 1))
    return {"codes": codes, "classes": tuple(map(str, codes))}


_EDITION_2023 = "Leonardelli et al. (2023), SemEval-2023 Task 11: Learning With Disagreements"
_EDITION_2025 = "Leonardelli et al. (2025), LeWiDi-2025 at NLPerspectives"

DATASETS = (
    _dataset(
        "hs-brexit",
        2023,
        title="HS-Brexit hate speech",
        what="tweets about Brexit judged hateful or not by six annotators of two groups (annotator_group 1 target, 2 "
        "control); contains hateful language",
        citation=f"Akhtar, Basile, Patti (2021), Whose Opinions Matter?; {_EDITION_2023}",
        facts=Facts(items=1_120, classes=2, answers=6_720, annotators=6, fewest=6, most=6),
        read=partial(
            read_lists,
            codes=(0, 1),
            classes=("not hateful", "hateful"),
            gold=True,
            beside=("aggressive", "offensive", "annotator_group"),
        ),
        checks=(_splits(train=784, dev=168, test=168), _soft_label((1,))),
    ),
    _dataset(
        "convabuse",
        2023,
        title="ConvAbuse, abuse of conversational agents",
        what="what people say to chat bots: 1 not abusive, 0 ambiguous, -1 to -3 increasingly abusive; contains "
        "abusive language",
        citation=f"Cercas Curry, Abercrombie, Rieser (2021), ConvAbuse; {_EDITION_2023}",
        facts=Facts(items=4_050, classes=5, answers=12_168, annotators=8, fewest=2, most=8),
        read=partial(read_lists, **_scale(-3, 1)),
        checks=(_splits(train=2_398, dev=812, test=840), _soft_label((0, 1, 2))),
    ),
    _dataset(
        "par",
        2025,
        title="Par, paraphrase detection",
        what="how far two questions are paraphrases, -5 to 5, with an explanation of each rating; the 50 items whose "
        "labels were withheld are left out",
        citation=_EDITION_2025,
        facts=Facts(items=450, classes=11, answers=1_800, annotators=4, fewest=4, most=4),
        read=partial(read_lists, **_scale(-5, 5), beside=("explanations",)),
        also=(_PEOPLE,),
        checks=(_splits(train=400, dev=50),),
    ),
    _dataset(
        "csc",
        2025,
        title="CSC, sarcasm in conversation (dev only)",
        what="how sarcastic a reply is, 1 to 6; the 704 items whose labels were withheld are left out, and the train "
        "split is not in the source",
        citation=f"Jang, Frassinelli (2024), Generalizable Sarcasm Detection; {_EDITION_2025}",
        facts=Facts(items=704, classes=6, answers=3_186, annotators=850, fewest=4, most=6),
        read=partial(read_lists, **_scale(1, 6)),
        also=(_PEOPLE,),
        checks=(_splits(dev=704),),
    ),
)
