"""The networks of table 2: their parameters, counted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dissensus.papers.paper import Tell
from dissensus.papers.sucholutsky2023.studies import NETWORKS
from dissensus.train.networks.catalogue import parameter_count


def parameters(folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Of each network at its published size."""
    return {name: parameter_count(name) for name in NETWORKS}
