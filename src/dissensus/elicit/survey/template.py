"""A new survey: a folder with a commented survey.toml and example items."""

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

UNITS = """# units = "units.csv"           # the {shown} to ask about, one row of item names each [default: all]
"""

TEMPLATE = '''# A survey of dissensus. Check it with `dissensus elicit check {folder}`.
title = {title}
contact = ""                    # shown on every page: name and address for questions

# The items: a folder of pictures, sounds or .txt files, or a .csv with the column item and one or more of image,
# audio, text, text_a, text_b, premise, hypothesis. The column class is for {about}. The column likely has
# classes, separated by |, that a search among many classes lists first.
items = {items}
{units}
[question]
kind = {kind}                   # {kinds}
# The text above the answer; remove the first # to change it.
# prompt = {prompt}
{classes}{options}# An answer as stored: {example}

[protocol]
consent = """
{title_text} is a survey about how people see things. You will judge {{per_person}} {shown}. Your answers are stored
without your name. You can stop at any time by closing the page.

**Do you agree to take part?**
"""
instructions = ["""
You will see one item after the other. Answer what you think. There is often no single right answer, and people differ.

With a keyboard, you can also answer with keys. They are listed below each question.
"""]
per_person = {per_person}                 # items per person
per_item = {per_item}                    # answers per item
draw = "least-answered"         # least-answered; expected-error (largest expected gain first); batches (from a file)
# enough = 0.3                  # for expected-error: stop when the 95% intervals of all classes are this narrow
# batches = "batches.csv"       # columns batch and item, for draw = "batches"
hold_minutes = 3                # minutes without activity after which a person's item is given to others
attention_every = 0             # one [[attention]] check after this many items; 0 for none
repeats = 0                     # items asked again at the end, to measure consistency
break_every = 0                 # offer a break after this many items; 0 for none
attempts = 2                    # attempts at the comprehension check
debrief_text = "Thank you. Would you like to tell us anything?"

[people]
source = {source}               # {sources}
keep_ids = false                # false: store ids of the recruiting site only as keyed hashes
pay_per_person = 0.0
currency = "USD"

# The end of the survey: a code, a link back (redirect), or both; {{code}} in a link is the code. Prolific needs a code.
[ends]
completed = {{ code = "", redirect = "" }}     # without a code, each person gets a personal one
# screened_out = {{ code = "" }}               # failed the comprehension check
# declined = {{ code = "" }}                   # did not consent
# full = {{ code = "" }}                       # nothing was left to answer, or the person stopped waiting

[[debrief]]
name = "comments"
question = "Comments"

# [[comprehension]]             # before the items; after `attempts` failed attempts the survey ends for the person
# question = "May people differ in their answers?"
# options = ["Yes", "No"]
# correct = "Yes"

# [[practice]]                  # a practice trial with its feedback; its items are not part of the survey itself
# {practice_items}
# feedback = {feedback}

# [[attention]]                 # an attention check with an obvious answer, after every `attention_every` {shown}
# {attention_items}
# {answer}
'''


def make_survey(
    folder: Path | str,
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
    """Create the folder of a survey with a commented survey.toml.

    Parameters
    ----------
    folder : the folder to create
    title : title that people see
    kind : kind of question, a name in QUESTIONS
    classes : the classes; may be empty for the example items, and for kinds without classes
    source : source of the people: "open", "links", "prolific" or "mturk"
    items : folder or .csv of items inside `folder`; by default 24 pictures of handwritten digits are created
    per_person : items per person
    per_item : answers per item
    options : options of the question, such as {"wording": "collins"}

    Returns
    -------
    None; the folder contains survey.toml

    Examples
    --------
    >>> make_survey("pets", title="Pets", kind="choose", classes=["cat", "dog"], items="pictures")
    >>> from pathlib import Path
    >>> Path("pets/survey.toml").is_file()
    True
    """
    folder = Path(folder)
    one_of("kind of question", kind, QUESTIONS)
    one_of("source", source, SOURCES)
    if per_person < 1 or per_item < 1:
        raise ValueError(f"per_person is {per_person} and per_item is {per_item}; expected 1 or more")
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file; choose another name for the folder of the survey")
    target = folder / "survey.toml"
    if target.exists():
        raise ValueError(f"{target} exists; choose another folder, or edit the file")
    known = QUESTIONS[kind]
    settings = read_options(known, options or {})
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)  # private, since it will contain answers; an existing folder stays as it is
    own_items = items is not None
    if items is None:
        items = _digits(folder, with_classes=known.about)
        classes = classes or ([str(digit) for digit in range(10)] if known.needs_classes else [])
    text = TEMPLATE.format(
        folder=folder,
        title=_quote(title),
        title_text=title,
        items=_quote(items),
        kind=_quote(kind),
        kinds=", ".join(QUESTIONS),
        prompt=_quote(known.texts(settings, {}).get("prompt", known.prompt)),
        source=_quote(source),
        sources=", ".join(SOURCES),
        classes=f"classes = [{', '.join(map(_quote, classes))}]\n" if classes else "",
        options="".join(_option(name, settings[name], option) for name, option in known.options.items()),
        example=json.dumps(known.example),
        about=", ".join(name for name, entry in QUESTIONS.items() if entry.about),
        per_person=per_person,
        per_item=per_item,
        shown=UNIT_NAMES[known.shows],
        **_extra_trials(known, classes, own_items=own_items),
        units=UNITS.format(shown=UNIT_NAMES[known.shows]) if known.shows > 1 else "",
    )
    target.write_text(text, encoding="utf-8")


def _extra_trials(kind: QuestionKind, classes: list[str], *, own_items: bool) -> dict[str, str]:
    """A practice trial and an attention check of this kind, about the digits or with names to be filled in."""
    (practice, feedback), (attention, answer) = kind.example_practice, kind.example_attention
    if kind.needs_classes and answer not in classes and classes:
        answer = classes[0]
    if own_items:
        named = {name: f"name of item {i + 1}" for i, name in enumerate(dict.fromkeys((*practice, *attention)))}
        answer = named.get(answer, answer) if isinstance(answer, str) else answer
        practice, attention = (tuple(named[name] for name in names) for names in (practice, attention))
        feedback = "What most people answer, and why others differ."
    return {
        "practice_items": _items(practice),
        "feedback": _value(feedback),
        "attention_items": _items(attention),
        "answer": f"{f'answer = {_value(answer)}':<29} # {kind.attention.meaning}",
    }


def _items(names: tuple[str, ...]) -> str:
    return f"item = {_value(names[0])}" if len(names) == 1 else f"items = {_value(list(names))}"


def _digits(folder: Path, *, with_classes: bool) -> str:
    """Write pictures of digits from scikit-learn, some of them ambiguous. Return the value of `items`."""
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


def _quote(text: str) -> str:
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
    return _quote(value) if isinstance(value, str) else str(value)
