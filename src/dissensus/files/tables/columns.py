"""The roles of columns: their usual names, and the settings that overrule them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dissensus.files.tables.source import SourceTable
from dissensus.labels.answers import hold
from dissensus.labels.names import as_names, text_column
from dissensus.labels.refusals import Refusal, Way, one_of
from dissensus.labels.settings import document_settings, setting

Layout = Literal["votes", "beliefs", "top-two", "top-one", "slider", "counts", "probabilities", "annotators"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)
Repeats = Literal["error", "keep", "first", "last"]
Missing = Literal["error", "drop"]
Several = Literal["beliefs", "votes"]
CHOICES = {
    "layout": LAYOUTS, "repeats": get_args(Repeats), "missing": get_args(Missing), "several": get_args(Several),
}  # fmt: skip

NOUNS = {
    "layout": "layout",
    "repeats": "rule for repeats",
    "missing": "rule for missing labels",
    "several": "rule for several ticks",
}
# The first name of a role is its own, and wins over the others; `gold`, `text` and `beside` are never taken for a
# class, a label or a person. Case, blanks and marks do not matter: commentId, "Comment ID", comment-id are comment_id.
USUAL = {
    "item": (
        "item", "task", "image", "uid", "id", "item_id", "task_id", "image_id", "example_id", "instance_id",
        "comment_id", "text_id", "document_id", "doc_id", "post_id", "tweet_id", "sentence_id", "question_id",
        "sample_id", "pair_id", "unit_id", "record_id", "message_id", "utterance_id", "review_id", "article_id",
        "passage_id", "paragraph_id", "snippet_id", "story_id", "prompt_id", "video_id", "clip_id", "audio_id",
        "picture_id", "photo_id", "object_id", "stimulus_id", "case_id", "hit_id", "example", "instance",
        "sample", "stimulus", "unit", "img", "img_id", "image_name", "filename",
    ),
    "annotator": (
        "annotator", "worker", "rater", "user", "annotator_id", "worker_id", "rater_id", "user_id", "coder",
        "coder_id", "reviewer", "reviewer_id", "participant", "participant_id", "person", "person_id", "judge",
        "judge_id", "respondent", "respondent_id", "subject", "subject_id", "labeler", "labeler_id", "labeller",
        "labeller_id", "assessor", "assessor_id", "evaluator", "evaluator_id", "observer", "observer_id",
        "contributor", "contributor_id", "crowdworker", "turker", "turker_id", "prolific_id", "annotator_name",
        "worker_name", "username", "annotated_by", "labeled_by", "labelled_by", "rated_by", "completed_by",
    ),
    "label": (
        "label", "choice", "class", "vote", "annotation", "answer", "chosen_label", "category", "rating",
        "score", "grade", "response", "judgment", "judgement", "label_id", "class_id", "class_name",
        "label_name",
    ),
    "seconds": (
        "seconds", "lead_time", "duration_seconds", "time_seconds", "seconds_spent", "elapsed_seconds",
        "response_time_seconds", "work_time_in_seconds",
    ),
    "gold": (
        "gold", "gold_label", "gold_standard", "golden", "truth", "ground_truth", "true_label", "true_class",
        "correct_label", "correct_answer", "right_answer", "expert_label", "hard_label", "old_label",
        "majority", "majority_label", "majority_vote", "aggregated_label", "consensus", "y_true", "gt",
        "final", "final_label", "adjudicated", "adjudicated_label", "resolved",
    ),
    "text": (
        "text", "sentence", "comment", "tweet", "document", "passage", "paragraph", "post", "message",
        "utterance", "premise", "hypothesis", "question", "prompt", "context", "title", "body", "review",
        "article", "url", "link", "explanation", "rationale", "note", "notes", "remark", "description",
    ),
    "beside": (
        "split", "fold", "subset", "dataset", "source", "lang", "language", "domain", "topic", "date", "time",
        "timestamp", "created_at", "updated_at", "submitted_at", "duration", "response_time", "reaction_time",
        "rt", "rt_ms", "elapsed_ms", "time_spent", "age", "gender", "sex", "race", "ethnicity", "education",
        "occupation", "country", "nationality", "device", "confidence", "certainty", "sure", "weight",
        "difficulty", "trust", "trial", "trial_index", "rank", "order", "position", "round", "batch", "index",
        "row", "row_id", "row_number", "session", "session_id", "assignment_id", "annotation_id", "is_repeat",
        "repeat", "votes", "n_votes", "num_votes", "vote_count", "n_annotators", "num_annotators",
        "n_annotations", "num_annotations", "total", "sum", "entropy", "soft_label", "mean",
        "average", "median", "std", "variance", "year", "followers", "retweets", "likes",
    ),
}  # fmt: skip
REPEAT_FLAGS = ("is_repeat", "repeat")


def fold_name(column: str) -> str:
    """Remove the differences between spellings of a name: case, blanks, marks."""
    return "".join(mark for mark in column.casefold() if mark.isalnum())


ROLE_OF = {fold_name(name): role for role, names in USUAL.items() for name in names}
RANK = {fold_name(name): rank for names in USUAL.values() for rank, name in enumerate(names)}


@document_settings
@dataclass(frozen=True, eq=False)
class Reading:
    """How to read labels. The parameters of `read`, the options of the command line and the docs are made from it.

    None means that the reader finds out and reports its guess.
    """

    format: str | None = setting(None, "File format, if not clear from the ending")
    layout: Layout | None = setting(None, "Content of a row", among=LAYOUTS)
    item: str | None = setting(None, 'Column with the name of the item; "" if there is none')
    annotator: str | None = setting(None, 'Column with the name of the annotator; "" if there is none')
    label: str | None = setting(None, "Column with the label")
    seconds: str | None = setting(None, 'Column with the seconds that an answer took; "" if there is none')
    gold: str | None = setting(None, "Column with the right answers, kept as the extra column `gold`")
    drop: Sequence[str] | None = setting(None, "Columns to leave out")
    classes: Sequence[str] | None = setting(
        None, "All classes in order; for counts and probabilities, the columns that have them"
    )
    items: Sequence[Any] | np.ndarray | None = setting(None, "All items in order, also those without an answer")
    annotators: Sequence[Any] | np.ndarray | None = setting(
        None, "All annotators in order; with one column per annotator, the columns that are annotators"
    )
    where: Mapping[str, str] | None = setting(None, "Keep only rows with this value in each of these columns")
    question: str | None = setting(None, "Question to read, if an export has several")
    repeats: Repeats | None = setting(
        None,
        "What to do if an annotator answers an item twice; files written by dissensus keep all",
        among=get_args(Repeats),
    )
    missing: Missing = setting("error", "What to do with rows without a label", among=get_args(Missing))
    scale: float | None = setting(None, "Maximum of probabilities or of a slider: 1, or 100 for percents")
    several: Several | None = setting(
        None,
        "How to read answers that tick several classes; as beliefs with equal mass, or a vote per class",
        among=get_args(Several),
    )
    rescale: bool = setting(False, "Divide rows of probabilities, percents or mass by their sum")
    encoding: str = setting("utf-8", "Text encoding of CSV and TSV files")
    delimiter: str | None = setting(None, "Delimiter of CSV, if not the comma")

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            given = getattr(self, name)
            if given is not None or name == "missing":
                one_of(NOUNS[name], given, allowed)
        for name in ("classes", "items", "annotators", "drop"):
            given = getattr(self, name)
            if given is not None and (isinstance(given, str) or np.ndim(given) != 1):
                raise Refusal(f"{{{name}}}: expected a list of names", **{name: given})
        for name in ("classes", "drop"):
            if getattr(self, name) is not None:
                hold(self, name, tuple(str(given) for given in getattr(self, name)))
        for name in ("items", "annotators"):
            if getattr(self, name) is not None:
                hold(self, name, as_names(getattr(self, name)))
        if self.scale is not None and not (isinstance(self.scale, int | float) and 0 < self.scale < math.inf):
            raise Refusal("{scale}: expected a number above 0, such as 1 or 100", scale=self.scale)


def role_of(column: str, reading: Reading) -> str | None:
    """Return the role that a column's name suggests; None without one, or if the caller says that no column has it."""
    role = ROLE_OF.get(fold_name(column))
    return None if role is not None and getattr(reading, role, None) == "" else role


def candidates(source: SourceTable, role: str, reading: Reading) -> list[str]:
    """Return the columns whose names suggest a role, best first, without those that have another role."""
    taken = [getattr(reading, other) for other in ("item", "annotator", "label", "seconds") if other != role]
    named = [name for name in source.columns if role_of(name, reading) == role and name not in taken]
    return sorted(named, key=lambda name: RANK[fold_name(name)])


def choose(source: SourceTable, role: str, reading: Reading, *, needed: bool = True) -> str | None:
    """Choose the column of a role: the one asked for, else the one whose name suggests it.

    The role's own name wins over the others. If two others match, the caller has to choose, unless both are equivalent:
    columns for the item with the same names in every row, columns for the annotator that distinguish the same people.
    """
    asked = getattr(reading, role)
    if asked == "" and not needed:
        return None
    if asked == "":
        raise Refusal(
            f"{{{role}}} says that no column has the {role}, and every answer needs one",
            source.name,
            [Way(f"name it with {{{role}}}, out of {source.columns}", **{role: ...})],
            **{role: ""},
        )
    if asked is not None:
        return str(one_of(f"{role} column", asked, source.columns, place=source.name))
    fitting = candidates(source, role, reading)
    own = [name for name in fitting if fold_name(name) == role]
    if len(own) == 1 or len(fitting) == 1:
        return (own or fitting)[0]
    if len(fitting) > 1:
        alike = {"item": _hold_the_same_names, "annotator": _tell_the_same_apart}.get(role)
        if alike is not None and all(alike(source, fitting[0], other) for other in fitting[1:]):
            return fitting[0]
        ways = [Way(f"pass {{{role}}}", **{role: name}) for name in fitting]
        if role == "label":
            ways.append(Way("name all of them with {classes} if each is the number of a class", classes=...))
        raise source.refusal(f"the columns {fitting} all look like the {role}", *ways)
    if needed:
        raise source.refusal(
            f"no column looks like the {role}; the columns are {source.columns}, the usual names are "
            f"{list(USUAL[role][:12])} and the like",
            Way(f"name the column with {{{role}}}", **{role: ...}),
        )
    return None


def _hold_the_same_names(source: SourceTable, first: str, second: str) -> bool:
    """Whether two columns have no gaps, and the same value in every row."""
    columns = [source.table[name] for name in (first, second)]
    if source.size == 0 or any(column.null_count or pa.types.is_nested(column.type) for column in columns):
        return False
    return bool(pc.all(pc.equal(*map(text_column, columns))).as_py())


def _tell_the_same_apart(source: SourceTable, first: str, second: str) -> bool:
    """Whether two columns have no gaps, and differ from row to row in the same places."""
    if source.size == 0 or any(source.table[name].null_count for name in (first, second)):
        return False
    a, b = source.codes(first), source.codes(second)
    if a is None or b is None:
        return False
    pairs = np.unique(a.astype(np.int64) * (int(b.max()) + 1) + b).size
    return bool(pairs == np.unique(a).size == np.unique(b).size)
