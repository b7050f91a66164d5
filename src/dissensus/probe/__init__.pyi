# What `dissensus.probe` offers, loaded on first use; `__init__.py` reads this list.
from .inputs import ImageBatches as ImageBatches
from .inputs import image_batches as image_batches
