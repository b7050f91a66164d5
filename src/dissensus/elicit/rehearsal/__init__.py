"""A rehearsal: simulated people with known truth, through the real server.

simulated_people   the people, each with an open connection
turned_away        who was let go while they could have answered something
report             a rehearsal from start to report
"""
