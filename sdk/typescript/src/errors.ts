// SPDX-License-Identifier: Apache-2.0
// What can go wrong, as classes: a program catches the one it can do something about.
import type { CommandResult } from "./result.js";

/** What aisbx says of an error, beside its text. */
export interface ErrorFacts {
	/** usage, not_found, exists, busy, denied, conflict, stale, limit, timeout, cancelled, unsupported or internal. */
	kind: string;
	/** The part of aisbx that it comes from. */
	area?: string | undefined;
	/** The name of the kernel's number for it, such as ENOENT. */
	errno?: string | undefined;
	/** The server had no room for the call, which has done nothing, and may have some after so long. */
	retryAfterMs?: number | undefined;
}

/** Every error of this library is one of these. */
export class AisbxError extends Error {
	/** Its kind, as in `ErrorFacts`; start_failed, exit, node_gone or connection where this library says so. */
	readonly code: string;
	readonly area: string | undefined;
	readonly errno: string | undefined;

	constructor(message: string, facts: ErrorFacts = { kind: "internal" }, options?: ErrorOptions) {
		super(message, options);
		this.name = new.target.name;
		this.code = facts.kind;
		this.area = facts.area;
		this.errno = facts.errno;
	}
}

/** The call makes no sense: a wrong name, type or combination. */
export class UsageError extends AisbxError {}

/** There is no such thing: a snapshot, a run, a file, a profile. */
export class NotFound extends AisbxError {}

/** There is no such sandbox: never made, killed, or its time was over. */
export class SandboxNotFound extends NotFound {}

/** There is no such file in the sandbox. */
export class FileNotFound extends NotFound {}

/** Something of that name is there already. */
export class Exists extends AisbxError {}

/** Somebody else has it for the moment. */
export class Busy extends AisbxError {}

/** A policy said no, or it belongs to somebody else. */
export class PolicyDenied extends AisbxError {
	/** Of a command that a policy stopped. */
	readonly result: CommandResult | undefined;

	constructor(message: string, facts: ErrorFacts = { kind: "denied" }, result?: CommandResult) {
		super(message, facts);
		this.result = result;
	}
}

/** One path that was changed on both sides. */
export interface Conflict {
	path: string | null;
	box: string;
	host: string;
	reason: string;
}

/** A promotion, or a combination of boxes, would overwrite what somebody else changed. Nothing was changed. */
export class PromoteConflict extends AisbxError {
	readonly conflicts: Conflict[];

	constructor(message: string, conflicts: Conflict[] = [], facts: ErrorFacts = { kind: "conflict" }) {
		super(message, facts);
		this.conflicts = conflicts;
	}
}

/** What the sandbox was made from has changed since. */
export class StaleBase extends AisbxError {
	/** What was changed, where that is known; null of a name that is no UTF-8. */
	readonly paths: (string | null)[];

	constructor(message: string, facts: ErrorFacts = { kind: "stale" }, paths: (string | null)[] = []) {
		super(message, facts);
		this.paths = paths;
	}
}

/** A limit ended it, or refused what it needed. */
export class LimitExceeded extends AisbxError {
	/** wall_time, cpu_time, memory, processes, file_size, disk, inodes or lifetime. */
	readonly kind: string;
	readonly result: CommandResult | undefined;
	/** The server had no room for the call, which has done nothing, and may have some after so long. */
	readonly retryAfterMs: number | undefined;

	constructor(
		message: string,
		kind: string,
		result?: CommandResult,
		facts: ErrorFacts = { kind: "limit" },
	) {
		super(message, facts);
		this.kind = kind;
		this.result = result;
		this.retryAfterMs = facts.retryAfterMs;
	}
}

/** It took longer than it was given. */
export class TimeoutError extends LimitExceeded {
	constructor(message: string, result?: CommandResult, facts: ErrorFacts = { kind: "timeout" }) {
		super(message, "wall_time", result, facts);
	}
}

/** The call was cancelled, and what it ran is gone. */
export class Cancelled extends AisbxError {}

/** This machine cannot do it; or a fleet. */
export class Unsupported extends AisbxError {}

/** Of a fleet: the node that has the sandbox is gone, or was lost while this ran. What it did may have been done. */
export class NodeGone extends AisbxError {}

/** The command could not be started: another thing than one that ran and failed. */
export class StartFailed extends AisbxError {
	readonly result: CommandResult | undefined;

	constructor(message: string, result?: CommandResult) {
		super(message, { kind: "start_failed" });
		this.result = result;
	}
}

/** With `check`: the command ran and did not exit with 0. */
export class CommandExitError extends AisbxError {
	readonly result: CommandResult;

	constructor(message: string, result: CommandResult) {
		super(message, { kind: "exit" });
		this.result = result;
	}

	get exitCode(): number {
		return this.result.exitCode;
	}
	get stdout(): string {
		return this.result.stdout;
	}
	get stderr(): string {
		return this.result.stderr;
	}
}

/** There is no server to talk to: it could not be started, or is gone. */
export class ServerGone extends AisbxError {
	constructor(message: string, options?: ErrorOptions) {
		super(message, { kind: "connection" }, options);
	}
}

/** The data of an error of the protocol, as far as it is what it should be. */
interface WireError {
	code?: number;
	message?: string;
	data?: { kind?: string; area?: string; code?: string; text?: string; retry_after_ms?: number };
}

const kinds: Record<string, new (message: string, facts: ErrorFacts) => AisbxError> = {
	usage: UsageError,
	not_found: NotFound,
	exists: Exists,
	busy: Busy,
	denied: PolicyDenied,
	stale: StaleBase,
	cancelled: Cancelled,
	unsupported: Unsupported,
};

/** The class for an error that the server sent. */
export function errorFromWire(wire: WireError): AisbxError {
	const data = wire.data ?? {};
	const protocol = wire.code !== undefined && wire.code <= -32600 && wire.code >= -32700;
	const kind = data.kind ?? (protocol ? "usage" : "internal");
	const facts: ErrorFacts = { kind, area: data.area, errno: data.code, retryAfterMs: data.retry_after_ms };
	const text = data.text ?? wire.message ?? "the server sent an error without a text";

	if (data.code === "EHOSTDOWN") return new NodeGone(text, { ...facts, kind: "node_gone" });
	if (kind === "conflict") return new PromoteConflict(text, [], facts);
	if (kind === "timeout") return new TimeoutError(text, undefined, facts);
	if (kind === "limit") return new LimitExceeded(text, "unknown", undefined, facts);
	return new (kinds[kind] ?? AisbxError)(text, facts);
}
