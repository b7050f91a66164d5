"""The researcher's page.

routes            HTTP routes, behind a key
data              the data of the page, computed once for all viewers
watch             the answers so far, each read once
status            progress, cost, time left, and the stage that each person reached
disputed          the answers to each item, most disputed first
disagreement      the map of items by leading class and by how often two people differ
annotator_table   answers, times, checks and flags of each annotator
overrides         settings of survey.toml that were changed on the dashboard
decisions         exclude, forget, stop, extend: each decision is recorded
wrong_keys        delays for wrong keys
"""
