# tricky-benign: watches files and starts the server again
import os
import subprocess
import sys
import time

def mtimes():
    return {p: os.stat(p).st_mtime for p in os.listdir("app") if p.endswith(".py")}

while True:
    p = subprocess.Popen([sys.executable, "-m", "app"])
    seen = mtimes()
    while p.poll() is None and mtimes() == seen:
        time.sleep(1)
    p.terminate()
    p.wait()
