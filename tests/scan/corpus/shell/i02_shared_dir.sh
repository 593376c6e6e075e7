# benign: a folder for a team
sudo groupadd -f devs
sudo install -d -g devs -m 2775 /srv/shared
chmod 2775 ./shared
