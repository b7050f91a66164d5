"""The web app that asks people: studies, questions, protocol, server, dashboard, rehearsal."""
