"""Tables as people make them, under any names: what `read` accepts without being told is what was meant, and all else
is refused with a way out that works."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dissensus import Beliefs, Distributions, Votes, read
from dissensus.files.tables.columns import USUAL
from tests.files.refusals import quiet

few = partial(settings, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

# Names that occur in the field but in no list of ours.
UNLISTED = {
    "item": ("photo", "nr", "stim_nr", "key", "passage_ref", "idx", "page", "entry"),
    "annotator": ("marker", "who", "rid", "member", "email", "student", "doctor"),
    "label": ("offensiveness", "verdict", "sentiment", "toxicity", "stance", "emotion", "is_toxic", "value"),
}
PEOPLE = ("ann", "Bo", "cy", "di_2", "0", "1", "2", "A. Smith", "reader_1", "label_1", "expert2", "annotator 3")
CLASSES = ("cat", "dog", "eel", "0", "1", "2", "n_yes", "strongly agree", "not sure")
OPTION = re.compile(r"\b(item|annotator|label|seconds|gold|drop|classes|annotators|layout|scale)=")
SPELLINGS = (
    str,
    str.upper,
    str.title,
    lambda name: name.replace("_", " "),
    lambda name: name.replace("_", "-"),
    lambda name: re.sub(r"_(.)", lambda found: found[1].upper(), name),
    lambda name: name.replace("_", ""),
)


def named(role):
    """A name that people give to a column of this role, in a list of ours or not, in some spelling."""
    listed = st.builds(lambda name, spell: spell(name), st.sampled_from(USUAL[role]), st.sampled_from(SPELLINGS))
    return listed | st.sampled_from(UNLISTED.get(role, USUAL[role]))


def names_of(rng, kind, count):
    """Different names: counted on, any numbers, or text."""
    if kind == "counted":
        return list(range(1, count + 1))
    if kind == "numbers":
        return (rng.permutation(9 * count)[:count] + 100).tolist()
    return [f"{kind}{number:03d}" for number in rng.permutation(9 * count)[:count]]


LABELS = {
    "grades": lambda k: list(range(1, k + 1)),
    "codes": lambda k: list(range(k)),
    "halves": lambda k: [0.5 * place for place in range(k)],
    "floats": lambda k: [float(place) for place in range(k)],
    "words": lambda k: ["yes", "no", "not sure", "cannot be told", "other"][:k],
}
TEXTS = ("the quick brown fox", "jumps over a lazy dog", "and nobody knows why it did")


def text_of(rng):
    return " ".join(rng.choice(TEXTS, 3)) + f" {rng.integers(10**6)}"


# What stands beside answers, as a function of the generator, the items and the annotators of all rows.
BESIDE = {
    "split": lambda rng, item, who: rng.choice(["train", "test"], len(item)),
    "age": lambda rng, item, who: rng.integers(18, 70, len(item)),
    "confidence": lambda rng, item, who: rng.integers(1, 6, len(item)),
    "lead_time": lambda rng, item, who: rng.random(len(item)).round(2),
    "text": lambda rng, item, who: per(rng, item, text_of),
    "url": lambda rng, item, who: [f"http://x.org/{name}" for name in item],
    "gold": lambda rng, item, who: per(rng, item, lambda rng: int(rng.integers(1, 3))),
    "Row ID": lambda rng, item, who: np.arange(len(item)),
    "created_at": lambda rng, item, who: [f"2024-01-01 00:{row:02d}" for row in range(len(item))],
    "colour": lambda rng, item, who: per(rng, item, lambda rng: str(rng.choice(["red", "blue"]))),
    "region": lambda rng, item, who: per(rng, who, lambda rng: str(rng.choice(["north", "south"]))),
    "length": lambda rng, item, who: rng.random(len(item)) * 30,
}


def per(rng, names, draw):
    values = {name: draw(rng) for name in dict.fromkeys(names)}
    return [values[name] for name in names]


def answers(rng, n, a, item_kind, who_kind):
    """Items and annotators of all rows: two or more people per item, each at most once, everybody on some items."""
    items, people = names_of(rng, item_kind, n), names_of(rng, who_kind, a)
    pairs = [(item, who) for item in items for who in rng.permutation(a)[: rng.integers(2, a + 1)]]
    pairs = [pairs[place] for place in rng.permutation(len(pairs))]
    return [item for item, _ in pairs], [people[who] for _, who in pairs]


def spelled(value):
    """A name or label whatever the file made of it: 1, "1" and 1.0 are one."""
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        return str(value)


def what_votes_say(votes):
    who = ["?"] * votes.n_answers if votes.annotator is None else votes.annotators[votes.annotator].tolist()
    rows = zip(votes.items[votes.item].tolist(), who, (votes.classes[code] for code in votes.choice), strict=True)
    return sorted(tuple(map(spelled, row)) for row in rows)


def source_of(columns, order, as_csv, folder):
    """The table as a frame or a CSV file, its columns in another order."""
    frame = pd.DataFrame({name: columns[name] for name in sorted(columns, key=order.index)})
    if not as_csv:
        return frame
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    return path


def read_as_asked(source, truth, **options):
    """The reading after every question that a refusal asks has been answered as the owner of the table would.

    A refusal that asks nothing new leads nowhere, and is raised.
    """
    for _ in range(8):
        try:
            return read(source, say=quiet, **options)
        except ValueError as refusal:
            asked = [name for name in OPTION.findall(str(refusal)) if name in truth and name not in options]
            if not asked:
                raise
            options[asked[0]] = truth[asked[0]]
    raise AssertionError(f"asked and asked: {options}")


@few(max_examples=120)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_votes_under_any_names_are_read_as_meant_or_asked_about(tmp_path, data, seed):
    rng = np.random.default_rng(seed)
    kinds = st.sampled_from(["counted", "numbers", "x"])
    item, who = answers(rng, int(rng.integers(6, 13)), int(rng.integers(3, 6)), data.draw(kinds), data.draw(kinds))
    levels = LABELS[data.draw(st.sampled_from(sorted(LABELS)))](int(rng.integers(2, 6)))
    label = [levels[code] for code in rng.integers(len(levels), size=len(item))]
    truth = {role: data.draw(named(role)) for role in ("item", "annotator", "label")}
    columns = dict(zip(truth.values(), (item, who, label), strict=True))
    if len({re.sub(r"\W|_", "", name.lower()) for name in columns}) < 3:
        return
    for name in data.draw(st.lists(st.sampled_from(sorted(BESIDE)), max_size=3, unique=True)):
        if name not in columns:
            columns[name] = BESIDE[name](rng, item, who)
    if data.draw(st.booleans()) and not any(name.lower() == "id" for name in columns):
        columns["id"] = np.arange(len(item))  # numbers the answers, beside the items
    if isinstance(label[0], str) and data.draw(st.booleans()):
        columns[truth["label"]] = pd.Categorical(label)
    source = source_of(columns, data.draw(st.permutations(list(columns))), data.draw(st.booleans()), tmp_path)
    meant = sorted(tuple(map(spelled, row)) for row in zip(item, who, label, strict=True))
    votes = read_as_asked(source, truth | {"seconds": ""})
    assert isinstance(votes, Votes) and what_votes_say(votes) == meant


@few(max_examples=80)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_one_column_per_annotator_beside_others_is_read_as_meant_or_asked_about(tmp_path, data, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 15))
    people = data.draw(st.lists(st.sampled_from(PEOPLE), min_size=2, max_size=5, unique=True))
    levels = LABELS[data.draw(st.sampled_from(["grades", "codes", "words"]))](int(rng.integers(2, 6)))
    items = names_of(rng, data.draw(st.sampled_from(["counted", "numbers", "x"])), n)
    item = data.draw(named("item"))
    columns = {item: items}
    for name in people:
        said = [levels[code] for code in rng.integers(len(levels), size=n)]
        asked = rng.random(n) < 0.8
        asked[:2] = True
        columns[name] = [value if ask else None for value, ask in zip(said, asked, strict=True)]
    meant = sorted(
        (spelled(items[row]), spelled(name), spelled(value))
        for name in people
        for row, value in enumerate(columns[name])
        if value is not None
    )
    beside = sorted(BESIDE.keys() - {"confidence"})  # 1 to 5, as a person's grades are, but for its name
    for name in data.draw(st.lists(st.sampled_from(beside), max_size=3, unique=True)):
        columns.setdefault(name, BESIDE[name](rng, items, items))
    source = source_of(columns, data.draw(st.permutations(list(columns))), data.draw(st.booleans()), tmp_path)
    truth = {"item": item, "annotators": people}
    votes = read_as_asked(source, truth, layout="annotators")
    assert isinstance(votes, Votes) and what_votes_say(votes) == meant


@few(max_examples=80)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_counts_and_probabilities_are_read_as_meant_or_asked_about(tmp_path, data, seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(6, 15)), int(rng.integers(2, 6))
    # A column `label`, or one of people beside one of labels, is what it is called.
    roles = st.sampled_from(data.draw(st.sampled_from([USUAL["label"][1:], USUAL["annotator"], USUAL["text"]])))
    classes = data.draw(st.lists(st.sampled_from(CLASSES) | roles, min_size=k, max_size=k, unique=True))
    counts = rng.multinomial(10, np.ones(k) / k, size=n)
    counts[:, 0] += rng.integers(0, 3, size=n) * data.draw(st.sampled_from([0, 1])) + (counts.sum(axis=1) == 0)
    shares = data.draw(st.booleans())
    numbers = counts / counts.sum(axis=1, keepdims=True) if shares else counts
    items = names_of(rng, data.draw(st.sampled_from(["counted", "numbers", "x"])), n)
    item = data.draw(named("item"))
    columns = {item: items} | {name: numbers[:, place] for place, name in enumerate(classes)}
    if len(columns) <= k:
        return
    beside = st.sampled_from(["split", "text", "gold", "url", "total"])
    for name in data.draw(st.lists(beside, max_size=2, unique=True)):
        made = counts.sum(axis=1) if name == "total" else BESIDE[name](rng, items, items)
        columns.setdefault(name, made)
    order = data.draw(st.permutations(list(columns)))
    source = source_of(columns, order, data.draw(st.booleans()), tmp_path)
    truth = {"item": item, "classes": classes, "layout": "probabilities" if shares else "counts"}
    known = {"layout": truth["layout"]} if data.draw(st.booleans()) else {}
    found = read_as_asked(source, truth, **known)
    assert isinstance(found, Distributions) and set(found.classes) == set(classes)
    assert [spelled(name) for name in found.items] == [spelled(name) for name in items]
    probs = counts / counts.sum(axis=1, keepdims=True)
    assert np.allclose(found.probs[:, [found.classes.index(name) for name in classes]], probs)


@few(max_examples=40)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_classes_named_with_their_probability_are_beliefs_or_asked_about(tmp_path, data, seed):
    rng = np.random.default_rng(seed)
    item, who = answers(rng, int(rng.integers(6, 10)), 3, "x", "numbers")
    truth = {role: data.draw(named(role)) for role in ("item", "annotator")}
    first, second = zip(*[rng.permutation(4)[:2] for _ in item], strict=True)
    columns = dict(zip(truth.values(), (item, who), strict=True))
    columns |= {"top1": np.array(first), "top1_prob": rng.integers(50, 100, len(item))}
    two = data.draw(st.booleans())
    if two:
        columns |= {"top2": np.array(second), "top2_prob": 100 - columns["top1_prob"]}
    beside = st.sampled_from(["split", "text", "gold", "label", "score"])
    for name in data.draw(st.lists(beside, max_size=2, unique=True)):
        columns.setdefault(name, BESIDE.get(name, BESIDE["gold"])(rng, item, who))
    source = source_of(columns, data.draw(st.permutations(list(columns))), data.draw(st.booleans()), tmp_path)
    beliefs = read_as_asked(source, truth)
    assert isinstance(beliefs, Beliefs) and beliefs.named.shape[1] == 1 + two
    named_first = [beliefs.classes[code] for code in beliefs.named[:, 0]]
    names = zip(beliefs.items[beliefs.item], beliefs.annotators[beliefs.annotator], named_first, strict=True)
    assert [tuple(map(spelled, row)) for row in names] == [
        tuple(map(spelled, row)) for row in zip(item, who, first, strict=True)
    ]
    stated = beliefs.stated[np.arange(len(item)), beliefs.named[:, 0]]
    assert np.allclose(stated, columns["top1_prob"] / 100)
