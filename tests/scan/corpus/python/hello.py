# benign: the smallest program
print("hello, world")
