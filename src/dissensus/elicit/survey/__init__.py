"""A survey as its folder describes it.

settings       survey.toml, checked, with every setting in place
items          what is shown, and the units that trials ask about
extra_trials   practice and attention checks, beside the trials that are counted
item_batches   items that are given together to one person
template       a new folder, with a comment for every setting
preview        what the survey will do, found out before anybody comes
"""
