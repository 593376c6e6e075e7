# tricky-benign: walks and removes, below the project
import os
import shutil

for root, dirs, files in os.walk("."):
    for d in list(dirs):
        if d == "__pycache__":
            shutil.rmtree(os.path.join(root, d))
            dirs.remove(d)
    for f in files:
        if f.endswith(".pyc"):
            os.remove(os.path.join(root, f))
