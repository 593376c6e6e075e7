# benign: makes room
sudo apt-get clean
sudo journalctl --vacuum-time=7d
rm -rf ~/.cache/pip ~/.npm/_cacache ~/.gradle/caches/build-cache-1
docker system prune -af --volumes
du -sh ~/* | sort -h | tail -n 5
