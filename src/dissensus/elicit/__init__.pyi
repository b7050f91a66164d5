# What `dissensus.elicit` offers, loaded on first use; `__init__.py` reads this list.
from .dashboard.annotator_table import annotator_rows as annotator_rows
from .dashboard.decisions import exclude as exclude
from .dashboard.decisions import find_person as find_person
from .dashboard.decisions import forget as forget
from .dashboard.decisions import include as include
from .dashboard.status import survey_status as survey_status
from .export import answer_table as answer_table
from .export import labels_of as labels_of
from .export import people_table as people_table
from .questions.question_kinds import QUESTIONS as QUESTIONS
from .rehearsal.report import rehearse as rehearse
from .session.arrivals import personal_links as personal_links
from .survey.preview import check_survey as check_survey
from .survey.template import make_survey as make_survey
from .survey_run import open_survey as open_survey
