"""Settings of a network and its delivery."""

from __future__ import annotations

from dataclasses import dataclass, field

from dissensus.deliver.deliveries import DELIVERIES
from dissensus.labels.settings import check_settings, document_settings, setting
from dissensus.train.heads.fit_config import DELIVERY_HELP, WRAPS_HELP
from dissensus.train.networks.catalogue import NETWORKS
from dissensus.train.train_config import TrainConfig


@document_settings
@dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """The network to train, and how labels reach it; `training` has the settings of the loop.

    The seed of `training` also decides the held-out items and the delivery. `train_folds` holds out folds instead of
    `validation`.

    Examples
    --------
    >>> NetworkConfig(network="small", wraps=["smoothed=0.1"]).wraps
    ('smoothed=0.1',)
    """

    network: str | None = setting(
        None, "Network to train; small, or the network that training starts from, unless given", among=NETWORKS
    )
    width: int | None = setting(
        None, "Width as the network counts it, mostly channels of its first stage; as published unless given", low=1
    )
    depth: int | None = setting(
        None, "Depth as the network counts it, mostly in layers; as published unless given", low=1
    )
    delivery: str = setting("soft", DELIVERY_HELP, among=DELIVERIES)
    wraps: tuple[str, ...] = setting((), WRAPS_HELP)
    validation: float = setting(0.2, "Share of the items held out at random; 0 trains on all items", low=0, below=1)
    training: TrainConfig = field(default_factory=TrainConfig)

    def __post_init__(self) -> None:
        check_settings(self)
