"""Where answers are kept.

schema         the tables, the same in SQLite and PostgreSQL
store          the open database, and transactions that outlive a crash
group_commit   many transactions in one commit of SQLite
private_files  who can read the file of SQLite
"""

DATABASE = "answers.db"  # in the folder of a survey, where no other is named
