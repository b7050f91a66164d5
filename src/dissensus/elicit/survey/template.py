"""A new survey: a folder with survey.toml, which has a comment for every setting, and items to begin with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dissensus.elicit.questions.question import Option, QuestionKind
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.survey.items import UNIT_NAMES
from dissensus.elicit.survey.settings import SOURCES, read_options
from dissensus.fronts import not_installed
from dissensus.labels.digits import clean_digits
from dissensus.labels.refusals import one_of

UNITS = """# units = "units.csv"           # the {shown} to ask about: names of items, one row each, no header; else all
"""

TEMPLATE = '''# A survey of dissensus. Check it with `dissensus elicit check {folder}`.
title = {title}
contact = ""                    # shown on every page: a name and an address for questions

# Where the items are: a folder of pictures, sounds or .txt files, or a .csv with the column item and one or more
# of image, audio, text, text_a, text_b, premise, hypothesis. A column class is for {about}; a column likely names
# classes, separated by |, that a search among many classes lists first.
items = {items}
{units}
[question]
kind = {kind}                   # {kinds}
# What stands above the answer; without the first # you say it in words of your own.
# prompt = {prompt}
{classes}{options}# One answer, as it is stored: {example}

[protocol]
consent = """
{title_text} is a survey about how people see things. You will judge {{per_person}} {shown}. Your answers are kept
without your name. You can stop at any time by closing the page.

**Do you agree to take part?**
"""
instructions = ["""
You will see one item after the other. Say what you think; there is often no single right answer, and people differ.

If you have a keyboard, you can answer with keys, too: they are listed below each question.
"""]
per_person = {per_person}                 # items that one person judges
per_item = {per_item}                    # answers wanted for each item
draw = "least-answered"         # least-answered; expected-error (asks where it pays most); batches (from a file)
# enough = 0.3                  # for expected-error: no more answers once all classes are known this closely (95 %)
# batches = "batches.csv"       # columns batch and item, for draw = "batches"
hold_minutes = 3                # what is shown to somebody goes to others when their browser was silent for this long
attention_every = 0             # after this many items comes one [[attention]], from the end of this file; 0 for none
repeats = 0                     # items asked a second time at the end, for consistency
break_every = 0                 # offer a break after this many items; 0 for none
attempts = 2                    # tries at the comprehension check
debrief_text = "Thank you. Is there anything you would like to tell us?"

[people]
source = {source}               # {sources}
keep_ids = false                # false: ids of the recruiting site are kept as keyed hashes only
pay_per_person = 0.0
currency = "USD"

# How people leave: by a code, a link back (redirect), or both; {{code}} in a link is the code. Prolific needs a code.
[ends]
completed = {{ code = "", redirect = "" }}     # without a code, each person has one of their own
# screened_out = {{ code = "" }}               # failed the comprehension check
# declined = {{ code = "" }}                   # did not consent
# full = {{ code = "" }}                       # came when nothing was left, or did not wait until something was

[[debrief]]
name = "comments"
question = "Comments"

# [[comprehension]]             # before the items; after `attempts` wrong tries the survey ends for that person
# question = "May people differ in their answers?"
# options = ["Yes", "No"]
# correct = "Yes"

# [[practice]]                  # to practise on, with what is said after the answer; nobody judges it in earnest
# {practice_items}
# feedback = {feedback}

# [[attention]]                 # the answer is obvious; comes after every `attention_every` {shown}
# {attention_items}
# {answer}
'''


def make_survey(
    folder: Path,
    *,
    title: str,
    kind: str,
    classes: list[str],
    source: str = "open",
    items: str | None = None,
    per_person: int = 20,
    per_item: int = 5,
    options: Mapping[str, Any] | None = None,
) -> None:
    """Write a commented survey.toml; without `items`, 24 pictures of handwritten digits are put beside it to try it.

    options  settings of the question that are not to have their defaults, such as {"wording": "collins"}
    """
    one_of("kind of question", kind, QUESTIONS)
    one_of("source of answers", source, SOURCES)
    if per_person < 1 or per_item < 1:
        raise ValueError(f"per_person is {per_person} and per_item {per_item}; expected 1 or more")
    target = folder / "survey.toml"
    if target.exists():
        raise ValueError(f"{target} exists already; choose another folder, or edit it")
    known = QUESTIONS[kind]
    settings = read_options(known, options or {})
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)  # what people say will be in it; one that is there stays as it is
    own_items = items is not None
    if items is None:
        items = _digits(folder, with_classes=known.about)
        classes = classes or ([str(digit) for digit in range(10)] if known.needs_classes else [])
    text = TEMPLATE.format(
        folder=folder,
        title=_quoted(title),
        title_text=title,
        items=_quoted(items),
        kind=_quoted(kind),
        kinds=", ".join(QUESTIONS),
        prompt=_quoted(known.texts(settings, {}).get("prompt", known.prompt)),
        source=_quoted(source),
        sources=", ".join(SOURCES),
        classes=f"classes = [{', '.join(map(_quoted, classes))}]\n" if classes else "",
        options="".join(_option(name, settings[name], option) for name, option in known.options.items()),
        example=json.dumps(known.example),
        about=", ".join(name for name, each in QUESTIONS.items() if each.about),
        per_person=per_person,
        per_item=per_item,
        shown=UNIT_NAMES[known.shows],
        **_extra_trials(known, classes, own_items=own_items),
        units=UNITS.format(shown=UNIT_NAMES[known.shows]) if known.shows > 1 else "",
    )
    target.write_text(text, encoding="utf-8")


def _extra_trials(kind: QuestionKind, classes: list[str], *, own_items: bool) -> dict[str, str]:
    """A practice and an attention trial of this kind: of the digits, or to be filled in for items of one's own."""
    (practised, feedback), (attended, answer) = kind.example_practice, kind.example_attention
    if kind.needs_classes and answer not in classes and classes:
        answer = classes[0]
    if own_items:
        named = {name: f"name of item {i + 1}" for i, name in enumerate(dict.fromkeys((*practised, *attended)))}
        answer = named.get(answer, answer) if isinstance(answer, str) else answer
        practised, attended = (tuple(named[name] for name in names) for names in (practised, attended))
        feedback = "What most people say, and why others differ."
    return {
        "practice_items": _items(practised),
        "feedback": _value(feedback),
        "attention_items": _items(attended),
        "answer": f"{f'answer = {_value(answer)}':<29} # {kind.attention.meaning}",
    }


def _items(names: tuple[str, ...]) -> str:
    return f"item = {_value(names[0])}" if len(names) == 1 else f"items = {_value(list(names))}"


def _digits(folder: Path, *, with_classes: bool) -> str:
    """Pictures that come with scikit-learn, of which some are hard to read. -> where they are"""
    try:
        from PIL import Image
    except ModuleNotFoundError:
        raise not_installed("making a survey", "PIL", "elicit") from None
    ink, gold = clean_digits()
    (folder / "items").mkdir(exist_ok=True)
    rows = ["item,image,class"]
    for i in range(0, 24 * 37, 37):
        picture = Image.fromarray((255 - ink[i].reshape(8, 8) * 255 / 16).astype("uint8")).resize(
            (160, 160), Image.Resampling.LANCZOS
        )
        picture.save(folder / "items" / f"digit{i}.png")
        rows.append(f"digit{i},items/digit{i}.png,{gold[i]}")
    if not with_classes:
        return "items"
    (folder / "items.csv").write_text("\n".join(rows) + "\n")
    return "items.csv"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _option(name: str, value: object, option: Option) -> str:
    line = f"{name} = {_value(value)}"
    return f"{line:<31} # {option.meaning}\n"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return _quoted(value) if isinstance(value, str) else str(value)
