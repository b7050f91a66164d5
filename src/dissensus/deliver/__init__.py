"""How labels reach the loss: targets for every item and epoch, without torch.

    delivery        Delivery: epoch -> classes or probabilities; Mixing: which inputs are mixed
    fixed           soft, majority, class_means, random, uniform: the same in every epoch
    one_answer      sls, multipass, deterministic_control, deaggregated: one answer at a time
    from_posterior  posterior: what few votes leave possible
    wrappers        shuffled, stale, smoothed, tempered, mixup: deliveries made from deliveries; WRAPPERS
    deliveries      DELIVERIES, deliver and wrapped: the same by name
    keyed, alias, gammas   random numbers as a function of seed, epoch and item

Each name is loaded when it is first used.
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
