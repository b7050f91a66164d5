"""Every claim of the paper against the numbers of a run."""

from __future__ import annotations

from dissensus.papers.claims import Finding
from dissensus.papers.paper import Results, Scale
from dissensus.papers.sucholutsky2023.judged_further import further_findings
from dissensus.papers.sucholutsky2023.judged_labels import label_findings
from dissensus.papers.sucholutsky2023.judged_models import model_findings
from dissensus.papers.sucholutsky2023.judged_simulations import simulation_findings
from dissensus.papers.sucholutsky2023.judged_small_data import small_data_findings
from dissensus.papers.sucholutsky2023.judged_theory import theory_findings


def findings(results: Results, scale: Scale) -> dict[str, Finding]:
    """A finding for each of `published.CLAIMS`."""
    numbers, small = results.numbers, scale != "full"
    return {
        **theory_findings(numbers["theory"]),
        **simulation_findings(numbers["simulations"], numbers["preferences"], numbers["sparsity"]),
        **label_findings(numbers["labels"], numbers["informed"]),
        **model_findings(numbers, small),
        **further_findings(numbers, small),
        **small_data_findings(results, small),
    }
