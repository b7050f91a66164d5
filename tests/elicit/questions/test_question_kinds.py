"""Every kind of question checks what it records, says what it means, and is simulated as the truth says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from dissensus.elicit.questions import attention, class_numbers
from dissensus.elicit.questions import question as question_module
from dissensus.elicit.questions.answers_as_labels import labels_from
from dissensus.elicit.questions.question import Question
from dissensus.elicit.questions.question_kinds import QUESTIONS, check_answer
from dissensus.elicit.templates import PAGES

CLASSES = ("cat", "dog", "ship")
TRUTH = np.array([0.6, 0.3, 0.1])


def question(kind, **options):
    classes = CLASSES if QUESTIONS[kind].needs_classes else ()
    return Question(kind, "What?", classes, {**QUESTIONS[kind].defaults, **options})


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_simulated_answer_passes_its_own_check_and_has_exactly_the_recorded_fields(kind):
    asked, rng = question(kind), np.random.default_rng(0)
    for _ in range(50):
        answer = check_answer(asked, QUESTIONS[kind].simulate(asked, TRUTH, rng))
        assert set(answer) == set(QUESTIONS[kind].fields)


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_stored_answer_is_unchanged_and_labels_keep_its_first_choice(kind):
    """The row of Beliefs, or the vote, of every answer; probabilities are those of its classes alone."""
    asked, rng, entry = question(kind), np.random.default_rng(2), QUESTIONS[kind]
    simulated = [check_answer(asked, entry.simulate(asked, TRUTH, rng)) for _ in range(50)]
    answers = [json.loads(json.dumps(answer)) for answer in simulated]
    assert answers == simulated and len({type(entry.first(answer)) for answer in answers} - {int, float}) <= 1
    if not entry.labels_items:
        return
    given = {"item": np.arange(50), "items": np.arange(50), "annotator": np.zeros(50, int), "annotators": np.arange(1)}
    about = ["dog" if entry.about else ""] * 50
    labels = labels_from(asked, answers, about, CLASSES, **given)
    if entry.gives == "vote":
        assert [CLASSES[code] for code in labels.choice] == [entry.first(answer) for answer in answers]
        return
    stated = [entry.as_belief(asked, answer, name) for answer, name in zip(answers, about, strict=True)]
    for row, said in enumerate(stated):
        assert {CLASSES[j]: labels.stated[row, j] for j in np.flatnonzero(~np.isnan(labels.stated[row]))} == dict(
            said.probabilities
        )
        assert [CLASSES[j] if j >= 0 else None for j in labels.named[row]] == list(said.named)
        assert [CLASSES[j] for j in np.flatnonzero(labels.ruled_out[row])] == list(said.ruled_out)
        assert all(0 <= p <= 1 for p in said.probabilities.values())
    if entry.pools:
        assert [CLASSES[row.argmax()] for row in np.nan_to_num(labels.stated)] == [entry.first(a) for a in answers]


def test_an_answer_about_a_class_that_is_not_among_the_labels_is_refused():
    given = {"item": [0], "items": ["i"], "annotator": [0], "annotators": ["a"]}
    with pytest.raises(ValueError, match="unknown class 'horse'"):
        labels_from(question("typicality"), [{"value": 0.5}], ["horse"], CLASSES, **given)


def test_every_kind_has_its_script_and_every_script_its_kind():
    """A script exports `ask`, as trial.js says; run.html loads the one that the entry names."""
    scripts = {path.stem: path.read_text() for path in (PAGES / "static" / "questions").iterdir()}
    assert scripts.keys() == {entry.script for entry in QUESTIONS.values()}
    for name, script in scripts.items():
        assert re.search(r"^export (function ask\(|const ask = )", script, re.MULTILINE), name
        assert script.startswith("// "), f"{name}: the first line says what it asks"


def test_the_table_of_the_docs_has_every_kind_and_its_answer():
    page = Path(__file__).parents[3] / "docs" / "elicit.md"
    rows = re.findall(r"^\| `([a-z-]+)` \| ([^|]+) \| [^|]+ \|$", page.read_text(), re.MULTILINE)
    summaries = [row for row in rows if row[0] in QUESTIONS]
    assert dict(summaries) == {kind: entry.summary for kind, entry in QUESTIONS.items()}
    assert len(summaries) == len(QUESTIONS), "a kind stands in the table twice"


def test_simulated_answers_average_to_the_truth():
    rng = np.random.default_rng(1)
    votes = [QUESTIONS["choose"].simulate(question("choose"), TRUTH, rng)["choice"] for _ in range(4000)]
    assert np.allclose([votes.count(name) / 4000 for name in CLASSES], TRUTH, atol=0.03)
    for kind, field, whole in (("allocate", "percents", 100), ("tokens", "tokens", 20), ("sliders", "values", 1)):
        answers = [QUESTIONS[kind].simulate(question(kind), TRUTH, rng)[field] for _ in range(2000)]
        means = [np.mean([answer.get(name, 0) for answer in answers]) / whole for name in CLASSES]
        assert np.allclose(means, TRUTH, atol=0.02)


TOP = {"first": "cat", "first_percent": 70, "second": "dog", "second_percent": 20, "ruled_out": ["ship"]}
WRONG = [
    ("choose", {"choice": "horse"}, "choice: .*'horse'.*: cat, dog, ship"),
    ("choose", {"choice": ["cat"]}, "choice: .*\\['cat'\\]"),
    ("choose", {}, r"missing \['choice'\]"),
    ("choose", {"choice": "cat", "why": "x"}, r"unknown \['why'\]"),
    ("choose", "cat", "answer is str"),
    ("top-two", {**TOP, "first": None}, "first: .*None"),
    ("top-two", {**TOP, "first_percent": 101}, "first_percent is 101; .*0 to 100"),
    ("top-two", {**TOP, "first_percent": True}, "first_percent is True"),
    ("top-two", {**TOP, "first_percent": float("nan")}, "first_percent is nan"),
    ("top-two", {**TOP, "second": "cat"}, "second is 'cat', .* first class"),
    ("top-two", {**TOP, "second": None}, "second_percent is given without"),
    ("top-two", {**TOP, "second_percent": None}, "second_percent is None"),
    ("top-two", {**TOP, "ruled_out": ["cat"]}, "ruled_out has 'cat'"),
    ("top-two", {**TOP, "ruled_out": "ship"}, "ruled_out is str"),
    ("top-two", {**TOP, "ruled_out": ["horse"]}, "unknown class 'horse'"),
    ("sliders", {"values": {"cat": 0.5, "dog": 0.1}}, "no number for 'ship'"),
    ("sliders", {"values": {"cat": 1.5, "dog": 0.1, "ship": 0}}, "gives 'cat' 1.5; .*0 to 1"),
    ("sliders", {"values": [1]}, "values is list"),
    ("allocate", {"percents": {"cat": 60, "dog": 39}}, "sums to 99; expected 100"),
    ("allocate", {"percents": {"cat": 50.5, "dog": 49.5}}, "'cat' 50.5; .*whole number"),
    ("allocate", {"percents": {"cat": -10, "dog": 110}}, "'cat' -10; .*from 0"),
    ("tokens", {"tokens": {"cat": 21}}, "sums to 21; expected 20"),
    ("typicality", {"value": 1.2}, "value is 1.2; .*0 to 1"),
    ("similarity", {"value": 2.5}, "value is 2.5; .*whole number from 0 to 6"),
    ("similarity", {"value": "3"}, "value is '3'"),
    ("triplet", {"closer": "both"}, "closer is 'both'"),
]


@pytest.mark.parametrize(("kind", "answer", "message"), WRONG, ids=[f"{k}: {m[:28]}" for k, _, m in WRONG])
def test_invalid_answers_are_refused_with_the_field_and_the_value(kind, answer, message):
    with pytest.raises(ValueError, match=message):
        check_answer(question(kind), answer)


def test_options_that_are_off_refuse_their_answers():
    with pytest.raises(ValueError, match="one class"):
        check_answer(question("top-two", second=False), TOP)
    with pytest.raises(ValueError, match="ruled_out is"):
        check_answer(question("top-two", ruling_out=False), TOP)


def test_zero_parts_are_left_out_and_ruled_out_classes_keep_the_order_of_the_survey():
    assert check_answer(question("tokens"), {"tokens": {"dog": 20, "cat": 0}}) == {"tokens": {"dog": 20}}
    answer = {**TOP, "second": None, "second_percent": None, "ruled_out": ["ship", "dog", "ship"]}
    assert check_answer(question("top-two"), answer)["ruled_out"] == ["dog", "ship"]


def test_the_worked_example_of_a_new_kind_is_one():
    """The entry that CONTRIBUTING.md shows has all that an entry needs, and its own answers pass."""
    text = (Path(__file__).parents[3] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    block = text.partition("### A kind of question for surveys")[2].partition("```python\n")[2].partition("```")[0]
    names = {"np": np, **vars(attention), **vars(class_numbers), **vars(question_module)}
    exec(block, names)
    entry = names["CONFIDENCE"]
    asked = Question("confidence", entry.prompt, CLASSES, entry.defaults)
    answer = entry.simulate(asked, TRUTH, np.random.default_rng(0))
    assert entry.check(asked, answer) == answer and entry.first(answer) in CLASSES
    obvious = entry.attention.obvious(asked, "dog", ["i0"])
    assert entry.attention.passes(asked, "dog", obvious, ["i0"]) and entry.first(obvious) == "dog"
    assert entry.as_belief(asked, answer, "").named == (answer["choice"],)
