# tricky-benign: a client with a key of a file of the project
import json
import urllib.request

conf = json.load(open("config.json"))
req = urllib.request.Request(conf["url"], headers={"X-Key": conf["key"]})
with urllib.request.urlopen(req) as r:
    json.dump(json.load(r), open("out.json", "w"))
