"""What the crowd teaches about disagreement: priors learned from votes, and estimates from few of them."""
