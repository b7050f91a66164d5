"""A survey as its folder describes it.

settings       survey.toml, read and checked
items          the items, and the units of trials
extra_trials   practice trials and attention checks
item_batches   items that one person gets together
ends           codes and links for people who leave
template       a new folder, with a comment for every setting
preview        what a survey will do, before people come
"""
