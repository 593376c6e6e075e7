// SPDX-License-Identifier: Apache-2.0
// Changes of a directory are told to a callback, of what lies below it when asked.
import assert from "node:assert/strict";
import { type FilesystemEvent, FilesystemEventType, Sandbox } from "e2b";
import { until } from "./waiting.ts";

const sandbox = await Sandbox.create();
const { files } = sandbox;
await files.makeDir("watched/below");

let seen: FilesystemEvent[] = [];
const has = (name: string, type: FilesystemEventType) => until(() => seen.some((event) => event.name === name && event.type === type));
const handle = await files.watchDir("watched", (event) => void seen.push(event));
await files.write("watched/a.txt", "1");
await has("a.txt", FilesystemEventType.CREATE);
await has("a.txt", FilesystemEventType.WRITE);
await files.rename("watched/a.txt", "watched/b.txt");
await has("a.txt", FilesystemEventType.RENAME);
await files.remove("watched/b.txt");
await has("b.txt", FilesystemEventType.REMOVE);
await handle.stop();

seen = [];
const deep = await files.watchDir("watched", (event) => void seen.push(event), { recursive: true });
await files.write("watched/below/deep.txt", "");
await has("below/deep.txt", FilesystemEventType.CREATE);
await deep.stop();
assert.ok(!seen.some((event) => event.name === "a.txt"));
await sandbox.kill();
