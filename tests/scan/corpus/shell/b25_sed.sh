# benign: changes a version
new=$1
sed -i.bak "s/^version = .*/version = \"$new\"/" pyproject.toml
rm -f pyproject.toml.bak
git commit -am "Version $new"
