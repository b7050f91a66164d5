# What `dissensus.train.networks` offers, loaded on first use; `__init__.py` reads this list.
from .catalogue import NETWORKS as NETWORKS
from .catalogue import Recipe as Recipe
from .catalogue import make_network as make_network
