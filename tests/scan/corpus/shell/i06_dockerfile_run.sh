# benign: what a Dockerfile runs
apt-get update
apt-get install -y --no-install-recommends ca-certificates curl git
rm -rf /var/lib/apt/lists/* /tmp/* /root/.cache/pip
useradd --create-home --shell /bin/bash app
