// SPDX-License-Identifier: Apache-2.0
// A sandbox: a clone of this machine that keeps what is changed in it, until it is killed or its changes are promoted.
import {
	type Arguments,
	type CallOptions,
	type Client,
	clientFor,
	type Connection,
	type Method,
	type Result,
} from "./client.js";
import {
	type CodeContext,
	type CodeContextOptions,
	type CodeOptions,
	createContext,
	type Execution,
	type Language,
	runCode,
} from "./code.js";
import { Commands } from "./commands.js";
import {
	Busy,
	type Conflict,
	NotFound,
	PolicyDenied,
	PromoteConflict,
	SandboxNotFound,
	StaleBase,
} from "./errors.js";
import { Files } from "./files.js";
import { Pty } from "./pty.js";
import type {
	BoxCreateResult,
	BoxDiffResult,
	BoxShowResult,
	ExperimentTryResult,
	PromoteResult,
	RunStatsResult,
} from "./types.js";
import { given, pairArgs, seconds } from "./values.js";

/** Which connection is used. */
export interface ConnectOptions extends Connection {
	/** Variables of commands that are run through this object, beside those that the sandbox keeps. */
	envs?: Record<string, string> | undefined;
}

export interface CreateOptions extends Connection {
	/** Variables that every command in it gets, whoever runs it. */
	envs?: Record<string, string> | undefined;
	/** What it may do: a name that 'aisbx profile ls' shows, or a file. */
	profile?: string | undefined;
	/** Directory that can be written in it; default: the current one. */
	project?: string | undefined;
	name?: string | undefined;
	/** Its life: then commands in it end, and it is removed. Default: until it is killed. */
	timeoutMs?: number | undefined;
	/** What the caller notes of it: `list` finds it by that. */
	metadata?: Record<string, string> | undefined;
	/** Secrets that its commands get: name to source, such as { TOKEN: "env:TOKEN" }. */
	secrets?: Record<string, string> | undefined;
	/** Take a snapshot after each command that changed something. */
	autosnap?: boolean | undefined;
	/** Keep the project as it is now, whatever is done to it outside. */
	pin?: boolean | undefined;
	signal?: AbortSignal | undefined;
}

export interface ListOptions extends Connection {
	/** Only sandboxes of which all of this was noted. */
	metadata?: Record<string, string> | undefined;
}

export interface SandboxInfo {
	/** Of its box; stays the same. */
	sandboxId: string;
	name: string;
	/** Directory of the host it was cloned from. */
	project: string | null;
	profile: string;
	createdAt: Date;
	expiresAt: Date | null;
	/** How many it has. */
	snapshots: number;
	autosnap: boolean;
	/** Of a fleet: the one that has it. */
	node: string | null;
	/** What was noted of it when it was made. */
	metadata: Record<string, string>;
}

export interface SnapshotInfo {
	id: string;
	name: string;
	createdAt: Date;
	/** Taken by aisbx itself. */
	automatic: boolean;
}

export interface Change {
	/** created, modified, deleted, replaced, mode or xattr. */
	kind: string;
	/** Below the project; null when it is no UTF-8. */
	path: string | null;
	/** file, directory, symlink, fifo, socket or device. */
	type: string;
	added?: number | null | undefined;
	removed?: number | null | undefined;
}

export interface ForkOptions {
	/** Of the new one; of several NAME-1, NAME-2 and so on. */
	name?: string | undefined;
	snapshot?: string | SnapshotInfo | undefined;
	/** Life of the new ones. */
	timeoutMs?: number | undefined;
}

export interface ExperimentOptions {
	/** A shell command that must succeed; default: the project's own way to test. */
	test?: string | undefined;
	/** Who wins: the best of all that pass (default), or the first that does; all only compares. */
	mode?: "first" | "best" | "all" | undefined;
	/** Test each so often; one that fails sometimes has not passed. */
	repeat?: number | undefined;
	/** Of each run. */
	timeoutMs?: number | undefined;
}

export interface DiffOptions {
	/** Compare with this one, or BOX@SNAPSHOT, instead of the real project. */
	other?: string | Sandbox | undefined;
	/** What this one was then. */
	snapshot?: string | SnapshotInfo | undefined;
	/** With a patch for 'git apply'. */
	patch?: boolean | undefined;
	/** Count lines. */
	stat?: boolean | undefined;
}

export interface Diff {
	/** How many of each kind; what else there is says `raw.summary`. */
	created: number;
	modified: number;
	deleted: number;
	changes: Change[];
	/** With `patch`. */
	patch: string | undefined;
	raw: BoxDiffResult;
}

export interface PromoteOptions {
	/** Only these, with all below them. */
	paths?: string[] | undefined;
	/** Another directory than the project. */
	to?: string | undefined;
	/** One file or directory, changed or not; `to` says where. */
	artifact?: string | undefined;
	/** Only tell what would happen. */
	dryRun?: boolean | undefined;
	/** Go on in spite of changes that would run code later. */
	yes?: boolean | undefined;
	/** What becomes of what was changed on both sides; stop (default): nothing is changed and PromoteConflict is thrown. */
	conflict?: "stop" | "keep" | "overwrite" | "both" | "mark" | undefined;
	allowSecrets?: string[] | undefined;
}

export interface Promotion {
	/** For `undo`; null when nothing was changed. */
	id: string | null;
	/** The project was changed. */
	applied: boolean;
	changes: Change[];
	conflicts: Conflict[];
	raw: PromoteResult;
}

/** What the commands of a sandbox take at the moment. */
export interface Metrics {
	timestamp: Date;
	cpuMs: number;
	/** Of one processor, since the look before. */
	cpuPercent: number | null;
	memBytes: number;
	memPeakBytes: number;
	processes: number;
	diskBytes: number;
	raw: RunStatsResult;
}

type Box = BoxCreateResult;

function infoOf(box: Box): SandboxInfo {
	return {
		sandboxId: box.id ?? "",
		name: box.name ?? "",
		project: box.project ?? null,
		profile: box.profile ?? "",
		createdAt: new Date(box.created_ms ?? 0),
		expiresAt: box.expires_ms == null ? null : new Date(box.expires_ms),
		snapshots: box.snapshots ?? 0,
		autosnap: box.autosnap ?? false,
		node: (box as { node?: string }).node ?? null,
		metadata: { ...(box as { metadata?: Record<string, string> }).metadata },
	};
}

function gone(error: NotFound): SandboxNotFound {
	return new SandboxNotFound(error.message, { kind: error.code, area: error.area, errno: error.errno });
}

function conflictsOf(raw: PromoteResult): Conflict[] {
	return (raw.conflicts ?? []).map((c) => ({
		path: c.path ?? null,
		box: c.box ?? "",
		host: c.host ?? "",
		reason: c.reason ?? "",
	}));
}

/** A clone of this machine that keeps what is changed in it. */
export class Sandbox implements AsyncDisposable {
	readonly commands: Commands;
	readonly pty: Pty;
	readonly files: Files;
	readonly metadata: Record<string, string>;
	/** @internal */
	readonly client: Client;
	/** @internal */
	readonly envs: Record<string, string>;
	/** Id of its box; stays the same. */
	readonly sandboxId: string;
	readonly name: string;
	/** Directory of the host it was cloned from. */
	readonly project: string | null;
	/** Of a fleet: the one that has it. */
	readonly node: string | null;

	private constructor(box: Box, options: ConnectOptions, metadata?: Record<string, string>) {
		const info = infoOf(box);
		this.sandboxId = info.sandboxId;
		this.name = info.name;
		this.project = info.project;
		this.node = info.node;
		this.client = clientFor(options);
		this.envs = options.envs ?? {};
		this.metadata = { ...(metadata ?? info.metadata) };
		this.commands = new Commands(this);
		this.pty = new Pty(this);
		this.files = new Files(this);
	}

	/** What `connect` finds it by from elsewhere, too: over a fleet with its node. */
	get address(): string {
		return this.node === null ? this.sandboxId : `node=${this.node}/${this.sandboxId}`;
	}

	static async create(options: CreateOptions = {}): Promise<Sandbox> {
		const { envs, ...rest } = options;
		const box = await clientFor(options).call(
			"box.create",
			{
				...given({
					profile: options.profile,
					project: options.project,
					name: options.name,
					autosnap: options.autosnap,
					pin: options.pin,
				}),
				...(options.timeoutMs === undefined ? {} : { ttl: seconds(options.timeoutMs) }),
				...pairArgs("secret", options.secrets),
				...pairArgs("env", envs),
				...pairArgs("metadata", options.metadata),
			},
			{ signal: options.signal },
		);
		return new Sandbox(box, rest, options.metadata ?? {});
	}

	/** A sandbox that is there already, by its name or id; over a fleet also by its `address`. */
	static async connect(name: string, options: ConnectOptions = {}): Promise<Sandbox> {
		try {
			return new Sandbox(
				await clientFor(options).call("box.show", { box: name, drift: "off" }),
				options,
			);
		} catch (error) {
			throw error instanceof NotFound ? gone(error) : error;
		}
	}

	/** Every sandbox there is, oldest first; over a fleet those of all nodes that have one which was made from here. */
	static async list(options: ListOptions = {}): Promise<SandboxInfo[]> {
		const { boxes } = await clientFor(options).call("box.ls", pairArgs("metadata", options.metadata));
		return (boxes ?? []).map((box) => infoOf(box));
	}

	/** Removes a sandbox by its name or id. False: there is none. */
	static async kill(name: string, options: ConnectOptions = {}): Promise<boolean> {
		try {
			return await (await Sandbox.connect(name, options)).kill();
		} catch (error) {
			if (error instanceof SandboxNotFound) return false;
			throw error;
		}
	}

	/** Ends what runs in it and removes it with everything in it. False: it was gone before. */
	async kill(): Promise<boolean> {
		for (let tries = 0; ; tries++) {
			try {
				await this.ask("box.rm", { boxes: [this.sandboxId], kill: true });
				return true;
			} catch (error) {
				if (error instanceof SandboxNotFound) return false;
				// One that is on its way out, or was started meanwhile, is in the way.
				if (tries === 40 || !(error instanceof Busy)) throw error;
				await new Promise((resolve) => setTimeout(resolve, 10 * tries));
			}
		}
	}

	/** @internal A call about this sandbox: that it is gone is told as such. */
	async ask<M extends Method>(
		method: M,
		args: Arguments<M>,
		options: CallOptions = {},
	): Promise<Result<M>> {
		try {
			return await this.client.call(method, args, options);
		} catch (error) {
			return this.explain(error);
		}
	}

	/** @internal Throws ERROR; when something was not found, it may be the sandbox itself. */
	async explain(error: unknown): Promise<never> {
		if (error instanceof NotFound)
			await this.client.call("box.show", { box: this.sandboxId, drift: "off" }).catch((reason: unknown) => {
				throw reason instanceof NotFound ? gone(reason) : error;
			});
		throw error;
	}

	/** `await using sandbox = await Sandbox.create()` kills it at the end of the block. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.kill();
	}

	async getInfo(): Promise<SandboxInfo> {
		return infoOf(await this.ask("box.show", { box: this.sandboxId, drift: "off" }));
	}

	/** It is there. */
	async isRunning(): Promise<boolean> {
		try {
			await this.getInfo();
			return true;
		} catch (error) {
			if (error instanceof SandboxNotFound) return false;
			throw error;
		}
	}

	/** What its commands take at the moment; zeros when none runs. */
	async getMetrics(): Promise<Metrics> {
		const runs = (await this.commands.list()).map((run) => run.runId);
		const raw = runs.length ? await this.client.call("run.stats", { runs }) : {};
		const all = raw.runs ?? [];
		const sum = (
			pick: (run: NonNullable<RunStatsResult["runs"]>[number]) => number | null | undefined,
		): number => all.reduce((total, run) => total + (pick(run) ?? 0), 0);
		return {
			timestamp: new Date(raw.time_ms ?? Date.now()),
			cpuMs: sum((r) => r.cpu_ms),
			cpuPercent: all.length ? sum((r) => r.cpu_percent) : null,
			memBytes: sum((r) => r.mem),
			memPeakBytes: sum((r) => r.mem_peak),
			processes: sum((r) => r.pids),
			diskBytes: sum((r) => r.disk),
			raw,
		};
	}

	/** From now on it lives so long; 0: until it is killed. Commands that run keep the end they have. */
	async setTimeout(timeoutMs: number): Promise<void> {
		await this.ask("box.renew", { box: this.sandboxId, ttl: seconds(timeoutMs) });
	}

	/** Where programs of this machine reach a port of it: "127.0.0.1:40123". The first call publishes it; something must run in it. */
	async getHost(port: number): Promise<string> {
		const { ports } = await this.ask("box.ports", { box: this.sandboxId, publish: [`0:${port}`] });
		const found = (ports ?? []).find((entry) => entry.port === port)?.address;
		if (found === undefined) throw new NotFound(`port ${port} of the sandbox is not published`);
		return found;
	}

	/** Stops everything that runs in it, where it is. False: nothing runs. */
	async pause(): Promise<boolean> {
		return this.forAll("run.pause");
	}

	async resume(): Promise<boolean> {
		return this.forAll("run.resume");
	}

	private async forAll(method: "run.pause" | "run.resume"): Promise<boolean> {
		const runs = (await this.commands.list()).map((run) => run.runId);
		if (runs.length) await this.client.call(method, { runs });
		return runs.length > 0;
	}

	private point(snapshot: string | SnapshotInfo | undefined): string {
		return snapshot === undefined
			? this.sandboxId
			: `${this.sandboxId}@${typeof snapshot === "string" ? snapshot : snapshot.id}`;
	}

	/** COUNT new sandboxes that start from what this one is now, or was at SNAPSHOT. */
	async fork(count = 1, options: ForkOptions = {}): Promise<Sandbox[]> {
		const { boxes } = await this.ask("box.fork", {
			from: this.point(options.snapshot),
			count,
			...given({ name: options.name }),
			...(options.timeoutMs === undefined ? {} : { ttl: seconds(options.timeoutMs) }),
		});
		const like = { client: this.client, envs: this.envs };
		return (boxes ?? []).map((box) => new Sandbox(box, like, this.metadata));
	}

	/** Tries shell commands at once, each in a fork of this sandbox. The winner by the test stays, in the sandbox that `box` names. */
	async experiment(branches: string[], options: ExperimentOptions = {}): Promise<ExperimentTryResult> {
		return this.ask("experiment.try", {
			box: this.sandboxId,
			branches,
			...given({ test: options.test, mode: options.mode, repeat: options.repeat }),
			...(options.timeoutMs === undefined ? {} : { timeout: seconds(options.timeoutMs) }),
		});
	}

	/** Keeps what it is now, to go back to. With `pin` it keeps the real project as it is now, too, from here on. */
	async snapshot(name?: string, options: { pin?: boolean | undefined } = {}): Promise<SnapshotInfo> {
		return snapshotOf(await this.ask("box.snap", { box: this.sandboxId, ...given({ name, pin: options.pin }) }));
	}

	async listSnapshots(): Promise<SnapshotInfo[]> {
		const box: BoxShowResult = await this.ask("box.show", { box: this.sandboxId, drift: "off" });
		return (box.snapshot_list ?? []).map(snapshotOf);
	}

	/** Makes it what it was at a snapshot. */
	async rollback(snapshot: string | SnapshotInfo): Promise<void> {
		await this.ask("box.rollback", {
			box: this.sandboxId,
			snapshot: typeof snapshot === "string" ? snapshot : snapshot.id,
		});
	}

	/** What is different from the real project; or, with OTHER, from this sandbox to that one. */
	async diff(options: DiffOptions = {}): Promise<Diff> {
		const other = options.other instanceof Sandbox ? options.other.sandboxId : options.other;
		const raw = await this.ask("box.diff", {
			box: this.point(options.snapshot),
			...given({ other, patch: options.patch, stat: options.stat }),
		});
		return {
			created: raw.summary?.created ?? 0,
			modified: raw.summary?.modified ?? 0,
			deleted: raw.summary?.deleted ?? 0,
			changes: (raw.changes ?? []).map((c) => ({
				kind: c.kind ?? "",
				path: c.path ?? null,
				type: c.type ?? "",
				...given({ added: c.added, removed: c.removed }),
			})),
			patch: raw.patch,
			raw,
		};
	}

	/**
	 * Brings its changes into the real project, all or none. Throws PromoteConflict when that would overwrite what was
	 * changed there meanwhile, and PolicyDenied when changes would run code later or hold a secret; nothing is changed then.
	 */
	async promote(options: PromoteOptions = {}): Promise<Promotion> {
		const raw = await this.ask("promote", {
			box: this.sandboxId,
			...given({
				paths: options.paths,
				to: options.to,
				artifact: options.artifact,
				yes: options.yes,
				conflict: options.conflict,
				"dry-run": options.dryRun,
				"allow-secret": options.allowSecrets,
			}),
		});
		if (!raw.applied && !options.dryRun) refused(raw, options);
		return {
			id: raw.promotion ?? null,
			applied: raw.applied ?? false,
			conflicts: conflictsOf(raw),
			raw,
			changes: (raw.changes ?? []).map((c) => ({
				kind: c.kind ?? "",
				path: c.path ?? null,
				type: c.type ?? "",
			})),
		};
	}

	/** Takes a promotion back; default: the newest of this sandbox. Throws PromoteConflict when what it changed was changed again since. */
	async undo(promotion?: string | Promotion): Promise<void> {
		const id = typeof promotion === "object" ? (promotion.id ?? undefined) : promotion;
		const done = await this.client.call("undo", given({ promotion: id, box: id ? undefined : this.sandboxId }));
		if (!done.undone)
			throw new PromoteConflict(
				`${done.conflicts?.length ?? 0} paths were changed since, such as ${done.conflicts?.[0]?.path}`,
			);
	}

	/** What was changed in the real project since the sandbox was made; with `check` that is a StaleBase error. */
	async stale(options: { check?: boolean } = {}): Promise<(string | null)[]> {
		const box: BoxShowResult = await this.ask("box.show", { box: this.sandboxId, stale: true });
		const paths = (box.stale ?? []).map((s) => s.path ?? null);
		if (options.check && paths.length)
			throw new StaleBase(
				`${paths.length} paths below ${this.project} have changed since ${this.name} was made`,
				undefined,
				paths,
			);
		return paths;
	}

	/** Runs a program given as text. */
	async runCode(code: string, options: CodeOptions = {}): Promise<Execution> {
		return runCode(this, code, options);
	}

	/** Starts an interpreter that stays; programs of `runCode` with this context find what earlier ones of it left. */
	async createCodeContext(options: CodeContextOptions = {}): Promise<CodeContext> {
		return createContext(this, options);
	}

	async listCodeContexts(): Promise<CodeContext[]> {
		const found = await this.ask("code.contexts", { box: this.sandboxId });
		return (found.contexts ?? []).map((c) => ({ id: c.context ?? "", language: c.language as Language }));
	}

	/** Ends the interpreter, whatever it does; a name alone: of every language. False: it was not there. */
	async removeCodeContext(context: string | CodeContext): Promise<boolean> {
		const which =
			typeof context === "object" ? { end: context.id, lang: context.language } : { end: context };
		const done = await this.ask("code.contexts", { box: this.sandboxId, ...which });
		return (done.ended ?? 0) > 0;
	}
}

function snapshotOf(raw: {
	id?: string;
	name?: string;
	created_ms?: number;
	automatic?: boolean;
}): SnapshotInfo {
	return {
		id: raw.id ?? "",
		name: raw.name ?? "",
		createdAt: new Date(raw.created_ms ?? 0),
		automatic: raw.automatic ?? false,
	};
}

/** Why a promotion changed nothing, unless there was nothing to change. */
function refused(raw: PromoteResult, options: PromoteOptions): void {
	const secrets = (raw.secrets ?? []).filter((s) => !s.allowed);
	const traps = raw.traps ?? [];
	const conflicts = conflictsOf(raw);
	if (secrets.length)
		throw new PolicyDenied(
			`the secret ${secrets[0]?.name} is in ${secrets[0]?.path}; allowSecrets lets it pass`,
		);
	if (conflicts.length)
		throw new PromoteConflict(
			`${conflicts.length} conflicts, the first: ${conflicts[0]?.path}: ${conflicts[0]?.reason}`,
			conflicts,
		);
	if (traps.length && !options.yes)
		throw new PolicyDenied(`${traps[0]?.path}: ${traps[0]?.why}; yes: true goes on in spite of it`);
}
