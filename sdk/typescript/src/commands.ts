// SPDX-License-Identifier: Apache-2.0
// Commands in a sandbox.
import { NotFound } from "./errors.js";
import {
	CommandHandle,
	type HandleOptions,
	followRun,
	giveInput,
	killRun,
	launchRun,
	startRun,
} from "./handle.js";
import type { OutputHandler } from "./output.js";
import { CommandResult, judge } from "./result.js";
import type { Sandbox } from "./sandbox.js";
import type { RunExecArgs } from "./types.js";
import { envArgs, given, seconds } from "./values.js";

/** What a run may take. Sizes are bytes, or texts such as "100m". */
export interface Limits {
	/** Processors at any time, such as 2 or 0.5. */
	cpu?: number | undefined;
	/** Processor time of all processes together. */
	cpuTimeMs?: number | undefined;
	mem?: number | string | undefined;
	disk?: number | string | undefined;
	/** Files, directories and links. */
	inodes?: number | undefined;
	fileSize?: number | string | undefined;
	/** Processes and threads at once. */
	pids?: number | undefined;
	/** Open files per process. */
	files?: number | undefined;
	/** Bytes let through of each output stream. */
	output?: number | string | undefined;
}

export interface RunOptions extends Limits {
	/**
	 * Give a handle as soon as the command has begun, instead of waiting for its end. The command goes on when this program
	 * ends, and `connect` finds it again. (Over a fleet it ends with this program.)
	 */
	background?: boolean | undefined;
	/** Variables, beside those of the sandbox. */
	envs?: Record<string, string> | undefined;
	/** Directory to start in; default: the project. */
	cwd?: string | undefined;
	/** Takes output as it comes. One that gives a promise is waited for before it gets more. */
	onStdout?: OutputHandler | undefined;
	onStderr?: OutputHandler | undefined;
	/** The command's input; true: what `sendStdin` gives, until `closeStdin`. */
	stdin?: string | Uint8Array | boolean | undefined;
	/** End it after this long. */
	timeoutMs?: number | undefined;
	/** Throw a CommandExitError when it does not exit with 0. */
	check?: boolean | undefined;
	/** Ends it, with all it started; the promise is rejected with the signal's reason when it is gone. */
	signal?: AbortSignal | undefined;
	/** Give the command a terminal of its own. */
	tty?: boolean | undefined;
	/** 32 hexadecimal digits that the run takes for its trace. */
	traceId?: string | undefined;
}

export interface ConnectCommandOptions {
	/** Takes output from the beginning. */
	onStdout?: OutputHandler | undefined;
	onStderr?: OutputHandler | undefined;
	/** Throw a CommandExitError when it does not exit with 0. */
	check?: boolean | undefined;
}

/** A command that is running. */
export interface CommandInfo {
	runId: string;
	/** The same, by the name that others have for it. */
	pid: string;
	command: string | null;
	/** starting, running, paused, ending or unresponsive. */
	state: string;
	startedAt: Date | null;
	wallMs: number;
}

/** LIMITS as the operations name them. */
export function limitArgs(l: Limits): Partial<RunExecArgs> {
	return given({
		cpu: l.cpu,
		mem: l.mem,
		disk: l.disk,
		inodes: l.inodes,
		pids: l.pids,
		files: l.files,
		output: l.output,
		"file-size": l.fileSize,
		"cpu-time": l.cpuTimeMs === undefined ? undefined : seconds(l.cpuTimeMs),
	}) as Partial<RunExecArgs>;
}

export class Commands {
	private readonly handles = new Map<string, CommandHandle>();

	/** @internal */
	constructor(private readonly sandbox: Sandbox) {}

	/**
	 * Runs a command: a text for the shell, or a list of words for the program itself. The result tells how it ended,
	 * also when that was not with 0. Throws StartFailed when it could not be started, TimeoutError and LimitExceeded when
	 * a limit ended it.
	 */
	run(
		command: string | readonly string[],
		options: RunOptions & { background: true },
	): Promise<CommandHandle>;
	run(
		command: string | readonly string[],
		options?: RunOptions & { background?: false | undefined },
	): Promise<CommandResult>;
	run(command: string | readonly string[], options?: RunOptions): Promise<CommandResult | CommandHandle>;
	async run(
		command: string | readonly string[],
		options: RunOptions = {},
	): Promise<CommandResult | CommandHandle> {
		const words = typeof command === "string" ? ["/bin/sh", "-c", command] : [...command];
		const what = typeof command === "string" ? command : command.join(" ");
		const how = { ...options, what, check: options.check ?? false };

		if (options.background)
			return this.sandbox.client.onFleet ? this.begin(words, how) : this.detach(words, how);
		return this.sandbox.client.inTurn(async () => {
			if (options.onStdout || options.onStderr || options.stdin)
				return (await this.begin(words, how)).wait();
			const raw = await this.sandbox.ask("run.exec", this.arguments(words, options), {
				signal: options.signal,
				traceId: options.traceId,
			});
			return judge(new CommandResult(raw), what, how.check);
		});
	}

	/** @internal */
	async begin(words: string[], options: RunOptions & HandleOptions): Promise<CommandHandle> {
		const handle = await startRun(this.sandbox.client, this.arguments(words, options), options).catch(
			(error: unknown) => {
				return this.sandbox.explain(error);
			},
		);
		this.handles.set(handle.runId, handle);
		void handle.ended.catch(() => undefined).then(() => this.handles.delete(handle.runId));
		return handle;
	}

	private async detach(words: string[], options: RunOptions & HandleOptions): Promise<CommandHandle> {
		const { client } = this.sandbox;
		const { stdin, signal } = options;
		const takes = stdin !== undefined && stdin !== false;
		const args = { ...this.arguments(words, options), ...(takes ? { interactive: true } : {}) };
		const run = await launchRun(client, args, options).catch((error: unknown) =>
			this.sandbox.explain(error),
		);
		const handle = followRun(client, run, options, CommandHandle);
		if (!run.begun) judge(await handle.ended, options.what, false);
		const end = (): void => void handle.kill().catch(() => undefined);
		if (signal?.aborted) end();
		signal?.addEventListener("abort", end, { once: true });
		void handle.ended.catch(() => undefined).then(() => signal?.removeEventListener("abort", end));
		// What it does not read is its own affair.
		if (typeof stdin === "string" || stdin instanceof Uint8Array)
			void giveInput(client, run.runId, stdin, true).catch(() => undefined);
		return handle;
	}

	/**
	 * A background command that somebody started, by its id, with its output from the beginning; also one that has ended
	 * meanwhile.
	 */
	async connect(runId: string, options: ConnectCommandOptions = {}): Promise<CommandHandle> {
		const { run, what } = await this.find(runId);
		return followRun(
			this.sandbox.client,
			{ runId: run, traceId: "" },
			{ ...options, what, check: options.check ?? false },
			CommandHandle,
		);
	}

	/** @internal The id of a command of this sandbox, and what it is; also of one that has ended. */
	async find(runId: string): Promise<{ run: string; what: string }> {
		const { client, sandboxId, name } = this.sandbox;
		const live = (await client.call("run.ls", {})).runs ?? [];
		const past = async (): Promise<{ run?: string; box?: string | null; command?: string | null }[]> =>
			((await client.call("run.history", { run: runId })).runs ?? []).filter((r) => r.run === runId);
		const found =
			live.find((r) => (r.run === runId || r.name === runId) && r.box === sandboxId) ??
			(await past()).find((r) => r.box === sandboxId);
		if (!found?.run)
			throw new NotFound(`there is no command '${runId}' in sandbox ${name}`, { kind: "not_found" });
		return { run: found.run, what: found.command ?? runId };
	}

	/** @internal */
	arguments(command: string[], options: RunOptions): RunExecArgs {
		return {
			box: this.sandbox.sandboxId,
			...limitArgs(options),
			...envArgs(this.sandbox.envs, options.envs),
			...given({ cwd: options.cwd, tty: options.tty }),
			...(options.timeoutMs === undefined ? {} : { timeout: seconds(options.timeoutMs) }),
			command,
		};
	}

	/** Those that run in the sandbox now, whoever started them. */
	async list(): Promise<CommandInfo[]> {
		const { runs } = await this.sandbox.client.call("run.ls", {});
		return (runs ?? [])
			.filter((run) => run.box === this.sandbox.sandboxId)
			.map((run) => ({
				runId: run.run ?? "",
				pid: run.run ?? "",
				command: run.command ?? null,
				state: run.state ?? "",
				startedAt: run.started_ms == null ? null : new Date(run.started_ms),
				wallMs: run.wall_ms ?? 0,
			}));
	}

	/** Ends a command with all it started; or, with SIGNAL, only passes that on. False: it does not run. */
	async kill(runId: string, options: { signal?: string | undefined } = {}): Promise<boolean> {
		return killRun(this.sandbox.client, runId, options.signal);
	}

	/** Gives input to a background command that was started with `stdin: true`, by whomever. */
	async sendStdin(runId: string, data: string | Uint8Array): Promise<void> {
		const handle = this.handles.get(runId);
		await (handle ? handle.sendStdin(data) : giveInput(this.sandbox.client, runId, data));
	}

	/** The end of its input. */
	async closeStdin(runId: string): Promise<void> {
		const handle = this.handles.get(runId);
		await (handle ? handle.closeStdin() : giveInput(this.sandbox.client, runId, "", true));
	}
}
