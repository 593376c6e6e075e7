# tricky-benign: decodes a part of a token
import base64
import json
import sys

head, body, sig = sys.argv[1].split(".")
print(json.dumps(json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))), indent=2))
