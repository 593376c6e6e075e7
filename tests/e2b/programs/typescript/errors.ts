// SPDX-License-Identifier: Apache-2.0
// What goes wrong has a class of its own, also what this server does not have.
import assert from "node:assert/strict";
import { AuthenticationError, BuildError, NotFoundError, Sandbox, SandboxError, Template, TimeoutError, Volume, VolumeError } from "e2b";
import { refused } from "./waiting.ts";

const apiKey = "e2b_" + "0".repeat(process.env.E2B_API_KEY!.length - 4);
await refused(AuthenticationError, () => Sandbox.create({ apiKey }), "key");
await refused(AuthenticationError, () => Sandbox.list({ apiKey }).nextItems(), "key");
await refused(NotFoundError, () => Sandbox.connect("nosuchsandbox"));
await refused(NotFoundError, () => Sandbox.setTimeout("nosuchsandbox", 60_000));
assert.equal(await Sandbox.kill("nosuchsandbox"), false);
await refused(SandboxError, () => Sandbox.create("nobody-built-this"), "nobody-built-this");

const sandbox = await Sandbox.create();
await refused(NotFoundError, () => sandbox.files.read("/no/such/file"), "/no/such/file");
await refused(NotFoundError, () => sandbox.commands.connect(4194303));
await sandbox.kill();
await refused(NotFoundError, () => sandbox.commands.run("true"));
await refused(TimeoutError, () => sandbox.files.read("any"));

// What E2B keeps in its cloud.
await refused(VolumeError, () => Volume.create("data"), "501");
await refused(BuildError, () => Template.build(Template().fromImage("debian:12"), { alias: "mine" }), "501");
