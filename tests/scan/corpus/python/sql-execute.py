# tricky-benign: cursor.execute is no exec
import sqlite3

con = sqlite3.connect(":memory:")
cur = con.cursor()
cur.execute("create table t(a, b)")
cur.executemany("insert into t values(?, ?)", [(i, i * i) for i in range(10)])
print(cur.execute("select sum(b) from t").fetchone())
con.executescript("drop table t;")
