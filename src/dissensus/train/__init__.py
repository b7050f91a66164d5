"""Learning from labels that disagree.

    model          Model: classes, logits, probs, predict; the interface of every model, ours and yours
    targets        as_delivery: labels, counts, probabilities, votes -> one Delivery, the one door to training
    loss           soft_cross_entropy: hard or soft targets, checked
    images         ImageTable: images as one array of bytes, with their names; as_images makes it of arrays
    image_sources  read_images: a folder, a Parquet file of images, an array file -> ImageTable
    matching       features or images and labels of the same items
    batches        DeliveredDataset: a delivery with any inputs, for any loop
    hugging_face   the same for the Trainer of transformers
    lightning      the same for Lightning
    estimators     SoftLabelClassifier: scikit-learn's fit and predict_proba on distributions
    expand_rows    ExpandRows: any estimator that takes sample weights, on distributions
    splits         items for training, validation and test
    network_config, network_fitting   train_network: from images and labels to networks, with items held out
    recipes        RECIPES: settings of training that belong together, by name
    folds, fold_processes             train_folds: every item predicted by a network that was not trained on it
    network_files, model_files, cards   save_network, load_network: safetensors with a card
    pretraining, stored_networks        networks that are pretrained once and found by name in the data folder
    heads/         heads on frozen features: encoders, training many at once, files
    networks/      NETWORKS: networks for small images, by name

Each name is loaded when it is first used; torch is loaded by those that need it.
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
