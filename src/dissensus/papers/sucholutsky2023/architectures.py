"""The networks of table 2: made without weights, so that their parameters can be counted."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dissensus.papers.paper import Tell
from dissensus.papers.sucholutsky2023.studies import NETWORKS
from dissensus.train.networks.catalogue import make_network


def parameters(folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Parameters of each network at its published size."""
    import torch

    with torch.device("meta"):
        return {name: sum(weight.numel() for weight in make_network(name).parameters()) for name in NETWORKS}
