// SPDX-License-Identifier: Apache-2.0
// Sandboxes are found by their metadata, page by page, and end when their time is over.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Sandbox } from "e2b";
import { until } from "./waiting.ts";

const team = `team & ${randomUUID()}`;
const made = await Promise.all([1, 2, 3].map((n) => Sandbox.create({ metadata: { team, number: `${n}` }, timeoutMs: 120_000 })));
const ids = made.map((sandbox) => sandbox.sandboxId).sort();

const paginator = Sandbox.list({ query: { metadata: { team } }, limit: 2 });
const pages = [];
while (paginator.hasNext) pages.push(await paginator.nextItems());
assert.deepEqual(pages.map((page) => page.length), [2, 1]);
assert.deepEqual(pages.flat().map((info) => info.sandboxId).sort(), ids);
const [second] = await Sandbox.list({ query: { metadata: { team, number: "2" }, state: ["running"] } }).nextItems();
assert.equal(second.sandboxId, made[1].sandboxId);

const info = await made[0].getInfo();
assert.deepEqual(info.metadata, { team, number: "1" });
assert.equal(info.state, "running");
assert.ok(Math.abs(info.endAt.getTime() - info.startedAt.getTime() - 120_000) < 30_000, `${info.startedAt} ${info.endAt}`);
await made[0].setTimeout(600_000);
assert.ok((await Sandbox.getInfo(made[0].sandboxId)).endAt.getTime() - info.endAt.getTime() > 400_000);
const [figures] = await made[0].getMetrics();
assert.ok(figures.cpuCount >= 1 && figures.memUsed > 0 && figures.memUsed <= figures.memTotal && figures.diskTotal > 0, JSON.stringify(figures));

await Sandbox.setTimeout(made[1].sandboxId, 1_000);
await until(async () => !(await made[1].isRunning()));
assert.equal(await Sandbox.kill(made[1].sandboxId), false, "its time was over");
assert.equal(await Sandbox.kill(made[0].sandboxId), true);
assert.equal(await made[2].kill(), true);
assert.deepEqual(await Sandbox.list({ query: { metadata: { team } } }).nextItems(), []);
