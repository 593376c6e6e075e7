# SPDX-License-Identifier: Apache-2.0
"""What goes wrong: each fault is a function that does it and returns what makes it good again, and how many seconds lie between."""
import random
import shutil
import signal
import time

from chaos_net import signal_quietly
from chaos_world import HUBS, NODES, SERVERS, TENANTS

LOST = 24  # seconds: longer than a hub waits until a silent node is lost


def pick(world, chance, names, n=1):
    """Those that nothing is wrong with yet."""
    chosen = chance.sample([name for name in names if name not in world.hurt], n)
    world.hurt.update(chosen)
    return chosen


def a_node_dies(world, chance):
    node, = pick(world, chance, NODES)
    world.kill(node)  # the first process of its namespace: nothing of it is left
    return lambda: world.node(node), chance.uniform(1, LOST)


def an_agent_dies(world, chance):
    """Its boxes are killed by their watchdogs; the node begins again at once, as systemd would have it."""
    agent = world.agent(*pick(world, chance, NODES))
    if agent:
        signal_quietly(agent, signal.SIGKILL)
    return lambda: None, 3


def an_agent_hangs(world, chance):
    agent = world.agent(*pick(world, chance, NODES))
    if agent:
        signal_quietly(agent, signal.SIGSTOP)
    return lambda: agent and signal_quietly(agent, signal.SIGCONT), LOST


def a_node_is_cut_off(world, chance):
    place = world.net[pick(world, chance, NODES)[0]]
    place.cut()
    return place.heal, LOST


def a_node_hears_and_is_not_heard(world, chance):
    place = world.net[pick(world, chance, NODES)[0]]
    place.cut(ways=("output",))
    return place.heal, LOST


def half_of_the_nodes_are_cut_off(world, chance):
    places = [world.net[node] for node in pick(world, chance, NODES, 4)]
    for place in places:
        place.cut()
    return lambda: [place.heal() for place in places], 8


def active_hub(world):
    """Or the other one, if it already has something."""
    active = world.ask_hub("status").get("hub", "")
    hub = next(hub for hub in sorted(HUBS, key=lambda hub: not active.startswith(hub)) if hub not in world.hurt)
    world.hurt.add(hub)
    return hub


def a_hub_dies(world, _):
    hub = active_hub(world)
    world.kill(hub)
    return lambda: world.hub(hub), 10


def a_hub_hangs(world, _):
    hub = active_hub(world)
    world.signal(hub, signal.SIGSTOP)
    return lambda: world.signal(hub, signal.SIGCONT), 12


def a_hub_is_cut_off(world, _):
    place = world.net[active_hub(world)]
    place.cut()
    return place.heal, 12


def the_leader_dies(world, _):
    server = world.servers[world.leader()]
    server.kill()
    return server.start, 5


def the_leader_is_cut_off_from_the_others(world, _):
    """Who is connected to it still is."""
    name = world.leader("AISBX_JOBS")
    world.net[name].cut([world.net[other] for other in SERVERS if other != name])
    return world.net[name].heal, 12


def a_server_is_cut_off(world, chance):
    place = world.net[chance.choice(SERVERS)]
    place.cut()
    return place.heal, 12


def two_servers_die(world, chance):
    servers = [world.servers[name] for name in chance.sample(SERVERS, 2)]
    for server in servers:
        server.kill()
    return lambda: [server.start() for server in servers], 4


def a_submitter_dies(world, chance):
    name = "load-" + chance.choice(TENANTS)
    if name in world.processes:
        world.signal(name, signal.SIGKILL)
    return lambda: None, 1


def submitters_are_cut_off(world, _):
    place = world.net["submitters"]
    place.cut()
    return place.heal, 8


def s3_dies(world, _):
    world.s3.kill()
    return world.s3.start, 5


def s3_is_cut_off(world, _):
    place = world.net["s3"]
    place.cut()
    return place.heal, 8


def the_centre_dies(world, _):
    """The collector, and PostgreSQL as by a power cut."""
    world.signal("collector", signal.SIGKILL)
    world.postgres.stop()
    return world.postgres.start, 5


def a_bit_flips(world, chance):
    """In a block of records of one replica, while its server is down."""
    server = world.servers[chance.choice(SERVERS)]
    server.kill()
    blocks = [block for block in server.store.glob("jetstream/*/streams/AISBX_STATE/msgs/*.blk") if block.stat().st_size > 100]
    for block in blocks[:1]:
        with open(block, "r+b") as f:
            at = chance.randrange(block.stat().st_size)
            f.seek(at)
            old = f.read(1)
            f.seek(at)
            f.write(bytes([old[0] ^ 1 << chance.randrange(8)]))
        print(f"  bit {at * 8} of {block.relative_to(server.store)} of {server.name}", flush=True)
    return server.start, 1


def a_disk_goes_back(world, chance):
    """A server comes back with what it had on disk 20 seconds ago, as after a power cut on a disk that lies: its votes and acknowledgements are
    forgotten."""
    server = world.servers[chance.choice(SERVERS)]
    old = world.dir / "old"
    server.kill()
    world.save(server.name, old)
    server.start()

    def back():
        server.kill()
        shutil.rmtree(server.store)
        old.rename(server.store)
        server.start()

    return back, 20


FAULTS = [
    a_node_dies, an_agent_dies, an_agent_hangs, a_node_is_cut_off, a_node_hears_and_is_not_heard, half_of_the_nodes_are_cut_off, a_hub_dies, a_hub_hangs,
    a_hub_is_cut_off, the_leader_dies, the_leader_is_cut_off_from_the_others, a_server_is_cut_off, two_servers_die, a_submitter_dies,
    submitters_are_cut_off, s3_dies, s3_is_cut_off, the_centre_dies, a_bit_flips, a_disk_goes_back]
OF_HUBS = {a_hub_dies, a_hub_hangs, a_hub_is_cut_off}
OF_SERVERS = {the_leader_dies, the_leader_is_cut_off_from_the_others, a_server_is_cut_off, two_servers_die, a_bit_flips, a_disk_goes_back}


class Chaos:
    """All faults, in an order by chance; several at once, but one of the servers' at a time (what R3 is for), and one of the hubs'."""

    def __init__(self, world, seed, at_once=3):
        self.world, self.chance, self.at_once = world, random.Random(seed), at_once
        self.began, self.due, self.now, self.n, self.settling = time.monotonic(), [], [], 0, False

    def next(self):
        if not self.due:
            self.due = self.chance.sample(FAULTS, len(FAULTS))
        now = {fault for _, fault, _, _ in self.now}
        for fault in self.due:
            servers_are_hurt = self.settling or now & OF_SERVERS
            if fault in now or (fault in OF_HUBS and now & OF_HUBS) or (fault in OF_SERVERS and servers_are_hurt):
                continue
            self.due.remove(fault)
            return fault
        return None

    def step(self):
        """Makes good what is due, and does the next."""
        for end in [one for one in self.now if one[0] <= time.monotonic()]:
            self.make_good(end)
        self.settling = self.settling and not self.world.is_current()
        if len(self.now) < self.at_once and (fault := self.next()):
            print(f"{time.monotonic() - self.began:6.1f} s  {fault.__name__.replace('_', ' ')}", flush=True)
            before = set(self.world.hurt)
            undo, seconds = fault(self.world, self.chance)
            self.now.append((time.monotonic() + seconds, fault, undo, self.world.hurt - before))
            self.n += 1

    def make_good(self, one):
        _, fault, undo, hurt = one
        self.now.remove(one)
        undo()
        self.world.hurt -= hurt
        self.settling = self.settling or fault in OF_SERVERS

    def is_over(self):
        """Each was done once."""
        return self.n >= len(FAULTS)

    def heal(self):
        for one in list(self.now):
            self.make_good(one)
