"""Heads on frozen features.

    encoders, text_encoders, image_encoders, efficientnet_lite   frozen networks; ENCODERS
    encodable_items, embed_items   items to encode, and embed: resumable, whole or not at all
    features               FeatureTable: features with the names of their items, from files
    config                 HeadConfig: what a head is and how it is trained
    training, examples     train_heads: many heads on the same features, trained as one
    branches               early stopping, the plateau scheduler, and which heads still share their weights
    numba_engine, epoch, kernels, vectors   one head per thread, in machine code
    torch_engine           all heads as one stack, on any device
    logistic               soft_logistic: a linear head solved to its one optimum
    fitting                train_head: from features and labels to a head, with items held out
    head, model_files      Head: the model; save_head and load_head

Each name is loaded when it is first used; torch is loaded by the torch engine and by encoders alone.
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
