# SPDX-License-Identifier: Apache-2.0
"""The rows of a ledger, in SQLite."""
import sqlite3


class Book:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.execute("pragma journal_mode=wal")
        self.db.execute("create table if not exists sale (day text, item text, amount real)")

    def add(self, rows):
        with self.db:
            self.db.executemany("insert into sale values (?, ?, ?)", rows)

    def rows(self):
        return self.db.execute("select day, item, amount from sale order by day, item").fetchall()

    def close(self):
        self.db.close()
