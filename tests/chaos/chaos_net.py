# SPDX-License-Identifier: Apache-2.0
"""Machines of a test on this one: network namespaces without names, which end with the test however it ends, on a bridge in one more of them."""
import contextlib
import ctypes
import os
import subprocess
import threading

NET = "10.99.0"
CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)


class Place:
    """One namespace. Its holder reads from a pipe of the test: when that is gone it ends, and the kernel takes the namespace away."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "--net", "sh", "-c", "echo there; read line"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.holder.stdout.readline() == b"there\n"
        self.pid = self.holder.pid

    def words(self, *words):
        return ["nsenter", f"--net=/proc/{self.pid}/ns/net", "--", *map(str, words)]

    def do(self, *words, text=None):
        subprocess.run(self.words(*words), check=True, timeout=60, input=text, text=True, stdin=None if text else subprocess.DEVNULL)

    def call(self, function, *args):
        """In this place: a thread of its own enters it."""
        result = []

        def enter():
            with open(f"/proc/{self.pid}/ns/net", "rb") as ns:
                if LIBC.setns(ns.fileno(), CLONE_NEWNET) < 0:
                    result.append((False, OSError(ctypes.get_errno(), "setns")))
                    return
            try:
                result.append((True, function(*args)))
            except BaseException as e:  # pylint: disable=broad-exception-caught  # raised again below
                result.append((False, e))

        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
        good, value = result[0]
        if not good:
            raise value
        return value

    def end(self):
        with contextlib.suppress(OSError):
            self.holder.stdin.close()
        self.holder.wait(60)
        self.holder.stdout.close()


class Machine(Place):
    """A namespace with an address on the bridge."""

    def __init__(self, net, name, number):
        super().__init__()
        self.name, self.ip = name, f"{NET}.{number}"
        net.bridge.do("ip", "link", "add", f"v{number}", "type", "veth", "peer", "name", "eth0", "netns", self.pid)
        net.bridge.do("ip", "link", "set", f"v{number}", "master", "br0", "up")
        self.do("ip", "link", "set", "lo", "up")
        self.do("ip", "address", "add", f"{self.ip}/24", "dev", "eth0")
        self.do("ip", "link", "set", "eth0", "up")

    def cut(self, others=(), ways=("input", "output")):
        """No packet comes in, or goes out, or both; from and to OTHERS alone if there are any. What stays in this machine does."""
        rules = "table inet chaos {\n"
        for way in ways:
            end = "saddr" if way == "input" else "daddr"
            what = f"ip {end} {{ {', '.join(other.ip for other in others)} }} drop" if others else ("iifname" if way == "input" else "oifname") + ' "eth0" drop'
            rules += f"chain {way} {{ type filter hook {way} priority 0; policy accept; {what}; }}\n"
        self.heal()
        self.do("nft", "-f", "-", text=rules + "}\n")

    def heal(self):
        subprocess.run(self.words("nft", "delete", "table", "inet", "chaos"), check=False, timeout=60, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Net:
    def __init__(self, names):
        self.bridge, self.machines = Place(), {}
        try:
            self.bridge.do("ip", "link", "add", "br0", "type", "bridge")
            self.bridge.do("ip", "link", "set", "br0", "up")
            for number, name in enumerate(names, 11):
                self.machines[name] = Machine(self, name, number)
        except BaseException:
            self.end()
            raise

    def __getitem__(self, name):
        return self.machines[name]

    def end(self):
        for machine in self.machines.values():
            machine.end()
        self.bridge.end()


def children(pid):
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return [int(word) for word in f.read().split()]
    return []


def signal_quietly(pid, how):
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, how)
