# benign: a temporary directory
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
git clone --depth 1 https://github.com/example/project "$tmp/project"
cp "$tmp/project/LICENSE" .
