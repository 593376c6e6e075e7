// SPDX-License-Identifier: Apache-2.0
// Directories are made, listed, renamed and removed; everything about one entry.
import assert from "node:assert/strict";
import { FileType, InvalidArgumentError, NotFoundError, Sandbox } from "e2b";
import { refused } from "./waiting.ts";

const sandbox = await Sandbox.create();
const { files } = sandbox;

assert.equal(await files.makeDir("tree/sub"), true);
assert.equal(await files.makeDir("tree/sub"), false);
await files.write("tree/a.txt", "12345");
await files.write("tree/sub/b.txt", "");
await sandbox.commands.run("chmod 600 tree/a.txt");

const entries = await files.list("tree");
assert.deepEqual(entries.map((entry) => entry.name).sort(), ["a.txt", "sub"]);
assert.equal(entries.find((entry) => entry.name === "sub")!.type, FileType.DIR);
assert.deepEqual((await files.list("/home/user/tree", { depth: 2 })).map((entry) => entry.path).sort(), [
  "/home/user/tree/a.txt", "/home/user/tree/sub", "/home/user/tree/sub/b.txt"]);
const info = await files.getInfo("tree/a.txt");
assert.deepEqual([info.name, info.path, info.type, info.size, info.mode & 0o777, info.owner], ["a.txt", "/home/user/tree/a.txt", FileType.FILE, 5, 0o600, "user"]);
assert.ok(Math.abs(Date.now() - info.modifiedTime!.getTime()) < 600_000, `${info.modifiedTime}`);

const moved = await files.rename("tree/a.txt", "tree/sub/c.txt");
assert.equal(moved.path, "/home/user/tree/sub/c.txt");
assert.deepEqual([await files.exists("tree/a.txt"), await files.exists("tree/sub/c.txt")], [false, true]);
await files.remove("tree");
assert.equal(await files.exists("tree"), false);
await refused(NotFoundError, () => files.read("tree/a.txt"), "tree/a.txt");
await refused(NotFoundError, () => files.list("tree"));
await files.write("plain", "");
await refused(InvalidArgumentError, () => files.list("plain"));
await refused(InvalidArgumentError, () => files.read("."), "directory");
await sandbox.kill();
