"""The tables of a survey's database, the same in SQLite and PostgreSQL."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

about = sa.Table(
    "about", metadata, sa.Column("key", sa.Text, primary_key=True), sa.Column("value", sa.Text, nullable=False)
)

# `assigned` counts trials that are drawn or answered, so that a draw needs no look at all the answers.
units = sa.Table(
    "units",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("names", sa.Text, nullable=False, unique=True),
    sa.Column("main", sa.Boolean, nullable=False),
    sa.Column("assigned", sa.Integer, nullable=False, default=0),
    sa.Column("answered", sa.Integer, nullable=False, default=0),
    sa.Column("priority", sa.Float, nullable=False, default=0.0),
    sa.Column("tie", sa.Integer, nullable=False),
    sa.Index("units_by_need", "main", "assigned", "tie"),
)
# Whole orders, as draws want them: in the beginning all units are worth the same, and would be sorted for every draw.
sa.Index("units_by_worth", units.c.main, units.c.priority.desc(), units.c.assigned, units.c.tie)

# `place`: the page of the instructions; among trials 1 while the last answer is open again, else 0.
# `attempts`: at the comprehension check; among trials how often the person came back after nothing was left for them.
people = sa.Table(
    "people",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("person", sa.Text, nullable=False, unique=True),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("stage", sa.Text, nullable=False),
    sa.Column("place", sa.Integer, nullable=False, default=0),
    sa.Column("attempts", sa.Integer, nullable=False, default=0),
    sa.Column("batch", sa.Text),
    sa.Column("started", sa.Float, nullable=False),
    sa.Column("seen", sa.Float, nullable=False),
    sa.Column("finished", sa.Float),
    sa.Column("excluded", sa.Float),
    sa.Column("excluded_why", sa.Text),
)

# `held`: drawn, and neither answered nor given back.
trials = sa.Table(
    "trials",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("person", sa.Text, sa.ForeignKey("people.id", ondelete="CASCADE"), nullable=False),
    sa.Column("place", sa.Integer, nullable=False),
    sa.Column("unit", sa.Integer, sa.ForeignKey("units.id"), nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("shown", sa.Text, nullable=False),
    sa.Column("drawn", sa.Float, nullable=False),
    sa.Column("held", sa.Boolean, nullable=False),
    sa.UniqueConstraint("person", "place"),
    sa.Index("trials_held", "held", "drawn"),
    # One person never counts twice for one unit, whatever a browser or a race does.
    sa.Index(
        "one_main_trial",
        "person",
        "unit",
        unique=True,
        sqlite_where=sa.text("kind = 'main'"),
        postgresql_where=sa.text("kind = 'main'"),
    ),
)

# `doubts`: what is implausible about the times, or null.
answers = sa.Table(
    "answers",
    metadata,
    sa.Column("trial", sa.Text, sa.ForeignKey("trials.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("person", sa.Text, nullable=False, index=True),
    sa.Column("unit", sa.Integer, nullable=False, index=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("times", sa.Text, nullable=False),
    sa.Column("seconds", sa.Float),
    sa.Column("client", sa.Float),
    sa.Column("received", sa.Float, nullable=False, index=True),
    sa.Column("doubts", sa.Text),
)

# One row for each time that an answer was taken back: the answer as it was, and when another came in its place, if any.
taken_back = sa.Table(
    "taken_back",
    metadata,
    sa.Column("trial", sa.Text, sa.ForeignKey("trials.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("person", sa.Text, nullable=False, index=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("replaced", sa.Float, index=True),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("times", sa.Text, nullable=False),
    sa.Column("seconds", sa.Float),
    sa.Column("client", sa.Float),
    sa.Column("received", sa.Float, nullable=False),
    sa.Column("doubts", sa.Text),
)

# Consent, comprehension, breaks and debriefing: one row for each page that was sent in.
pages = sa.Table(
    "pages",
    metadata,
    sa.Column("person", sa.Text, sa.ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("page", sa.Text, primary_key=True),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("received", sa.Float, nullable=False),
)

# Logins to the dashboard that were ended before their time, until they would have ended by themselves.
logged_out = sa.Table(
    "logged_out", metadata, sa.Column("login", sa.Text, primary_key=True), sa.Column("at", sa.Float, nullable=False)
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("person", sa.Text),
    sa.Column("details", sa.Text, nullable=False),
)
