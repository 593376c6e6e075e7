# benign: installs the tool for this user
make
mkdir -p "$HOME/.local/bin"
install -m 755 build/tool "$HOME/.local/bin/tool"
case ":$PATH:" in *":$HOME/.local/bin:"*) ;; *) echo "add ~/.local/bin to PATH" ;; esac
