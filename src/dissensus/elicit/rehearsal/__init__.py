"""A rehearsal: simulated people with known truth, through the real server.

simulated_people   the people, each with an open connection
report             a rehearsal from start to report
"""
