# What `dissensus.train.heads` offers, loaded on first use; `__init__.py` reads this list.
from .config import HeadConfig as HeadConfig
from .embed_items import embed as embed
from .encodable_items import read_items as read_items
from .encoders import ENCODERS as ENCODERS
from .features import FeatureTable as FeatureTable
from .features import read_features as read_features
from .fit_config import FitConfig as FitConfig
from .fitting import scores_of as scores_of
from .head import Head as Head
from .logistic import soft_logistic as soft_logistic
from .model_files import load_head as load_head
from .model_files import save_head as save_head
from .training import train_heads as train_heads
