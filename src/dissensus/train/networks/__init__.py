"""Networks for small images, made for 32 x 32 pixels.

    catalogue                  NETWORKS: every network by its name; Recipe, make_network
    resnet, preact_resnet, wide_resnet, resnext, pyramidnet, shake_shake   residual networks
    vgg, densenet              plain and densely connected ones
    small, swift               for training on CPUs
    depths, layers             which depths a family has; what families share

A family is a module with a function of the same name. Each name is loaded when it is first used; torch is loaded when
a network is made.
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
