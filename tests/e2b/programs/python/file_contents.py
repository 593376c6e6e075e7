# SPDX-License-Identifier: Apache-2.0
"""Text, bytes, streams and many files at once, written and read."""
import io

from e2b import Sandbox

with Sandbox.create() as sandbox:
    files = sandbox.files
    info = files.write("/home/user/poem.txt", "r\u00f8d gr\u00f8d\n")
    assert (info.name, info.path, info.type.value) == ("poem.txt", "/home/user/poem.txt", "file"), info
    assert files.read("/home/user/poem.txt") == files.read("poem.txt") == "r\u00f8d gr\u00f8d\n"
    files.write("poem.txt", "short")
    assert files.read("poem.txt") == "short", "the old is gone"

    everything = bytes(range(256)) * 64
    files.write("deep/er/data.bin", everything)
    assert files.read("deep/er/data.bin", format="bytes") == everything
    assert b"".join(files.read("deep/er/data.bin", format="stream")) == everything
    files.write("stream.bin", io.BytesIO(everything))
    assert files.read("stream.bin", format="bytes") == everything
    files.write("packed.txt", "a" * 100000, gzip=True)
    assert sandbox.commands.run("wc -c < packed.txt").stdout.strip() == "100000"
    assert files.read("packed.txt", gzip=True) == "a" * 100000
    files.write("empty", "")
    assert files.read("empty") == ""

    infos = files.write_files([{"path": f"many/{n}.txt", "data": f"number {n}"} for n in range(20)])
    assert [info.path for info in infos] == [f"/home/user/many/{n}.txt" for n in range(20)], infos
    assert sandbox.commands.run("cat many/7.txt; ls many | wc -l").stdout == "number 720\n"

    big = bytes(8 << 20)
    files.write("big.bin", big)
    assert len(files.read("big.bin", format="bytes")) == len(big)
    assert files.write("odd name \u00e4&=#%.txt", "x").name == "odd name \u00e4&=#%.txt"
    assert files.read("odd name \u00e4&=#%.txt") == "x"
