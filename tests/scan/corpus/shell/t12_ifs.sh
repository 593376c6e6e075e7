# tricky: the space is a variable
rm${IFS}-rf${IFS}/home
