# benign: asks an API
#!/bin/sh
repo=${1:?usage: stars OWNER/NAME}
curl -fsSL "https://api.github.com/repos/$repo" | jq -r .stargazers_count
