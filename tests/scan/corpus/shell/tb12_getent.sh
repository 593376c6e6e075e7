# tricky-benign: reads names of users
cut -d: -f1,7 /etc/passwd | grep -v nologin
getent group docker
