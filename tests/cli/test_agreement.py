"""`dissensus agreement`, and the alpha that `describe` prints."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

from dissensus import load
from dissensus.aggregate.agreement import krippendorff_alpha
from tests.cli.commands import refused, run
from tests.facts import states

RATED = "item,annotator,label\n" + "".join(
    f"{item},{who},{label}\n"
    for item, labels in enumerate(["112", "223", "333", "111", "232"])
    for who, label in zip("abc", labels, strict=True)
)


@pytest.fixture
def rated(tmp_path):
    path = tmp_path / "rated.csv"
    path.write_text(RATED)
    return path


def printed_facts(text: str) -> dict[str, str]:
    """Names and values that are printed below the answer, before the first section."""
    lines = text.split("\n\n")[1].splitlines()
    return dict(re.split(r" {2,}", line.strip(), maxsplit=1) for line in lines)


def test_every_measure_has_its_interval_and_its_sentence(rated):
    facts = json.loads(run("agreement", rated, "--json", "--replicates", 50).stdout)
    assert (facts["items"], facts["answers"], facts["resampled"]) == (5, 15, "items")
    assert list(facts["measures"]) == [
        "nominal alpha",
        "ordinal alpha",
        "interval alpha",
        "fleiss kappa",
        "observed agreement",
    ]
    for measure in facts["measures"].values():
        assert measure["low"] <= measure["value"] <= measure["high"] and measure["reading"]
    assert facts["measures"]["observed agreement"]["value"] == pytest.approx((1 / 3 + 1 / 3 + 1 + 1 + 1 / 3) / 5)
    assert [each["class"] for each in facts["classes"]] == ["1", "2", "3"]
    assert facts["pairs_of_annotators"]["pairs"] == 3


def test_people_read_sentences_and_are_told_why_classes_count_as_ordered(rated):
    done = run("agreement", rated, "--replicates", 20)
    facts = printed_facts(done.stdout)
    assert (facts["items compared"], facts["answers compared"], facts["95% intervals over"]) == ("5", "15", "items")
    assert "1 to 3" in facts["levels of measurement"] and "--unordered" in done.stderr
    assert " 60% of the time." in done.stdout.splitlines()[1]
    plain = run("agreement", rated, "--unordered", "--over", "annotators", "--replicates", 20)
    assert "ordinal" not in plain.stdout and printed_facts(plain.stdout)["95% intervals over"] == "annotators"
    assert "ordered" not in plain.stderr


def test_the_page_has_what_the_terminal_prints(rated, tmp_path):
    done = run("agreement", rated, "--replicates", 20, "--html", tmp_path / "page.html")
    root = ElementTree.fromstring((tmp_path / "page.html").read_text().removeprefix("<!doctype html>"))
    answer = "".join(root.find(".//div[@class='answer']").itertext())
    assert answer == done.stdout.splitlines()[1] and len(root.findall(".//table")) == 2


def test_the_same_seed_gives_the_same_intervals(rated):
    first, again, other = (run("agreement", rated, "--json", "--seed", seed).stdout for seed in (1, 1, 2))
    assert first == again != other


def test_what_cannot_be_compared_is_refused_in_one_line(tmp_path):
    path = tmp_path / "single.csv"
    path.write_text("item,annotator,label\na,ann,x\nb,bo,y\n")
    assert states(refused("agreement", path), "none of 2 items", "two votes")
    assert states(refused("agreement", "anesthesia", "--seed", -1), "--seed -1:", "0 or more")
    assert states(refused("agreement", "anesthesia", "--replicates", 1), "--replicates 1:", "2 or more")


def test_describe_prints_alpha_with_its_interval_and_the_order_it_took():
    text = run("describe", "anesthesia").stdout
    shown = printed_facts(text)
    assert shown["Krippendorff's alpha, nominal"] == "0.586 [0.485, 0.677]"
    assert shown["Krippendorff's alpha, ordinal"] == "0.799 [0.697, 0.882]"
    assert states(shown["alpha levels"], "numbers", "1 to 4")
    assert "ordinal" not in run("describe", "anesthesia", "--unordered").stdout
    facts = json.loads(run("describe", "anesthesia", "--json").stdout)["alpha"]
    assert facts["nominal"]["value"] == krippendorff_alpha(load("anesthesia").labels)
    assert facts["scale"].endswith("numbers, 1 to 4")


def test_describe_knows_alpha_of_counts_and_none_of_predictions(tmp_path):
    run("aggregate", "anesthesia", "-o", tmp_path / "shares.parquet")
    counted = json.loads(run("describe", tmp_path / "shares.parquet", "--json").stdout)
    assert counted["alpha"]["nominal"]["value"] == pytest.approx(krippendorff_alpha(load("anesthesia").labels))
    run("aggregate", "anesthesia", "--method", "dirichlet", "-o", tmp_path / "model.parquet")
    assert json.loads(run("describe", tmp_path / "model.parquet", "--json").stdout)["alpha"] is None
    assert "nominal" not in run("describe", tmp_path / "model.parquet").stdout


def test_describe_goes_on_where_probabilities_are_no_shares_of_their_votes(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("item,a,b,votes\nx,0.75,0.25,5\ny,0.2,0.8,5\n")
    facts = ("row 0 (item x)", "5 votes", "[3.75, 1.25]", "1 of 2 rows")
    assert states(json.loads(run("describe", path, "--json").stdout)["alpha"]["notices"][0], *facts)
    assert states(run("describe", path).stdout, "row 0 (item x)")
    assert states(refused("agreement", path), *facts)


def test_half_a_million_real_votes_have_their_alpha(data_folder):
    """CIFAR-10H, 511,000 votes: alpha from the counts alone, and the same as of the votes of known annotators."""
    facts = json.loads(run("describe", "cifar10h", "--json").stdout)["alpha"]
    assert facts["nominal"]["value"] == pytest.approx(0.9151, abs=1e-3) and facts["nominal"]["low"] > 0.91
