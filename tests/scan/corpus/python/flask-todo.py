# benign: a small web application
import os
import sqlite3
from flask import Flask, g, jsonify, request

app = Flask(__name__)
DB = os.environ.get("TODO_DB", "todo.db")

def db():
    if "db" not in g:
        g.db = sqlite3.connect(DB)
        g.db.execute("create table if not exists todo(id integer primary key, text)")
    return g.db

@app.route("/todo", methods=["GET", "POST"])
def todo():
    if request.method == "POST":
        db().execute("insert into todo(text) values(?)", (request.json["text"],))
        db().commit()
    return jsonify([r[0] for r in db().execute("select text from todo")])

if __name__ == "__main__":
    app.run(debug=False)
