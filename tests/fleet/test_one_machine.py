# SPDX-License-Identifier: Apache-2.0
"""Who has one machine pays nothing for the fleet: nothing of it is in aisbx."""
import os
import subprocess


def test_aisbx_links_nothing_of_it():
    aisbx = os.environ["AISBX"]
    needed = subprocess.run(["readelf", "-d", aisbx], capture_output=True, text=True, check=True).stdout
    symbols = subprocess.run(["nm", aisbx], capture_output=True, text=True, check=True).stdout.split()
    assert not [line for line in needed.splitlines() if "NEEDED" in line and ("nats" in line or "sodium" in line)]
    assert not [name for name in symbols if name.startswith(("nats", "fleet_", "bus_", "wire_message", "crypto_"))]
    # aisbx-fleet has what is looked for.
    own = subprocess.run(["nm", os.path.join(os.path.dirname(aisbx), "aisbx-fleet")], capture_output=True, text=True, check=True).stdout
    assert "fleet_hub_create" in own
