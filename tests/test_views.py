"""What results look like when they are printed, in a notebook and as frames."""

from __future__ import annotations

import html.parser

import numpy as np
import pytest

from dissensus import compare, load, scorecard, share
from dissensus.aggregate import AGGREGATIONS, aggregate_labels, annotator_report, dawid_skene, shrinkage
from dissensus.deliver import sls
from dissensus.evaluate import METRICS
from dissensus.labels import smooth
from tests.facts import states

VOTES = load("anesthesia").labels
FIRST = smooth(share(VOTES.select(answers=VOTES.annotator == 0)), 0.1)
OTHERS = VOTES.select(answers=VOTES.annotator != 0)


@pytest.fixture(scope="module")
def card():
    return scorecard(FIRST, OTHERS, rng=np.random.default_rng(0), name="first", replicates=20)


@pytest.fixture(scope="module")
def both():
    models = {"<first>": FIRST, "even": smooth(FIRST, 1.0)}
    return compare(models, OTHERS, rng=np.random.default_rng(0), replicates=20)


class Tags(html.parser.HTMLParser):
    """What is open must be closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def fits():
    return {method: aggregate_labels(VOTES, method) for method, entry in AGGREGATIONS.items() if "votes" in entry.takes}


def test_a_result_is_printed_in_a_few_lines_without_its_arrays(card, both):
    shown = [card, both, card.people, card.ceiling, annotator_report(VOTES), sls(VOTES, 0), *fits().values()]
    shown += [made.fit for made in fits().values() if made.fit is not None]
    for value in shown:
        text = repr(value)
        assert len(text) < 400 and text.count("\n") <= 3 and "array" not in text, text
    assert states(repr(card), "Scorecard", "first", "45 items")
    assert f"KL {card.scores['kl'].value:.3f}" in repr(card)
    assert "<first>: NLL" in repr(both) and "2 models · 45 items" in repr(both)
    assert "converged after" in repr(dawid_skene(VOTES)) and "not converged" in repr(
        dawid_skene(VOTES, most_iterations=1)
    )


def test_a_notebook_shows_a_card_that_fetches_nothing(card, both):
    for value in (card, both, *fits().values(), dawid_skene(VOTES), shrinkage(VOTES), VOTES, share(VOTES)):
        text = value._repr_html_()
        tags = Tags(text)
        assert not [tag for tag in tags.open if tag not in ("br", "meta")]
        assert not any(word in text for word in ("<script", "src=", "<link", "@import"))
    words = Tags(both._repr_html_()).words
    assert "<first>" in words and f"{both.reference.scores['js'].value:.3f}" in " ".join(words)
    assert "no, after 1 iterations" in Tags(dawid_skene(VOTES, most_iterations=1)._repr_html_()).words


def test_every_fit_has_a_card_with_its_name():
    made = [aggregated.fit for aggregated in fits().values() if type(aggregated.fit).__name__.endswith("Fit")]
    assert {type(fit).__name__ for fit in made} == {"WawaFit", "DawidSkeneFit", "OneCoinFit", "MaceFit", "GladFit"}
    for fit in made:
        words = Tags(fit._repr_html_()).words
        assert type(fit).__name__ in words and "annotators" in words


def test_a_scorecard_is_a_frame_with_one_row_per_score(card, both):
    frame = card.to_pandas().set_index("score")
    assert list(frame.index) == list(card.scores) and set(frame.index) <= set(METRICS)
    for name, score in card.scores.items():
        assert frame.loc[name, "value"] == score.value
    assert frame.loc["kl", "at_best"] == card.ceiling_of("kl")[1].value and np.isnan(frame.loc["manhattan", "at_best"])
    assert card.to_polars().rows() == card.to_polars().rows() and card.to_polars()["model"].unique().to_list() == [
        "first"
    ]
    several = both.to_pandas()
    assert len(several) == 2 * len(both.reference.scores) and several["model"].unique().tolist() == ["<first>", "even"]
