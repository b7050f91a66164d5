"""A survey as its folder describes it.

settings       survey.toml, checked, with every setting in place
toml_tables    the sections of survey.toml, read into values
items          what is shown, and the units that trials ask about
extra_trials   practice and attention checks, beside the trials that are counted
item_batches   items that are given together to one person
template       a new folder, with a comment for every setting
preview        what the survey will do, found out before anybody comes
"""
