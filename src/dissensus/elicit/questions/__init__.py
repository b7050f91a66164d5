"""What is asked: the kinds of question, each one entry of `question_kinds.QUESTIONS` and one script of the page.

question            what a question is, and what a kind has to bring
question_kinds      QUESTIONS, and the check of an answer
answers_as_labels   answers as votes or beliefs
choose, top_two, sliders, parts, ratings, triplet   the kinds
attention           what attention checks expect, for classes, numbers and comparisons
class_numbers       numbers for classes, which several kinds check and draw
wording             what people read beyond the prompt
"""
