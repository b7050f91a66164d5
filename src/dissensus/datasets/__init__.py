"""Public data: looked up in a data folder, read, checked and cited.

    load("cifar10s").labels                     what people said, and .items about what
    images("cifar10", "test").pixels            pictures, for training and for out-of-distribution tests
    predictions("chaosnli-snli-models")         what models believe about the same items
    features("cifar10-resnet50").values         ready-made features

`DATASETS` names them all with source, citation, licence and what is checked.

    catalogue            all of them by name, and the calls above
    dataset              what is known about a data set, and what reading one gives
    folder, download     where the files are looked up, and how they get there
    check                what is documented, held against what lies in the folder
    image_files, pickled how images are stored
    cifar10, …           a module for each family of data sets
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
