// SPDX-License-Identifier: Apache-2.0
// What the TypeScript SDK has beyond the common cases: streams, signals, connections, the end of the process.
// usage: node own-typescript.mjs SDK CHECK   or   node own-typescript.mjs --list
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [sdkFolder, check] = process.argv.slice(2);
const sdk = sdkFolder === "--list" ? {} : await import(pathToFileURL(join(sdkFolder, "dist/index.js")).href);
const { Client, Sandbox } = sdk;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Until TEST gives something true. */
async function until(test, what) {
	for (const end = Date.now() + 20000; Date.now() < end; await pause(20)) {
		const found = await test();
		if (found) return found;
	}
	throw new Error(`never: ${what}`);
}

async function withSandbox(work, options = {}) {
	const sandbox = await Sandbox.create({ project: process.cwd(), ...options });
	try {
		await work(sandbox);
	} finally {
		await sandbox.kill();
	}
}

const childrenOf = async (pid) =>
	(await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).split(" ").filter(Boolean).map(Number);

/** A program that stands in for `aisbx rpc` and says LINES. */
async function fakeServer(...lines) {
	const folder = await mkdtemp(join(tmpdir(), "fake-"));
	const program = join(folder, "aisbx");
	await writeFile(
		program,
		`#!/bin/sh\nread line\n${lines.map((line) => `echo '${line}'\n`).join("")}cat >/dev/null\n`,
	);
	await chmod(program, 0o755);
	return { program, remove: () => rm(folder, { recursive: true }) };
}

/** One that has no room for a call so often, for so long. */
const noRoom = (how) =>
	new Client({
		program: new URL("no_room.py", import.meta.url).pathname,
		env: { ...process.env, NO_ROOM: how },
	});

const checks = {
	async theProcessEndsWhenNothingIsUnderWay() {
		await withSandbox(async (sandbox) => {
			assert.equal((await sandbox.commands.run("echo $((6 * 7))")).stdout, "42\n");
		}); // nothing is closed; whoever started this process sees that it ends
	},

	async aServerThatDiesIsToldAndTheNextCallHasANewOne() {
		const client = new Client();
		await withSandbox(
			async (sandbox) => {
				const [server] = await childrenOf(process.pid);
				const handle = await sandbox.commands.run("sleep 600", { background: true });
				process.kill(server, "SIGKILL");
				await assert.rejects(
					handle.wait(),
					(error) => error instanceof sdk.ServerGone && /SIGKILL/.test(error.message),
				);
				await until(async () => !(await childrenOf(process.pid)).includes(server), "the server goes");
				const found = await sandbox.commands.connect(handle.runId); // which goes on
				assert.equal(await found.kill(), true);
				assert.equal((await found.wait()).status, "interrupted");
				assert.equal((await sandbox.commands.run("echo again")).stdout, "again\n");
			},
			{ client },
		);
		await client.close();
		await assert.rejects(async () => client.hello(), sdk.ServerGone);
	},

	async aProgramThatIsNotThereIsNamed() {
		const client = new Client({ program: "/nowhere/aisbx" });
		await assert.rejects(
			Sandbox.create({ client }),
			(error) => error instanceof sdk.ServerGone && /nowhere\/aisbx.*AISBX/.test(error.message),
		);
	},

	async howAServerEndedIsPartOfTheError() {
		const client = new Client({ program: "/bin/sh" }); // which takes "rpc" for a script
		await assert.rejects(
			client.hello(),
			(error) => error instanceof sdk.ServerGone && /exit status \d+\): .*rpc/.test(error.message),
		);
	},

	async aServerOfAnotherProtocolIsRefused() {
		const hello = '{"jsonrpc":"2.0","id":1,"result":{"protocol":7,"version":"9.9"}}';
		const fake = await fakeServer(hello);
		const client = new Client({ program: fake.program });
		await assert.rejects(
			Sandbox.list({ client }),
			(error) => error instanceof sdk.ServerGone && /protocol 7/.test(error.message),
		);
		await fake.remove();
	},

	async aCallWithoutRoomIsTriedAgain() {
		const client = noRoom("3,20");
		const many = await Promise.all(Array.from({ length: 20 }, () => client.call("box.ls", {})));
		assert.deepEqual(
			many.map((each) => each.times),
			Array(20).fill(4),
		);
		await client.close();
	},

	async itIsTriedForNoLongerThanTheCallMayTake() {
		const client = noRoom("all,200");
		for (const timeout of ["300ms", 0.3])
			await assert.rejects(
				client.call("run.exec", { command: ["true"], timeout }),
				(error) => error instanceof sdk.LimitExceeded && error.retryAfterMs === 200,
			);
		await client.close();
	},

	async whatWaitsForRoomIsCancelled() {
		const client = noRoom("all,40000");
		const abort = new AbortController();
		const told = client.call("run.exec", { command: ["true"], timeout: "1h" }, { signal: abort.signal });
		const other = client.call("run.exec", { command: ["true"], timeout: "1h" });
		setTimeout(() => abort.abort(new Error("enough")), 300);
		await assert.rejects(told, /enough/);
		const gone = assert.rejects(other, sdk.ServerGone);
		await client.close();
		await gone;
	},

	async aServerThatSpeaksNoJsonIsRefused() {
		const fake = await fakeServer("Welcome!");
		const client = new Client({ program: fake.program });
		await assert.rejects(
			Sandbox.list({ client }),
			(error) => error instanceof sdk.ServerGone && /no JSON/.test(error.message),
		);
		await fake.remove();
	},

	async aUnixSocketServesAsWell() {
		const folder = await mkdtemp(join(tmpdir(), "socket-"));
		const path = join(folder, "s");
		const server = spawn(process.env.AISBX, ["rpc", "--socket", path], { stdio: "inherit" });
		try {
			const client = new Client({ socket: path });
			await until(() => client.hello().catch(() => undefined), "the server listens");
			await withSandbox(
				async (sandbox) => {
					const { stdout } = await sandbox.commands.run(["cat"], { stdin: "over a socket" });
					assert.equal(stdout, "over a socket");
				},
				{ client },
			);
			const call = client.start("run.exec", { command: ["sleep", "600"] });
			server.kill("SIGTERM");
			const end = await call.result.catch((error) => error);
			assert.ok(end.status === "interrupted" || end instanceof sdk.AisbxError, JSON.stringify(end));
			await until(
				() =>
					client.hello().then(
						() => false,
						(error) => error instanceof sdk.ServerGone,
					),
				"nobody listens",
			);
		} finally {
			server.kill("SIGKILL");
			if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
			await rm(folder, { recursive: true });
		}
	},

	async anOwnerSeesOnlyItsOwn() {
		const mine = new Client({ owner: "me" });
		const other = new Client({ owner: "you" });
		await withSandbox(
			async (sandbox) => {
				const ids = async (client) => (await Sandbox.list({ client })).map((box) => box.sandboxId);
				assert.deepEqual(await ids(mine), [sandbox.sandboxId]);
				assert.deepEqual(await ids(other), []);
				await assert.rejects(
					Sandbox.connect(sandbox.sandboxId, { client: other }),
					sdk.SandboxNotFound,
				);
			},
			{ client: mine },
		);
	},

	async aSlowReaderHoldsUpItsCommandAndNobodyElse() {
		await withSandbox(async (sandbox) => {
			const handle = await sandbox.commands.run(
				"head -c 30000000 /dev/zero | tr '\\0' x; echo done >&2",
				{ background: true },
			);
			const before = process.memoryUsage().rss;
			let bytes = 0;
			let err = "";
			for await (const chunk of handle) {
				if (bytes === 0) {
					await pause(300);
					assert.equal((await sandbox.commands.run("echo other")).stdout, "other\n");
					assert.equal(handle.done, false);
					assert.equal(handle.stderr, "", "the command went on writing");
					assert.ok(
						process.memoryUsage().rss - before < 24e6,
						`${process.memoryUsage().rss - before} bytes more`,
					);
				}
				bytes += chunk.stream === "stdout" ? chunk.bytes.length : 0;
				err += chunk.stream === "stderr" ? chunk.text : "";
			}
			const result = await handle.wait();
			assert.equal(bytes, 30000000);
			assert.equal(err, "done\n");
			assert.ok(result.stdout.length <= 4 << 20);
			assert.equal(result.stdout.length + result.truncated.stdout, 30000000);
		});
	},

	async whoStopsReadingDoesNotStopTheCommand() {
		await withSandbox(async (sandbox) => {
			const handle = await sandbox.commands.run("head -c 20000000 /dev/zero | tr '\\0' x; exit 5", {
				background: true,
			});
			for await (const chunk of handle) {
				assert.equal(chunk.stream, "stdout");
				break;
			}
			assert.equal((await handle.wait()).exitCode, 5);
		});
	},

	async handlersAreCalledInOrderAndWaitedFor() {
		await withSandbox(async (sandbox) => {
			const seen = [];
			let calls = 0;
			const { stdout } = await sandbox.commands.run(
				"for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.02; done",
				{
					onStdout: async (text) => {
						await pause(calls++ % 2 ? 0 : 100); // longer than the next one takes to come
						seen.push(text);
					},
				},
			);
			assert.equal(stdout, "1\n2\n3\n4\n5\n6\n7\n8\n");
			assert.equal(seen.join(""), stdout);
			assert.ok(calls > 2, "it came in one piece");
		});
	},

	async whatAHandlerThrowsEndsTheCommandAndIsThrown() {
		await withSandbox(async (sandbox) => {
			for (const onStdout of [
				() => {
					throw new RangeError("mine");
				},
				async () => {
					throw new RangeError("mine");
				},
			])
				await assert.rejects(
					sandbox.commands.run("while :; do echo more; done", { onStdout }),
					RangeError,
				);
			assert.deepEqual(await sandbox.commands.list(), []);
		});
	},

	async anAbortSignalEndsTheCommandFirst() {
		await withSandbox(async (sandbox) => {
			const stop = new AbortController();
			const run = sandbox.commands.run("sleep 600", { signal: stop.signal });
			await until(async () => (await sandbox.commands.list()).length === 1, "it runs");
			stop.abort();
			await assert.rejects(run, { name: "AbortError" });
			assert.deepEqual(await sandbox.commands.list(), []);
			await assert.rejects(sandbox.commands.run("touch never", { signal: stop.signal }), {
				name: "AbortError",
			});
			await assert.rejects(sandbox.commands.run("sleep 600", { signal: AbortSignal.timeout(100) }), {
				name: "TimeoutError",
			});
			assert.equal((await sandbox.diff()).changes.length, 0);
		});
	},

	async inputOfAnySizeArrivesWhole() {
		await withSandbox(async (sandbox) => {
			const data = new Uint8Array(9000000).map((_, i) => (i * 7919) >> 8);
			const digest = Buffer.from(await crypto.subtle.digest("SHA-256", data)).toString("hex");
			const command = "until [ -e go ]; do sleep 0.02; done; sha256sum";
			const handle = await sandbox.commands.run(command, { background: true, stdin: true });
			let sent = false;
			const sending = handle.sendStdin(data).then(() => (sent = true));
			await Promise.race([sending, pause(1500)]); // more than the server keeps for a command that does not read
			assert.equal(sent, false);
			await sandbox.files.write("go", "");
			await sending;
			await handle.closeStdin();
			assert.equal((await handle.wait()).stdout.slice(0, 64), digest);
			assert.equal((await sandbox.commands.run("head -c 3", { stdin: data })).exitCode, 0);
		});
	},

	async aLargeFileGoesBesideTheMessages() {
		await withSandbox(async (sandbox) => {
			const data = new Uint8Array(9000001).map((_, i) => (i * 7919) >> 8);
			const { client } = sandbox;
			for (const beside of [true, false]) {
				const opened = await client.openData();
				assert.equal(opened?.token.length, beside ? 32 : undefined);
				opened?.close();
				assert.equal((await sandbox.files.write("big", data)).size, data.length);
				assert.deepEqual(await sandbox.files.read("big", { format: "bytes" }), data);
				await assert.rejects(sandbox.files.read("nothing"), sdk.FileNotFound);
				await assert.rejects(sandbox.files.write("big", data, { ifSha256: "absent" }), sdk.StaleBase);
				await assert.rejects(sandbox.files.write(".", data), /directory/);
				client.openData = async () => undefined; // as an older server, or one over a fleet
			}
		});
	},

	async outputIsBytesAsWellAsText() {
		await withSandbox(async (sandbox) => {
			const handle = await sandbox.commands.run(["printf", "a\\377\\0ł"], { background: true });
			const chunks = [];
			for await (const chunk of handle) chunks.push(chunk);
			assert.deepEqual(
				Buffer.concat(chunks.map((chunk) => chunk.bytes)),
				Buffer.from([0x61, 0xff, 0, 0xc5, 0x82]),
			);
			assert.equal((await handle.wait()).stdout, "a\ufffd\0ł");
		});
	},

	async fiveHundredCommandsAtOnce() {
		await withSandbox(async (sandbox) => {
			const all = Array.from({ length: 500 }, (_, i) => sandbox.commands.run(["echo", String(i)]));
			for (const [i, result] of (await Promise.all(all)).entries())
				assert.equal(result.stdout, `${i}\n`);
		});
	},

	async disposalKillsTheSandbox() {
		const sandbox = await Sandbox.create({ project: process.cwd() });
		const handle = await sandbox.commands.run("sleep 600", { background: true });
		await sandbox[Symbol.asyncDispose]();
		assert.equal(await sandbox.isRunning(), false);
		assert.equal((await handle.wait()).status, "interrupted");
	},

	async thatACommandRunsIsToldBeforeWhatItSays() {
		const client = new Client();
		await withSandbox(
			async (sandbox) => {
				const orders = await Promise.all(
					Array.from({ length: 60 }, async () => {
						const order = [];
						await client.call(
							"run.exec",
							{ box: sandbox.sandboxId, command: ["echo", "said"] },
							{ onBegun: () => order.push("begun"), onOutput: (_, text) => order.push(text) },
						);
						return order.join(" ");
					}),
				);
				assert.deepEqual(new Set(orders), new Set(["begun said\n"]));
			},
			{ client },
		);
	},

	async aDetachedRunGoesOn() {
		const client = new Client();
		await withSandbox(
			async (sandbox) => {
				let begun;
				const command = ["sh", "-c", "sleep 0.5; echo late; exit 6"];
				const { run, detached } = await client.call(
					"run.exec",
					{ box: sandbox.sandboxId, command, detach: true },
					{
						onBegun: (id) => {
							begun = id;
						},
					},
				);
				assert.ok(detached);
				assert.equal(begun, run);
				assert.equal((await client.call("run.wait", { run })).exit_code, 6);
				let kept = "";
				await client.call(
					"run.logs",
					{ run },
					{
						onItem: (record) => {
							kept += record.data;
						},
					},
				);
				assert.equal(kept, "late\n");
			},
			{ client },
		);
	},

	async everyOperationCanBeCalledByItsName() {
		const client = new Client();
		const { protocol, methods } = await client.hello();
		assert.equal(protocol, 1);
		const { operations } = await client.call("schema", {});
		assert.deepEqual(
			[...methods].sort(),
			operations
				.map((op) => op.method)
				.filter(Boolean)
				.sort(),
		);
		await assert.rejects(
			client.call("box.creat", {}),
			(error) => error instanceof sdk.UsageError && /box\.create/.test(error.message),
		);
		await assert.rejects(client.call("box.create", { nam: "x" }), sdk.UsageError);
		await client.close();
	},
};

if (sdkFolder === "--list") console.log(Object.keys(checks).join("\n"));
else await checks[check]();
