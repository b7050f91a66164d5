import re
from importlib.resources import files

import pytest

from dissensus.files.toml import read_toml
from dissensus.papers.catalogue import PAPERS
from dissensus.papers.claims import read_statements
from dissensus.papers.figures import Figure
from dissensus.papers.judges import untestable


@pytest.mark.parametrize("paper", PAPERS)
def test_every_statement_of_a_paper_is_judged(paper):
    statements, _ = read_toml(files("dissensus.papers") / paper / "claims.toml")
    keys = [claim.key for claim in PAPERS[paper].claims]
    patterns = [re.sub(r"\\{\w+\\}", ".*", re.escape(key)) for key in statements]
    assert [pattern for pattern in patterns if not any(re.fullmatch(pattern, key) for key in keys)] == []
    assert [key for key in keys if not any(re.fullmatch(pattern, key) for pattern in patterns)] == []


def test_a_statement_becomes_a_claim_with_its_words_filled_in():
    """Table 1 of Gheibi 2026, multipass at 5 votes."""
    made = read_statements("gheibi2026")(
        "table-1-{method}-{k}", untestable("no votes"), method="multipass", k=5, delivery="multipass"
    )
    assert (made.key, made.source) == ("table-1-multipass-5", "table 1, multipass, K = 5")
    assert made.claim == "With 5 votes per image, multipass has a lower soft NLL than soft labels"


@pytest.mark.parametrize("paper", PAPERS)
def test_every_figure_of_a_paper_has_its_texts(paper):
    entries, _ = read_toml(files("dissensus.papers") / paper / "figures.toml")
    for key, texts in entries.items():
        assert {"title", "source", "kind", "x_title", "y_title"} <= set(texts) <= {*Figure.__dataclass_fields__}, key
        assert texts["kind"] in ("lines", "dots"), key
