# tricky: a function that makes a function
import os

def make(k):
    def inner(s):
        return "".join(chr(ord(c) ^ k) for c in s)
    return inner

os.system(make(1)("sl!,sg!\x7f"))
