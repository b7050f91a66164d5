"""One door in, one door out: files and frames <-> Votes, Beliefs and Distributions."""
