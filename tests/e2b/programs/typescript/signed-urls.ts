// SPDX-License-Identifier: Apache-2.0
// Somebody without a key uploads and downloads one file, by an address that is signed and ends.
import assert from "node:assert/strict";
import { Sandbox } from "e2b";

const sandbox = await Sandbox.create();
const upload = await sandbox.uploadUrl("/home/user/in.txt", { useSignatureExpiration: 60 });
const form = new FormData();
form.append("file", new Blob(["from outside"]), "in.txt");
assert.equal((await fetch(upload, { method: "POST", body: form })).status, 200);
assert.equal(await sandbox.files.read("in.txt"), "from outside");

const download = await sandbox.downloadUrl("/home/user/in.txt");
assert.equal(await (await fetch(download)).text(), "from outside");
await sandbox.files.write("other.txt", "private");
for (const url of [download.replace("in.txt", "other.txt"), download.split("&signature=")[0], await sandbox.downloadUrl("/home/user/in.txt", { useSignatureExpiration: -10 }), upload])
  assert.equal((await fetch(url)).status, 401, url);
await sandbox.kill();
