# benign: a debugger and a memory checker
cc -g -O0 -o demo demo.c
gdb -batch -ex run -ex bt ./demo
valgrind --error-exitcode=1 ./demo
