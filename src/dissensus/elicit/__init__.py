"""The web app that asks people: surveys, questions, protocol, server, dashboard, rehearsal."""
