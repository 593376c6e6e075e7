# tricky-benign: removes old logs of its own
import os
import time

for name in os.listdir("logs"):
    p = os.path.join("logs", name)
    if os.path.getmtime(p) < time.time() - 7 * 86400:
        os.remove(p)
