"""Storage of answers.

schema              the tables, the same in SQLite and PostgreSQL
engines             connections to the two databases
store               the open database and its crash-safe transactions
shared_transaction  reads and writes shared by all requests of one transaction
group_commit        many requests in one commit
private_files       file permissions of SQLite databases
"""

DATABASE = "answers.db"  # the default database, in the folder of a survey
