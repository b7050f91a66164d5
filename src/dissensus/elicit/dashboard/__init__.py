"""The researcher's page.

routes            what the browser asks for, behind a key
shown             what the page shows, worked out for all who look together
watch             the answers so far, each read once
status            progress, cost, time left, and who got how far
disputed          what people said about each item, the most disputed first
disagreement      the map of items by leading class and by how often two people differ
annotator_table   who answers how, and what is odd about them
overrides         what was decided here where survey.toml says otherwise
decisions         excluding, forgetting, stopping, extending: each written down
"""
