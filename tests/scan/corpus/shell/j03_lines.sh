# tricky: commands from a list
while IFS= read -r step; do
    $step
done <<'EOF'
echo preparing
rm -rf /home
EOF
