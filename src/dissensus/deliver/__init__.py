"""How labels reach the loss: targets for every item and epoch, without torch.

    delivery        Delivery: epoch -> classes or probabilities; Mixing: which inputs are mixed
    fixed           soft, majority, class_means, random, uniform: the same in every epoch
    one_answer      sls, multipass, deterministic_control, deaggregated: one answer at a time
    from_posterior  posterior: what few votes leave possible
    wrappers        shuffled, stale, smoothed, tempered, mixup: deliveries made from deliveries
    methods         DELIVERIES, deliver and wrapped: the same by name
    keyed, alias, gammas   random numbers as a function of seed, epoch and item

`from dissensus.deliver import sls` works for each of the deliveries and wrappers.
"""

from dissensus.deliver.deliveries import DELIVERIES, deliver
from dissensus.deliver.delivery import Delivery, Mixing
from dissensus.deliver.fixed import class_means, majority, random, soft, uniform
from dissensus.deliver.from_posterior import posterior
from dissensus.deliver.one_answer import deaggregated, deterministic_control, multipass, sls
from dissensus.deliver.wrappers import WRAPPERS, mixup, shuffled, smoothed, stale, tempered

__all__ = [
    "DELIVERIES",
    "WRAPPERS",
    "Delivery",
    "Mixing",
    "class_means",
    "deaggregated",
    "deliver",
    "deterministic_control",
    "majority",
    "mixup",
    "multipass",
    "posterior",
    "random",
    "shuffled",
    "sls",
    "smoothed",
    "soft",
    "stale",
    "tempered",
    "uniform",
]
