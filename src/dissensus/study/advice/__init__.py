"""What to make of given labels.

regime                  facts: what the labels are, how many, how disputed
candidates              what can be made of them
holding_out             evidence from answers held out
quick_study             evidence from a model
ladder                  a choice: the simplest is kept until another is significantly better
advice, words, page     all of it, in words and as a page
"""
