"""A person's session in a survey.

protocol        rules for the next page and trial, without a database
arrivals        identity of a person, from the link
session         the current page of a person, and submissions
trials          trials as pages
other_pages     consent, instructions, comprehension, breaks and debriefing
presence        signs of activity, which keep a person's place
hold_times      how long a place is kept
draws           choice of the next unit
offers          the units that a draw chooses from
batch_draws     draws from batches
second_holders  units that others hold, if nothing else is missing
ranking         the value of one more answer, for draws by expected error
taken_back      reopening the last answer
saved_answers   checking and storing an answer with its times
doubtful_times  implausible times
"""
