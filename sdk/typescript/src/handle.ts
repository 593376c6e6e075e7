// SPDX-License-Identifier: Apache-2.0
// A command on its way: what `commands.run` gives with `background`, and what it waits for without.
import type { Call, Client } from "./client.js";
import { AisbxError, NotFound } from "./errors.js";
import { Output, textOf, type OutputChunk, type OutputHandler } from "./output.js";
import { CommandResult, judge, type RawResult } from "./result.js";
import type { RunExecArgs } from "./types.js";
import { given } from "./values.js";

/** What a handle needs to know of the call it stands for. */
export interface HandleOptions {
	/** How messages name the command. */
	what: string;
	check: boolean;
	onStdout?: OutputHandler | undefined;
	onStderr?: OutputHandler | undefined;
	stdin?: string | Uint8Array | boolean | undefined;
	signal?: AbortSignal | undefined;
	traceId?: string | undefined;
	/** Takes from standard error what is not for the caller; `rest`: what it still holds at the end. */
	filter?: { take(text: string): string; rest(): string } | undefined;
}

/** A command that is running. Iterate over it for its output, from its beginning. */
export class CommandHandle implements AsyncIterable<OutputChunk> {
	/** Id of the run: for commands.kill, and for `aisbx logs`, `history` and the like. */
	readonly runId: string;
	readonly traceId: string;
	/** @internal */
	readonly ended: Promise<CommandResult>;

	/** @internal */
	constructor(
		/** @internal */
		protected readonly client: Client,
		private readonly call: Call<RawResult>,
		private readonly output: Output,
		private readonly options: HandleOptions,
		begun: { runId: string; traceId: string },
		private readonly failed: () => { error: unknown } | undefined,
		/** The command goes on by itself, and the call only follows its output. */
		private readonly follows = false,
	) {
		this.runId = begun.runId;
		this.traceId = begun.traceId;
		this.ended = this.finish();
		this.ended.catch(() => undefined); // whoever waits hears of it
	}

	/** The same as `runId`, by the name that others have for it. */
	get pid(): string {
		return this.runId;
	}
	/** What it has written so far. */
	get stdout(): string {
		return this.output.stdout;
	}
	get stderr(): string {
		return this.output.stderr;
	}
	/** It has ended. */
	get done(): boolean {
		return this.call.answered;
	}

	private async finish(): Promise<CommandResult> {
		let raw: RawResult;
		try {
			raw = await this.call.result;
			if (this.follows)
				raw = (await this.client.call("run.wait", { run: this.runId })) as RawResult;
		} finally {
			this.output.add("stderr", this.options.filter?.rest() ?? "");
			await this.output.end();
		}
		const thrown = this.failed();
		if (thrown) throw thrown.error;
		return new CommandResult(raw, {
			stdout: this.output.stdout,
			stderr: this.output.stderr,
			truncated: this.output.truncated,
		});
	}

	/** Its end. Throws what `commands.run` would; CHECK: also when it does not exit with 0. */
	async wait(options: { check?: boolean } = {}): Promise<CommandResult> {
		return judge(await this.ended, this.options.what, options.check ?? this.options.check);
	}

	/** Ends it with all it started, and waits until it is gone; or, with SIGNAL, only passes that on. False: it had ended before. */
	async kill(options: { signal?: string | undefined } = {}): Promise<boolean> {
		if (this.call.answered && !this.follows) return false;
		if (options.signal !== undefined) return killRun(this.client, this.runId, options.signal);
		if (!this.follows) this.call.cancel();
		else if (!(await killRun(this.client, this.runId, undefined))) return false;
		await this.ended.catch(() => undefined);
		return true;
	}

	/** Gives it input. It must have been started with `stdin: true`. */
	async sendStdin(data: string | Uint8Array): Promise<void> {
		if (this.follows) await giveInput(this.client, this.runId, data);
		else await this.call.send(data);
	}

	/** The end of its input. */
	async closeStdin(): Promise<void> {
		if (this.follows) await giveInput(this.client, this.runId, "", true);
		else this.call.closeInput();
	}

	/** Nothing more comes here; the command goes on, and `commands.connect` finds it again. One that does not go on by itself ends. */
	async disconnect(): Promise<void> {
		this.call.cancel();
		await this.ended.catch(() => undefined);
	}

	[Symbol.asyncIterator](): AsyncIterator<OutputChunk> {
		return this.output[Symbol.asyncIterator]();
	}
}

/** Ends a run, or passes SIGNAL on to it. False: it does not run. */
export async function killRun(client: Client, runId: string, signal: string | undefined): Promise<boolean> {
	try {
		await client.call("run.kill", { runs: [runId], ...given({ signal }) });
		return true;
	} catch (error) {
		if (error instanceof NotFound) return false;
		throw error;
	}
}

/** Inputs of one run that are on their way: each waits for the one before. */
const inputs = new WeakMap<Client, Map<string, Promise<unknown>>>();

/** Input for the command of a run that goes on by itself; CLOSE: that is all it gets. */
export async function giveInput(
	client: Client,
	run: string,
	data: string | Uint8Array,
	close = false,
): Promise<void> {
	if (client.onFleet) throw new NotFound(`no command ${run} was started here and still runs`, { kind: "not_found" });
	const queue = inputs.get(client) ?? new Map<string, Promise<unknown>>();
	inputs.set(client, queue);
	const before = queue.get(run);
	const done = (async () => {
		await before?.catch(() => undefined);
		const call = client.start("run.input", { run, ...(close ? { close } : {}) }, { stdin: true });
		await call.send(data);
		call.closeInput();
		await call.result;
	})();
	queue.set(run, done);
	try {
		await done;
	} finally {
		if (queue.get(run) === done) queue.delete(run);
	}
}

/** Starts a run that goes on by itself. Its id, and whether its command has begun. */
export async function launchRun(
	client: Client,
	args: RunExecArgs,
	options: { signal?: AbortSignal | undefined; traceId?: string | undefined },
): Promise<{ runId: string; traceId: string; begun: boolean }> {
	let begun = false;
	const call = client.start(
		"run.exec",
		{ ...args, detach: true },
		{
			signal: options.signal,
			traceId: options.traceId,
			onBegun: () => {
				begun = true;
			},
		},
	);
	const raw = await call.result;
	return { runId: raw.run ?? "", traceId: raw.trace_id ?? "", begun };
}

/** What stands for a run that goes on by itself: its output from the beginning, and its end. */
export function followRun<H extends CommandHandle>(
	client: Client,
	run: { runId: string; traceId: string },
	options: HandleOptions,
	kind: new (...args: ConstructorParameters<typeof CommandHandle>) => H,
): H {
	let thrown: { error: unknown } | undefined;
	let call: Call<RawResult>;
	const output = new Output(
		{ stdout: options.onStdout, stderr: options.onStderr },
		(wait) => call.hold(wait),
		(error) => {
			thrown ??= { error };
			call.cancel();
		},
	);
	call = client.start(
		"run.logs",
		{ run: run.runId, follow: true },
		{ onOutput: (stream, data) => output.add(stream, data) },
	) as Call<RawResult>;
	return new kind(client, call, output, options, run, () => thrown, true);
}

/** All of the input, and its end. A command that stops reading it is no error: what it does not read is its own affair. */
async function feed(
	handle: CommandHandle,
	input: string | Uint8Array,
	fail: (error: unknown) => void,
): Promise<void> {
	try {
		await handle.sendStdin(input);
		await handle.closeStdin();
	} catch (error) {
		if (!(error instanceof AisbxError) || error.errno !== "EPIPE") fail(error);
	}
}

/** Starts a run, and gives a handle when the command has begun. */
export async function startRun(
	client: Client,
	args: RunExecArgs,
	options: HandleOptions,
): Promise<CommandHandle> {
	let thrown: { error: unknown } | undefined;
	let call: Call<RawResult>;
	const fail = (error: unknown): void => {
		thrown ??= { error };
		call.cancel();
	};
	const output = new Output(
		{ stdout: options.onStdout, stderr: options.onStderr },
		(wait) => call.hold(wait),
		fail,
	);
	let early = false;
	const begun = new Promise<{ runId: string; traceId: string }>((resolve, reject) => {
		call = client.start("run.exec", args, {
			signal: options.signal,
			traceId: options.traceId,
			stdin: options.stdin !== undefined && options.stdin !== false,
			onOutput: (stream, data) => {
				const { filter } = options;
				output.add(stream, filter && stream === "stderr" ? filter.take(textOf(data)) : data);
			},
			onBegun: (runId, traceId) => resolve({ runId, traceId }),
		});
		// One that never begins has a result all the same: mostly that it could not start.
		call.result.then((raw) => {
			early = true;
			resolve({ runId: raw.run ?? "", traceId: raw.trace_id ?? "" });
		}, reject);
	});
	const handle = new CommandHandle(client, call!, output, options, await begun, () => thrown);
	if (early) judge(await handle.ended, options.what, false);
	const input = options.stdin;
	if (typeof input === "string" || input instanceof Uint8Array) void feed(handle, input, fail);
	return handle;
}
