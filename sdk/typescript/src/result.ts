// SPDX-License-Identifier: Apache-2.0
// How a command ended: what every kind of run gives back, and which ends are errors.
import { CommandExitError, LimitExceeded, PolicyDenied, StartFailed, TimeoutError } from "./errors.js";
import type { RunExecResult } from "./types.js";

/** ok, failed (ran and did not exit with 0), limit, denied, interrupted, or error: it could not be started. */
export type Status = "ok" | "failed" | "limit" | "denied" | "interrupted" | "error";

/** A limit that ended a run, or refused what it needed. */
export interface Limit {
	/** wall_time, cpu_time, memory, processes, file_size, disk, inodes or lifetime. */
	kind: string;
	/** Milliseconds, bytes or a plain number. */
	value: number;
	used: number;
}

/** What a run took. */
export interface Usage {
	wallMs: number;
	cpuMs: number;
	memPeak: number;
	pidsPeak: number;
	disk: number;
	inodes: number;
}

/** What a command tried and was refused. */
export interface Violation {
	/** syscall, decoy, net or limit. */
	kind: string;
	what: string;
	by: string | null;
	rule: string;
	/** What would allow it. */
	allowWith: string;
	count: number;
}

/** The result of a run as aisbx tells it. */
export type RawResult = RunExecResult;

/** How a command ended. */
export class CommandResult {
	readonly stdout: string;
	readonly stderr: string;
	/** Of the command; of one that a signal or a limit ended what a shell would say: 124, 128 and the signal. */
	readonly exitCode: number;
	/** Why it has no ordinary end; undefined when it exited by itself. */
	readonly error: string | undefined;
	readonly status: Status;
	readonly signal: number | undefined;
	readonly limit: Limit | undefined;
	readonly violations: Violation[];
	readonly usage: Usage;
	readonly runId: string;
	readonly traceId: string;
	/** Bytes of each stream that are not in this result. */
	readonly truncated: { stdout: number; stderr: number };
	/** The whole of what aisbx said. */
	readonly raw: RawResult;

	/** OUTPUT: what was collected while it ran, when that is not in RAW. */
	constructor(
		raw: RawResult,
		output?: { stdout: string; stderr: string; truncated: { stdout: number; stderr: number } },
	) {
		const usage = raw.usage;
		this.stdout = output?.stdout ?? raw.stdout ?? "";
		this.stderr = output?.stderr ?? raw.stderr ?? "";
		this.status = raw.status as Status;
		this.exitCode = raw.exit_code ?? raw.exit_status ?? -1;
		this.signal = raw.signal ?? undefined;
		this.limit = raw.limit
			? { kind: raw.limit.kind ?? "", value: raw.limit.value ?? 0, used: raw.limit.used ?? 0 }
			: undefined;
		this.violations = (raw.violations ?? []).map((v) => ({
			kind: v.kind ?? "",
			what: v.what ?? "",
			by: v.by ?? null,
			rule: v.rule ?? "",
			allowWith: v.allow_with ?? "",
			count: v.count ?? 1,
		}));
		this.usage = {
			wallMs: usage?.wall_ms ?? 0,
			cpuMs: usage?.cpu_ms ?? 0,
			memPeak: usage?.mem_peak ?? 0,
			pidsPeak: usage?.pids_peak ?? 0,
			disk: usage?.disk ?? 0,
			inodes: usage?.inodes ?? 0,
		};
		this.runId = raw.run ?? "";
		this.traceId = raw.trace_id ?? "";
		this.truncated = {
			stdout: (raw.truncated?.stdout ?? 0) + (output?.truncated.stdout ?? 0),
			stderr: (raw.truncated?.stderr ?? 0) + (output?.truncated.stderr ?? 0),
		};
		this.raw = raw;
		this.error = raw.error ?? this.reason();
	}

	private reason(): string | undefined {
		if (this.limit && this.status === "limit")
			return `the limit ${this.limit.kind} (${this.limit.value}) was reached`;
		if (this.status === "interrupted") return "interrupted";
		return this.signal === undefined ? undefined : `ended by signal ${this.signal}`;
	}

	/** It ran, and exited with 0. */
	get ok(): boolean {
		return this.status === "ok";
	}
}

/**
 * A command that could not start, and one that a limit or a policy ended, is an error; with CHECK so is every end but
 * an exit with 0.
 */
export function judge(result: CommandResult, what: string, check: boolean): CommandResult {
	if (result.status === "error") throw new StartFailed(result.error ?? `could not start ${what}`, result);
	if (result.status === "denied")
		throw new PolicyDenied(result.error ?? `${what} was denied`, undefined, result);
	if (result.status === "limit" && result.limit?.kind === "wall_time")
		throw new TimeoutError(`${what} took longer than ${result.limit.value} ms`, result);
	if (result.status === "limit")
		throw new LimitExceeded(
			`${what}: ${result.error ?? "a limit was reached"}`,
			result.limit?.kind ?? "unknown",
			result,
		);
	if (check && !result.ok) {
		const end = result.error ?? `exit status ${result.exitCode}`;
		const said = result.stderr.trim().slice(-2000);
		throw new CommandExitError(`${what}: ${end}${said ? `\n${said}` : ""}`, result);
	}
	return result;
}
