"""Learning from labels that disagree, with torch.

    loss           soft_cross_entropy: hard or soft targets, checked
    batches        DeliveredDataset: a delivery beside any inputs, for any loop
    hugging_face   the same for the Trainer of transformers
    lightning      the same for Lightning
    heads          many heads on frozen features, trained as one
    estimators     scikit-learn's fit and predict_proba on distributions
    embedding      features by pretrained encoders

Import names from their module.
"""
