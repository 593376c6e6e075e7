# tricky-benign: ctypes for a plain function
import ctypes

libc = ctypes.CDLL("libc.so.6")
libm = ctypes.CDLL("libm.so.6")
libm.cos.restype = ctypes.c_double
libm.cos.argtypes = [ctypes.c_double]
print(libm.cos(0.0), libc.abs(-3))
