# benign: a download checked before it is used
ver=1.30.0
curl -fsSLo kubectl "https://dl.example.org/release/v$ver/bin/linux/amd64/kubectl"
curl -fsSLo kubectl.sha256 "https://dl.example.org/release/v$ver/bin/linux/amd64/kubectl.sha256"
echo "$(cat kubectl.sha256)  kubectl" | sha256sum --check
chmod +x kubectl
./kubectl version --client
