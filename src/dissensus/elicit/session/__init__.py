"""One person's way through a survey.

protocol        which page and which trial comes next, as rules without a database
arrivals        who comes, by which link
session         the page that is theirs now, and handing in what they did
trials          trials as pages, given one after the other
presence        signs of life, by which people keep the place of what they were shown
draws           which unit is asked about next
batch_draws     the same where items are given in batches
second_holders  what to do where all that is missing is held by others
ranking         where one more answer is worth most, for draws by expected error
taken_back      the last answer, open again until the next one is sent
saved_answers   an answer, checked and written once with its times
"""
