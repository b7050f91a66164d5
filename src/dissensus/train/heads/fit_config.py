"""Settings of a head and its delivery."""

from __future__ import annotations

from dataclasses import dataclass, field

from dissensus.deliver.deliveries import DELIVERIES, wrapper_forms
from dissensus.labels.settings import LARGEST_SEED, check_settings, document_settings, setting
from dissensus.train.heads.config import HeadConfig

HEADS = ("mlp", "linear", "logistic")
DELIVERY_HELP = "How labels reach the loss"
WRAPS_HELP = f"Wrappers around the delivery, innermost first: {', '.join(wrapper_forms())}"


@document_settings
@dataclass(frozen=True, kw_only=True)
class FitConfig:
    """The head to train, and how labels reach it; `training` has the settings of Adam.

    The logistic head minimises the sum of the losses + penalty |W|^2 / 2, solved exactly. It needs a delivery that is
    the same in every epoch. After its penalty is chosen it is trained on all items; its scores are those of the head
    trained without the held-out items.

    Examples
    --------
    >>> FitConfig(head="logistic", penalty=1).penalty
    1.0
    """

    head: str = setting(
        "mlp", "Head to train; mlp and linear by Adam, logistic (a linear head) solved exactly", among=HEADS
    )
    delivery: str = setting("soft", DELIVERY_HELP, among=DELIVERIES)
    wraps: tuple[str, ...] = setting((), WRAPS_HELP)
    validation: float = setting(
        0.2, "Share of the items held out at random, for early stopping and model selection", low=0, below=1
    )
    penalty: float | None = setting(
        None, "L2 penalty of the logistic head; chosen on held-out items unless given", above=0
    )
    standardise: bool = setting(False, "Train on features of mean 0 and variance 1")
    seed: int = setting(
        0, "Random seed for held-out items, delivery, weights, batches and dropout", low=0, high=LARGEST_SEED
    )
    training: HeadConfig = field(default_factory=HeadConfig)

    def __post_init__(self) -> None:
        check_settings(self)
