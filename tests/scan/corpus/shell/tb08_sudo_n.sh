# tricky-benign: asks whether it may
if sudo -n true 2>/dev/null; then echo "may use sudo"; else echo "may not"; fi
id -u
