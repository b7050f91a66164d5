# What `dissensus` offers, loaded on first use; `__init__.py` reads this list.
from . import aggregate as aggregate
from . import datasets as datasets
from . import deliver as deliver
from . import elicit as elicit
from . import evaluate as evaluate
from . import files as files
from . import labels as labels
from . import papers as papers
from . import plan as plan
from . import probe as probe
from . import report as report
from . import study as study
from . import train as train
from .aggregate.aggregations import aggregate_labels as aggregate_labels
from .datasets.catalogue import load as load
from .evaluate.comparisons import compare as compare
from .evaluate.scorecards import scorecard as scorecard
from .files.read_labels import read as read
from .files.stream import count_votes as count_votes
from .files.tables.from_labels import as_table as as_table
from .files.write_labels import write as write
from .labels.beliefs import Beliefs as Beliefs
from .labels.completion import complete as complete
from .labels.distributions import Distributions as Distributions
from .labels.shares import as_distributions as as_distributions
from .labels.shares import mean_belief as mean_belief
from .labels.shares import share as share
from .labels.summary import summarise as summarise
from .labels.transforms import smooth as smooth
from .labels.votes import Votes as Votes
from .plan.advice.label_plan import plan_labels as plan_labels
from .study.advice.advice import advise_labels as advise_labels

__version__: str
