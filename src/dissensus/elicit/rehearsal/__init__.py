"""Rehearsals: simulated people with known answers on the real server.

simulated_people   the people, each with an open connection
turned_away        people who were sent away although answers were missing
report             a whole rehearsal, and its numbers
example            a small answered survey for docstrings
"""
