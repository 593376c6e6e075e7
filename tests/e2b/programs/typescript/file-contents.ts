// SPDX-License-Identifier: Apache-2.0
// Text, bytes, blobs, streams and many files at once, written and read.
import assert from "node:assert/strict";
import { Sandbox } from "e2b";

const sandbox = await Sandbox.create();
const { files } = sandbox;

const info = await files.write("poem.txt", "rød grød\n");
assert.deepEqual([info.name, info.path, info.type], ["poem.txt", "/home/user/poem.txt", "file"]);
assert.equal(await files.read("/home/user/poem.txt"), "rød grød\n");

const everything = Uint8Array.from({ length: 16384 }, (_, n) => n % 256);
await files.write("deep/er/data.bin", everything.buffer);
assert.deepEqual(await files.read("deep/er/data.bin", { format: "bytes" }), everything);
assert.deepEqual(new Uint8Array(await (await files.read("deep/er/data.bin", { format: "blob" })).arrayBuffer()), everything);
const pieces = [];
for await (const piece of (await files.read("deep/er/data.bin", { format: "stream" })) as unknown as AsyncIterable<Uint8Array>) pieces.push(piece);
assert.deepEqual(new Uint8Array(Buffer.concat(pieces)), everything);
await files.write("blob.txt", new Blob(["one ", "two"]));
assert.equal(await files.read("blob.txt"), "one two");
await files.write("stream.txt", new Blob(["streamed"]).stream());
assert.equal(await files.read("stream.txt"), "streamed");

const infos = await files.write([
  { path: "many/a.txt", data: "A" },
  { path: "many/b.bin", data: new Uint8Array([0, 255]).buffer },
]);
assert.deepEqual(infos.map((one) => one.path), ["/home/user/many/a.txt", "/home/user/many/b.bin"]);
assert.deepEqual([...(await files.read("many/b.bin", { format: "bytes" }))], [0, 255]);
assert.equal((await sandbox.commands.run("cat many/a.txt")).stdout, "A");
await sandbox.kill();
