# What `dissensus.datasets` offers, loaded on first use; `__init__.py` reads this list.
from .catalogue import DATASETS as DATASETS
from .catalogue import features as features
from .catalogue import images as images
from .catalogue import load as load
from .catalogue import lookup as lookup
from .catalogue import predictions as predictions
from .check import describe_data_set as describe_data_set
from .check import verify as verify
from .download import fetch as fetch
from .folder import data_folder as data_folder
from .simulated_digits import ambiguous_digits as ambiguous_digits
from .sources import find_source as find_source
