"""How labels reach the loss: targets for every item and epoch, without torch.

    delivery        Delivery: epoch -> classes or probabilities; Mixing: which inputs are mixed
    fixed           soft, majority, class_means, random, uniform: the same in every epoch
    one_answer      sls, multipass, deterministic_control, deaggregated: one answer at a time
    from_posterior  posterior: drawn from the posterior of few votes
    wrappers        shuffled, stale, smoothed, tempered, mixup: wrap another delivery; WRAPPERS
    deliveries      DELIVERIES, deliver and wrapped: the same by name
    keyed, alias, gammas   random numbers as a function of seed, epoch and item

Each name is loaded on first use.
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
