"""Exclusion rules against small cases counted by hand, and the released CIFAR-10S answers."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus import Beliefs, Votes
from dissensus.labels.quality import (
    answer_faults,
    attention_checks,
    exclusions,
    keep_answers,
    repeat_consistency,
    too_fast,
)
from tests.facts import refuses, states


def test_attention_checks_remove_those_below_three_quarters():
    """Peterson et al. (2019), sec. 4.2: below 75 % are removed, exactly 75 % are not."""
    votes = Votes.of(["x"] * 4, ["cat"] * 4, ["all", "three", "two", "none"], classes=["cat", "dog"])
    answers = {"all": "cat cat cat cat", "three": "cat cat cat dog", "two": "cat cat dog dog"}
    rows = [(f"check{i}", choice, who) for who, said in answers.items() for i, choice in enumerate(said.split())]
    item, choice, who = zip(*rows, strict=True)
    checks = Votes.of(item, choice, who, classes=["cat", "dog"])
    screening = attention_checks(votes, checks, np.zeros(4, dtype=int))
    assert dict(zip(screening.annotators, screening.kept, strict=True)) == {
        "all": True,
        "three": True,
        "two": False,
        "none": True,
    }
    assert states(screening.reason[2], "2 of 4", "50%", "75%") and states(screening.reason[3], "no attention check")
    assert keep_answers(votes, screening).annotators.tolist() == ["all", "three", "none"]
    total, dropped = str(screening).splitlines()
    assert states(total, "attention checks", "3 of 4 annotators", "1 dropped", "1 of 4 answers")
    assert dropped == f"  two: {screening.reason[2]}"


def test_annotators_are_matched_by_name_whatever_its_kind():
    votes = Votes.of(["x"] * 3, ["cat"] * 3, ["1", "2", "bo"], classes=["cat", "dog"])
    checks = Votes.of(["c", "c"], ["cat", "dog"], ["1", "2"], classes=["cat", "dog"])
    assert attention_checks(votes, checks, np.array([0])).kept.tolist() == [True, False, True]


def test_checks_of_strangers_are_refused():
    votes = Votes.of(["x"], ["cat"], ["ann"], classes=["cat", "dog"])
    checks = Votes.of(["c"], ["cat"], ["bo"], classes=["cat", "dog"])
    with refuses("annotator 'bo'", "attention checks", "none of the"):
        attention_checks(votes, checks, np.array([0]))


def answers(*rows) -> Beliefs:
    """Rows of (annotator, first, probability, ruled out) over cat and dog; item i is the i-th answer of each person."""
    classes = ("cat", "dog")
    seen: dict[str, int] = {}
    item, stated, out, named, who = [], [], [], [], []
    for person, first, prob, ruled in rows:
        item.append(seen.setdefault(person, 0))
        seen[person] += 1
        stated.append([prob if name == first else np.nan for name in classes])
        named.append([classes.index(first)])
        out.append([name in ruled for name in classes])
        who.append(person)
    people = list(dict.fromkeys(who))
    return Beliefs(
        item=np.array(item),
        items=np.arange(max(item) + 1),
        classes=classes,
        stated=np.array(stated, dtype=float),
        ruled_out=np.array(out),
        named=np.array(named),
        annotators=people,
        annotator=np.array([people.index(person) for person in who]),
    )


def test_each_fault_is_seen():
    told = answers(
        ("a", "cat", 1.2, ()), ("a", "cat", 0.5, ("cat",)), ("a", "dog", np.nan, ()), ("a", "dog", 1.0, ("cat",))
    )
    faults = answer_faults(told)
    assert {name: flag.tolist() for name, flag in faults.items()} == {
        "out of range": [True, False, False, False],
        "contradiction": [False, True, False, False],
        "no probability": [False, False, True, False],
    }


def test_a_fault_made_three_times_excludes_and_a_rarer_one_only_with_low_accuracy():
    """Collins, Bhatt and Weller (2022), sec. 4.1."""
    wrong, fine = ("cat", 0.9, ("cat",)), ("cat", 0.9, ())
    rows = [("often", *wrong)] * 3 + [("often", *fine)]
    rows += [("once, right", *wrong)] + [("once, right", *fine)] * 3
    rows += [("once, poor", *wrong)] + [("once, poor", "dog", 0.9, ())] * 3
    rows += [("poor but faultless", "dog", 0.9, ())] * 4
    told = answers(*rows)
    screening = exclusions(told, gold=np.zeros(4, dtype=int))
    assert dict(zip(screening.annotators, screening.kept, strict=True)) == {
        "often": False,
        "once, right": True,
        "once, poor": False,
        "poor but faultless": True,
    }
    often, right, poor, faultless = screening.reason.tolist()
    assert states(often, "3 x contradiction", "more than 2") and faultless == "no faults"
    assert states(right, "1 x contradiction", "100%", "not below 75%")
    assert states(poor, "1 x contradiction", "25%", "below 75%")
    assert screening.as_rows()[0] == {
        "annotator": "often",
        "answers": 4,
        "out of range": 0.0,
        "contradiction": 3.0,
        "no probability": 0.0,
        "accuracy": 1.0,
        "kept": False,
        "reason": often,
    }
    remaining = keep_answers(told, screening)
    assert remaining.n_answers == 8 and remaining.n_items == told.n_items


def test_without_gold_the_reason_says_that_accuracy_is_not_known():
    screening = exclusions(answers(("a", "cat", 0.9, ("cat",))))
    assert screening.kept.all() and states(screening.reason[0], "1 x contradiction", "not known", "kept")
    unknown = exclusions(answers(("a", "cat", 0.9, ("cat",))), gold=np.array([-1]))
    assert unknown.kept.all() and unknown.reason[0] == screening.reason[0]
    with refuses("gold", "int64", "(3,)", "1 items"):
        exclusions(answers(("a", "cat", 0.9, ())), gold=np.zeros(3, dtype=int))


def test_raw_answers_out_of_range_can_be_handed_in():
    told = answers(*[("a", "cat", 1.0, ())] * 3)
    assert not exclusions(told, out_of_range=np.ones(3, dtype=bool)).kept[0]


def test_a_screening_of_other_annotators_is_refused():
    screening = exclusions(answers(("a", "cat", 0.9, ())))
    with refuses("screening", "other annotators"):
        keep_answers(answers(("b", "cat", 0.9, ())), screening)


def test_repeats_are_compared_first_with_second():
    votes = Votes.of(["x", "x", "y", "y", "z"], ["cat", "dog", "cat", "cat", "cat"], ["a"] * 5)
    found = repeat_consistency(votes)
    assert (found.pairs, found.changed) == (2, 0.5)
    assert repeat_consistency(Votes.of(["x"], ["cat"], ["a"])).pairs == 0


def test_cifar10s_people_are_as_consistent_as_reported(loaded):
    """Collins (2022), footnote 4: about 7 % changed their first choice; the others by 6 points on average."""
    found = repeat_consistency(loaded("cifar10s").labels)
    assert found.pairs >= 498
    assert found.changed == pytest.approx(0.07, abs=0.01)
    assert found.change == pytest.approx(0.06, abs=0.01)


def test_nobody_left_in_cifar10s_breaks_its_rules_more_than_twice(loaded):
    """The release holds the 248 kept participants, so the paper's rule (i) and (iii) find nobody; 26 + 14 answers
    contradict themselves (26 in their first choice, as the data description counts them)."""
    data = loaded("cifar10s")
    faults = answer_faults(data.labels)
    assert faults["out of range"].sum() == 0 and faults["no probability"].sum() == 0
    beliefs = data.labels
    first_ruled_out = beliefs.ruled_out[np.arange(beliefs.n_answers), beliefs.named[:, 0]]
    assert first_ruled_out.sum() == 26 and faults["contradiction"].sum() == 40
    assert exclusions(beliefs, data.gold).kept.size == 248


def test_people_far_faster_than_others_are_flagged():
    item, who, seconds = list(range(4)) * 3, ["slow"] * 4 + ["usual"] * 4 + ["fast"] * 4, [9] * 4 + [6] * 4 + [1] * 4
    votes = Votes.of(item, ["cat", "dog"] * 6, who, seconds=np.array(seconds, dtype=float))
    screening = too_fast(votes)
    assert screening.kept.tolist() == [True, True, False]
    assert states(screening.reason[2], "median 1.00 s", "limit is 2.00 s")
    with refuses("no times"):
        too_fast(Votes.of(["x"], ["cat"], ["a"]))
