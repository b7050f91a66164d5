"""The kinds of question, each one entry of `question_kinds.QUESTIONS` and one script of the page.

question            the values: a question, a kind of question, an option, an attention rule
question_kinds      QUESTIONS, and the check of an answer
answers_as_labels   answers as votes or beliefs
choose, top_two, sliders, parts, ratings, triplet   the kinds
attention           attention checks for classes, numbers and comparisons
class_numbers       checks and simulated beliefs that several kinds share
wording             texts beyond the prompt
"""
