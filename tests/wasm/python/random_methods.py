# SPDX-License-Identifier: Apache-2.0
# Each method of random.Random from several seeds.
#: randint
import random
for seed in (0, 1, 2024, "word", b"bytes"):
    r = random.Random(seed)
    print(seed, [r.randint(-5, 5) for _ in range(4)])
#: randrange
import random
for seed in (0, 1, 2024, "word", b"bytes"):
    r = random.Random(seed)
    print(seed, [r.randrange(0, 1000, 7) for _ in range(4)])
#: choices
import random
for seed in (0, 1, 2024, "word", b"bytes"):
    r = random.Random(seed)
    print(seed, [r.choices("xyz", [5, 3, 1], k=3) for _ in range(4)])
#: sample
import random
for seed in (0, 1, 2024, "word", b"bytes"):
    r = random.Random(seed)
    print(seed, [r.sample(range(50), 4) for _ in range(4)])
#: uniform
import random
for seed in (0, 1, 2024, "word", b"bytes"):
    r = random.Random(seed)
    print(seed, [round(r.uniform(-1, 1), 9) for _ in range(4)])
#: triangular
import random
for seed in (0, 1, 2024, "word", b"bytes"):
    r = random.Random(seed)
    print(seed, [round(r.triangular(1, 9, 2), 9) for _ in range(4)])
#: normalvariate
import random
for seed in (0, 1, 2024, "word", b"bytes"):
    r = random.Random(seed)
    print(seed, [round(r.normalvariate(0, 1), 9) for _ in range(4)])
#: expovariate
import random
for seed in (0, 1, 2024, "word", b"bytes"):
    r = random.Random(seed)
    print(seed, [round(r.expovariate(2), 9) for _ in range(4)])
#: betavariate
import random
for seed in (0, 1, 2024, "word", b"bytes"):
    r = random.Random(seed)
    print(seed, [round(r.betavariate(2, 5), 9) for _ in range(4)])
#: paretovariate
import random
for seed in (0, 1, 2024, "word", b"bytes"):
    r = random.Random(seed)
    print(seed, [round(r.paretovariate(2), 9) for _ in range(4)])
#: weibullvariate
import random
for seed in (0, 1, 2024, "word", b"bytes"):
    r = random.Random(seed)
    print(seed, [round(r.weibullvariate(2, 3), 9) for _ in range(4)])
#: vonmisesvariate
import random
for seed in (0, 1, 2024, "word", b"bytes"):
    r = random.Random(seed)
    print(seed, [round(r.vonmisesvariate(1, 2), 9) for _ in range(4)])
#: getrandbits
import random
for seed in (0, 1, 2024, "word", b"bytes"):
    r = random.Random(seed)
    print(seed, [r.getrandbits(70) for _ in range(4)])
