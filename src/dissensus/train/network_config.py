"""Which network is trained, and how labels reach it."""

from __future__ import annotations

from dataclasses import dataclass, field

from dissensus.deliver.deliveries import DELIVERIES
from dissensus.train.networks.catalogue import NETWORKS
from dissensus.train.train_config import TrainConfig


@dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """Which network to train on what.

    network     one of NETWORKS; None: small, or the network that training starts from
    width       as the network counts it; None: as published
    depth       the same
    delivery    how labels reach the loss, one of DELIVERIES
    wraps       wrappers around it, the first one first: "smoothed=0.1", "mixup=0.2", "stale=5", "shuffled"
    validation  share of the items held out at random; `train_folds` holds out a fold instead
    training    everything about the loop; its seed also decides the items held out and the delivery
    """

    network: str | None = None
    width: int | None = None
    depth: int | None = None
    delivery: str = "soft"
    wraps: tuple[str, ...] = ()
    validation: float = 0.2
    training: TrainConfig = field(default_factory=TrainConfig)

    def __post_init__(self) -> None:
        if self.network is not None and self.network not in NETWORKS:
            raise ValueError(f"no network {self.network!r}; there are {', '.join(NETWORKS)}")
        if self.delivery not in DELIVERIES:
            raise ValueError(f"no delivery {self.delivery!r}; there are {', '.join(DELIVERIES)}")
        if not 0 <= self.validation < 1:
            raise ValueError(f"validation is {self.validation}; expected a share of the items from 0 to below 1")
        object.__setattr__(self, "wraps", tuple(self.wraps))
