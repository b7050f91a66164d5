"""Advice on given labels: how to aggregate them, and what to train on.

regime                  facts: kind, number and disagreement of the labels
candidates              methods that fit them
holding_out             evidence from answers held out
quick_study             evidence from a model
ladder                  a choice: the simplest is kept until another is significantly better
advice, words, page     all of it, in words and as a page
"""
