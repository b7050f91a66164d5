"""The tables of a survey's database, the same in SQLite and PostgreSQL."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

about = sa.Table(
    "about", metadata, sa.Column("key", sa.Text, primary_key=True), sa.Column("value", sa.Text, nullable=False)
)

# `assigned` counts trials that are held or answered, so that a draw does not have to count answers.
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
# The whole order of a draw: at first all units have the same priority and would be sorted for every draw.
sa.Index("units_by_worth", units.c.main, units.c.priority.desc(), units.c.assigned, units.c.tie)

# `place`: the page of the instructions; in the stage "trials" 1 while the last answer is reopened, else 0.
# `attempts`: tries at the comprehension check; in the stage "trials" how often the person returned after "full".
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

# `held`: drawn, but neither answered nor given back.
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
    # A person never counts twice for a unit, whatever a browser or a race condition does.
    sa.Index(
        "one_main_trial",
        "person",
        "unit",
        unique=True,
        sqlite_where=sa.text("kind = 'main'"),
        postgresql_where=sa.text("kind = 'main'"),
    ),
)

# `doubts`: what is implausible about the times, or null if nothing is.
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

# One row for each time an answer was taken back: the old answer, and when a new one replaced it, if one did.
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

# Consent, comprehension, breaks and debriefing: one row for each submitted page.
pages = sa.Table(
    "pages",
    metadata,
    sa.Column("person", sa.Text, sa.ForeignKey("people.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("page", sa.Text, primary_key=True),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("received", sa.Float, nullable=False),
)

# Revoked logins to the dashboard, until they would have expired.
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
