# tricky-benign: makes its own script executable
import os

with open("scripts/run.sh", "w") as f:
    f.write("#!/bin/sh\nexec python3 -m app \"$@\"\n")
os.chmod("scripts/run.sh", 0o755)
