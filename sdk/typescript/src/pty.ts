// SPDX-License-Identifier: Apache-2.0
// Terminals in a sandbox, with a size.
import type { Client } from "./client.js";
import { CommandHandle, followRun, giveInput, killRun, launchRun } from "./handle.js";
import type { OutputHandler } from "./output.js";
import { judge } from "./result.js";
import type { Sandbox } from "./sandbox.js";

export interface PtyOptions {
	/** Lines; default: 24. */
	rows?: number | undefined;
	/** Columns; default: 80. */
	cols?: number | undefined;
	/** What runs in it: a text for the shell, or words for the program itself; default: a shell. */
	cmd?: string | readonly string[] | undefined;
	/** Takes what it shows, as it comes. */
	onData?: OutputHandler | undefined;
	envs?: Record<string, string> | undefined;
	cwd?: string | undefined;
	/** End it after this long; default: never. */
	timeoutMs?: number | undefined;
	traceId?: string | undefined;
}

const SHELL = ["/bin/sh", "-c", 'exec "$(command -v bash || echo /bin/sh)" -i'];

async function resizeRun(client: Client, run: string, rows: number, cols: number): Promise<void> {
	await client.call("run.resize", { run, rows, cols });
}

/** A terminal with what runs in it. Iterate over it for what it shows, from the beginning; `stdout` is that so far. */
export class PtyHandle extends CommandHandle {
	/** What is typed: "ls\n", or "\x03" for Ctrl-C. */
	async sendInput(data: string | Uint8Array): Promise<void> {
		await this.sendStdin(data);
	}

	async resize(rows: number, cols: number): Promise<void> {
		await resizeRun(this.client, this.runId, rows, cols);
	}
}

/** Terminals in a sandbox. They go on when this program ends. */
export class Pty {
	/** @internal */
	constructor(private readonly sandbox: Sandbox) {}

	/** A terminal, with a shell in it or what else is to run there. */
	async create(options: PtyOptions = {}): Promise<PtyHandle> {
		const { cmd, rows = 24, cols = 80, onData, envs, cwd, timeoutMs = 0, traceId } = options;
		const words = cmd === undefined ? SHELL : typeof cmd === "string" ? ["/bin/sh", "-c", cmd] : [...cmd];
		const what = cmd === undefined ? "a shell" : typeof cmd === "string" ? cmd : cmd.join(" ");
		const args = this.sandbox.commands.arguments(words, {
			envs: { TERM: "xterm-256color", ...envs },
			cwd,
			timeoutMs,
			tty: true,
		});
		const run = await launchRun(this.sandbox.client, { ...args, rows, cols }, { traceId }).catch(
			(error: unknown) => this.sandbox.explain(error),
		);
		const handle = this.follow(run, what, onData);
		if (!run.begun) judge(await handle.ended, what, false);
		return handle;
	}

	/** A terminal that somebody made, with what it has shown from the beginning. */
	async connect(runId: string, options: { onData?: OutputHandler | undefined } = {}): Promise<PtyHandle> {
		const { run, what } = await this.sandbox.commands.find(runId);
		return this.follow({ runId: run, traceId: "" }, what, options.onData);
	}

	private follow(
		run: { runId: string; traceId: string },
		what: string,
		onData: OutputHandler | undefined,
	): PtyHandle {
		return followRun(this.sandbox.client, run, { what, check: false, onStdout: onData }, PtyHandle);
	}

	async sendInput(runId: string, data: string | Uint8Array): Promise<void> {
		await giveInput(this.sandbox.client, runId, data);
	}

	async resize(runId: string, rows: number, cols: number): Promise<void> {
		await resizeRun(this.sandbox.client, runId, rows, cols);
	}

	/** Ends it with all that runs in it. False: it is gone. */
	async kill(runId: string): Promise<boolean> {
		return killRun(this.sandbox.client, runId, undefined);
	}
}
