"""Public data: looked up in a data folder, read, checked and cited.

    load("cifar10s").labels                     answers of people; .items is a table of the items
    images("cifar10", "test").pixels            images, for training and for out-of-distribution tests
    predictions("chaosnli-snli-models")         predictions of models for the same items
    features("cifar10-resnet50").values         precomputed features

`DATASETS` lists all of them with source, citation, licence and checks.

    catalogue            all data sets by name, and the functions above
    sources              a path or the name of a data set: which of the two a user means
    dataset, contents    description of a data set, labels with their items, texts and images of the items
    folder, download     the data folder, and how files get there
    check                documented facts, tested on the files
    image_files, pickled storage of images
    cifar10, …           one module per family of data sets
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
