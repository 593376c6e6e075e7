# tricky-benign: lists the hosts of one's configuration
awk '/^Host / { print $2 }' ~/.ssh/config | sort
ls -l ~/.ssh/*.pub
