# benign: work on all processors
import math
from multiprocessing import Pool

def work(n):
    return sum(math.isqrt(i) for i in range(n))

if __name__ == "__main__":
    with Pool(4) as pool:
        print(pool.map(work, [10**5] * 8))
