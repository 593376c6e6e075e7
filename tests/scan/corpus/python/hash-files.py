# benign: sums of files
import hashlib
import os
import sys

def digest(path):
    h = hashlib.sha256()
    with open(path, "rb") as f:
        while chunk := f.read(1 << 20):
            h.update(chunk)
    return h.hexdigest()

for root, _, files in os.walk(sys.argv[1] if len(sys.argv) > 1 else "."):
    for name in sorted(files):
        p = os.path.join(root, name)
        print(digest(p), p)
