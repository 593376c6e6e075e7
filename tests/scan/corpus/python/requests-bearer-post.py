# tricky-benign: a token of the environment in a header
import os
import requests

resp = requests.post(
    "https://api.example.com/v1/chat/completions",
    headers={"Authorization": f"Bearer {os.environ['LLM_API_KEY']}"},
    json={"model": "small", "messages": [{"role": "user", "content": "hi"}]},
    timeout=60,
)
print(resp.json()["choices"][0]["message"]["content"])
