"""The web app that collects labels from people. A survey is a folder; its answers become votes or beliefs.

    survey/      the folder: settings, items and batches; a new folder, and a preview
    questions/   the kinds of question, each one entry of QUESTIONS and one script
    database/    storage of answers in SQLite or PostgreSQL
    session/     a person's pages, from consent to the end
    dashboard/   the researcher's page
    rehearsal/   simulated people with known answers
    survey_run   an open survey: settings, items, database and key
    export, export_files   raw answers, labels and people, as tables and as files
    describe     documents for the terminal
    app, server, guard, access, identity, media, templates, pages/   the server and its pages

Names are loaded on first use, so importing this package loads no web server.
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
