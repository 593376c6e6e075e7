# tricky-benign: searches for dangerous commands
grep -rnE 'curl .*\| *(ba)?sh|rm -rf /' scripts/ || echo "none found"
grep -n '/dev/tcp/' -r . --include='*.sh'
