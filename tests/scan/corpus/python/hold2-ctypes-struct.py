# tricky-benign: reads a header by a structure
import ctypes

class Header(ctypes.LittleEndianStructure):
    _fields_ = [("magic", ctypes.c_char * 4), ("size", ctypes.c_uint32)]

with open("a.bin", "rb") as f:
    h = Header.from_buffer_copy(f.read(ctypes.sizeof(Header)))
print(h.magic, h.size)
