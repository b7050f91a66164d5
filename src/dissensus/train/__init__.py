"""Learning from labels that disagree.

    model          Model: classes, logits, probs, predict; what every model serves, ours and yours
    targets        as_delivery: labels, counts, probabilities, votes -> one Delivery, the one door to training
    loss           soft_cross_entropy: hard or soft targets, checked
    batches        DeliveredDataset: a delivery beside any inputs, for any loop
    hugging_face   the same for the Trainer of transformers
    lightning      the same for Lightning
    estimators     SoftLabelClassifier: scikit-learn's fit and predict_proba on distributions
    expand_rows    ExpandRows: any estimator that takes sample weights, on distributions
    singh          soft against hard labels by the protocol of Singh 2025
    heads/         heads on frozen features: encoders, training many at once, files

Each name is loaded when it is first used; torch is loaded by those that need it.
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
