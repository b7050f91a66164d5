"""The web app in which people answer: a survey is a folder, its answers come out as votes or beliefs.

    survey/      what the folder says: settings, items, batches; a new folder, and a preview
    questions/   the kinds of question, each one entry of QUESTIONS and one script of the page
    database/    where answers are kept, in SQLite or PostgreSQL
    session/     one person's way through a survey
    dashboard/   the researcher's page
    rehearsal/   simulated people with known truth
    running      an open survey: settings, items, database and key together
    export, export_files   raw answers, labels and people, as tables and as files
    app, server, guard, access, identity, media, templates, pages/   the server and what it sends

The names that a Python user calls stand here; each is loaded when it is first used, so that importing this package
loads no web server.
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
