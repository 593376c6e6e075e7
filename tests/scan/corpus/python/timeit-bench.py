# tricky-benign: code in a text, for measuring
import timeit

print(timeit.timeit("'-'.join(map(str, range(100)))", number=10000))
print(timeit.timeit("d.get(1)", setup="d = {1: 2}", number=10000))
