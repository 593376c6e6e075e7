# tricky: quotes inside the words
r''m -r"f" /"e"t''c
