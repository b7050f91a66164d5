# What `dissensus.probe` offers, loaded on first use; `__init__.py` reads this list.
from .attacks import ATTACKS as ATTACKS
from .attacks import fgsm as fgsm
from .attacks import pgd as pgd
from .inputs import ImageBatches as ImageBatches
from .inputs import image_batches as image_batches
from .robustness import AttackScores as AttackScores
from .robustness import Robustness as Robustness
from .robustness import attack as attack
