# benign: reports on the machine
echo "== disk"; df -h /
echo "== memory"; free -m
echo "== load"; cat /proc/loadavg
echo "== kernel"; uname -a; cat /etc/os-release | head -n 3
