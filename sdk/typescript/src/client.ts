// SPDX-License-Identifier: Apache-2.0
// The protocol: calls with their answers, the notifications that belong to them, cancellation. One client is one
// connection, for any number of calls at once; it is opened by the first of them and again when the server has gone.
import { Data } from "./data.js";
import { AisbxError, Cancelled, ServerGone, UsageError, errorFromWire } from "./errors.js";
import { patienceMs, pauseMs } from "./patience.js";
import type { Methods } from "./types.js";
import { connectServer, startServer, type Wire } from "./wire.js";

export type Method = keyof Methods;
export type Arguments<M extends Method> = Methods[M]["params"];
export type Result<M extends Method> = Methods[M]["result"];

/** Standard output or standard error of a command. */
export type StreamName = "stdout" | "stderr";

export interface ClientOptions {
	/** The program to start; default: $AISBX, or aisbx on the PATH. */
	program?: string;
	/** Talk to the server that listens here ('aisbx rpc --socket PATH') instead of starting one. */
	socket?: string;
	/** The environment of the server that is started; default: that of this process. */
	env?: Record<string, string | undefined>;
	/** Only boxes of this owner are there; default: all of the person's. */
	owner?: string;
	/** Run everything on nodes of a fleet with these labels, "zone=a" or "any", by 'aisbx fleet rpc'. */
	fleet?: string;
	/** With `fleet`: on this machine if no hub answers. */
	fleetOrLocal?: boolean;
}

export interface CallOptions {
	/** Cancels the call. The promise is rejected when the server has answered: then what it ran is gone. */
	signal?: AbortSignal | undefined;
	/** The directory the call is made in; default: that of this process. */
	cwd?: string | undefined;
	/** 32 hexadecimal digits that runs take for their trace. */
	traceId?: string | undefined;
	/** Output as it comes; that of the result is empty then. */
	onOutput?: ((stream: StreamName, data: Uint8Array | string) => void) | undefined;
	/** What an operation tells before its result, as file.watch does. */
	onItem?: ((item: Record<string, unknown>) => void) | undefined;
	/** A run has begun. */
	onBegun?: ((run: string, traceId: string) => void) | undefined;
	/** @internal The bytes of the call go there. */
	data?: Data | undefined;
	/** The command's input is given by `Call.send`; else it is empty. */
	stdin?: boolean | undefined;
}

/** Bytes of an input that one message carries. */
const INPUT_PIECE = 256 * 1024;
/** How long to wait with more of it when the command has not read what the server has already. */
const INPUT_PAUSE_MS = 10;

/** Bytes of a file that one message carries; over a fleet every message is a job. */
const FILE_PIECE = 8 * 1024 * 1024;
const FLEET_FILE_PIECE = 192 * 1024;

/** Commands that are waited for, at once: a server takes 256 calls of one connection, and others need places, too. */
const COMMANDS_AT_ONCE = 192;

interface Message {
	id?: number | string | null;
	method?: string;
	params?: { id?: number; [key: string]: unknown };
	result?: unknown;
	error?: { code?: number; message?: string; data?: { kind?: string; area?: string; code?: string; text?: string; retry_after_ms?: number } };
}

/** How a call speaks to the server about itself. */
interface Line {
	tell(method: string, params: Record<string, unknown>): void;
	ask(method: string, params: Record<string, unknown>): Promise<unknown>;
	/** The call once more, as it was. */
	again(): void;
	/** No answer will come for it. */
	forget(): void;
}

/** One call on its way. */
export class Call<R = unknown> {
	/** Its result, or an error. */
	readonly result: Promise<R>;
	/** It has been answered. */
	answered = false;
	private cancelled = false;
	private waits: NodeJS.Timeout | undefined; // to be tried again
	private settle!: { resolve(result: R): void; reject(error: unknown): void };

	/** @internal */
	constructor(
		readonly id: number,
		readonly options: CallOptions,
		private readonly line: Line,
		private readonly until: number, // so long it is tried again when there is no room for it
	) {
		this.result = new Promise<R>((resolve, reject) => {
			this.settle = { resolve, reject };
		});
		this.result.catch(() => undefined); // whoever waits for it hears of it; a handle may be dropped
		options.signal?.addEventListener("abort", this.onAbort, { once: true });
	}

	private readonly onAbort = (): void => this.cancel();

	/** Ends what it runs; the answer still comes. */
	cancel(): void {
		if (this.answered || this.cancelled) return;
		this.cancelled = true;
		if (this.waits) {
			this.line.forget();
			this.answer(undefined, new Cancelled("the call was cancelled before there was room for it", { kind: "cancelled" }));
		} else {
			this.line.tell("rpc.cancel", { id: this.id });
		}
	}

	/** Gives the command some of its input; done when the server has it, which takes only so much that the command has not read. */
	async send(data: string | Uint8Array): Promise<void> {
		const bytes = typeof data === "string" ? Buffer.from(data, "utf8") : data;
		for (let at = 0; at < bytes.length && !this.answered;) {
			const piece = Buffer.from(bytes.subarray(at, at + INPUT_PIECE)).toString("base64");
			try {
				await this.line.ask("rpc.stdin", { id: this.id, data: piece, encoding: "base64" });
				at += INPUT_PIECE;
			} catch (error) {
				if (this.answered) return; // it ended without reading all of it, as commands may
				if (!(error instanceof AisbxError) || error.errno !== "ENOBUFS") throw error;
				await new Promise((resolve) => setTimeout(resolve, INPUT_PAUSE_MS));
			}
		}
	}

	/** The end of its input. */
	closeInput(): void {
		if (!this.answered) this.line.tell("rpc.stdin", { id: this.id, eof: true });
	}

	/** Its output waits, or goes on: for a reader that does not keep up, so that the others of the connection do not wait for it. */
	hold(wait: boolean): void {
		if (!this.answered) this.line.tell("rpc.hold", { id: this.id, hold: wait });
	}

	/** @internal The server has no room for it now. False: it cannot wait so long. */
	retry(pause: number): boolean {
		if (this.cancelled || performance.now() + pause > this.until) return false;
		this.waits = setTimeout(() => {
			this.waits = undefined;
			this.line.again();
		}, pause);
		return true;
	}

	/** @internal */
	answer(result: R | undefined, error: unknown): void {
		this.answered = true;
		clearTimeout(this.waits);
		this.options.signal?.removeEventListener("abort", this.onAbort);
		if (this.cancelled && this.options.signal?.aborted) this.settle.reject(this.options.signal.reason);
		else if (error !== undefined) this.settle.reject(error);
		else this.settle.resolve(result as R);
	}
}

/** A connection to aisbx. */
export class Client implements AsyncDisposable {
	private readonly calls = new Map<number, Call>();
	private wire: Wire | undefined;
	private dataOf: { wire: Wire; path: Promise<string | undefined> } | undefined;
	private closed = false;
	private lastId = 0;
	private working = 0;
	private readonly turns: (() => void)[] = [];

	/** @internal */
	readonly filePiece: number;
	/** @internal What is started here ends with the connection: nodes have no runs that go on by themselves. */
	readonly onFleet: boolean;

	constructor(private readonly options: ClientOptions = {}) {
		if (options.fleet !== undefined && options.socket !== undefined)
			throw new UsageError("'socket' and 'fleet' exclude each other", { kind: "usage" });
		if (options.fleet === undefined && options.fleetOrLocal)
			throw new UsageError("'fleetOrLocal' needs 'fleet'", { kind: "usage" });
		this.onFleet = options.fleet !== undefined;
		this.filePiece = options.fleet === undefined ? FILE_PIECE : FLEET_FILE_PIECE;
	}

	/** Makes a call and waits for its result. METHOD and its arguments are those that 'aisbx schema' tells. */
	async call<M extends Method>(
		method: M,
		args: Arguments<M>,
		options: CallOptions = {},
	): Promise<Result<M>> {
		try {
			return await this.start(method, args, options).result;
		} catch (error) {
			if (error instanceof AisbxError)
				// where it was called, not where the answer was read
				Error.captureStackTrace(error);
			throw error;
		}
	}

	/** Makes a call. */
	start<M extends Method>(method: M, args: Arguments<M>, options: CallOptions = {}): Call<Result<M>> {
		const also: Record<string, unknown> = { _cwd: options.cwd ?? process.cwd() };
		options.signal?.throwIfAborted();
		if (options.onOutput) also["_stream"] = true;
		if (options.stdin) also["_stdin"] = true;
		if (options.traceId !== undefined) also["_trace"] = options.traceId;
		if (options.data) also["_data"] = options.data.token;
		return this.post<Result<M>>(method, { ...args, ...also }, options);
	}

	/** @internal A connection for the bytes of one call; undefined: this server has none, as over a fleet. */
	async openData(): Promise<Data | undefined> {
		const wire = this.open();
		if (this.dataOf?.wire !== wire) {
			const asked = this.post<{ data?: string }>("rpc.hello", { data: true }, {});
			this.dataOf = { wire, path: asked.result.then((hello) => hello.data) };
		}
		const path = await this.dataOf.path;
		return path === undefined ? undefined : Data.open(path);
	}

	/** What the server is: its version, and the methods it has. */
	hello(): Promise<{ protocol: number; version: string; methods: string[] }> {
		return this.post<{ protocol: number; version: string; methods: string[] }>("rpc.hello", {}, {})
			.result;
	}

	/** @internal WORK when there is a place for one more; so that a thousand commands can be asked for at once. */
	async inTurn<T>(work: () => Promise<T>): Promise<T> {
		if (this.working >= COMMANDS_AT_ONCE) await new Promise<void>((resolve) => this.turns.push(resolve));
		else this.working++;
		try {
			return await work();
		} finally {
			const next = this.turns.shift(); // it takes this place
			if (next) next();
			else this.working--;
		}
	}

	/** Calls under way are cancelled by the server. A client that was closed cannot be used again. */
	async close(): Promise<void> {
		const pending = [...this.calls.values()].map((call) => call.result.catch(() => undefined));
		this.closed = true;
		this.wire?.close();
		await Promise.all(pending);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.close();
	}

	private post<R>(method: string, params: Record<string, unknown>, options: CallOptions): Call<R> {
		const wire = this.open();
		const id = ++this.lastId;
		const send = (): void => wire.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
		const line: Line = {
			tell: (name, about) => wire.send(JSON.stringify({ jsonrpc: "2.0", method: name, params: about })),
			ask: (name, about) => this.post(name, about, {}).result,
			again: send,
			forget: () => this.forget(id),
		};
		const call = new Call<R>(id, options, line, performance.now() + patienceMs(params));

		this.calls.set(id, call as Call);
		wire.hold(true);
		send();
		return call;
	}

	/** The connection; a new one, with a greeting, when there is none. */
	private open(): Wire {
		if (this.closed) throw new ServerGone("this client was closed");
		if (this.wire) return this.wire;
		const { program, socket, owner, fleet, fleetOrLocal } = this.options;
		const words =
			fleet === undefined
				? ["rpc"]
				: ["fleet", "rpc", "--on", fleet, ...(fleetOrLocal ? ["--or-here"] : [])];
		const env = this.options.env ?? process.env;
		const events = {
			line: (text: string): void => this.receive(text),
			end: (why: ServerGone): void => this.end(wire, why),
		};
		const wire: Wire =
			socket === undefined
				? startServer(program ?? env["AISBX"] ?? "aisbx", words, env, undefined, events)
				: connectServer(socket, events);
		this.wire = wire;
		// Nobody waits for the answer: lines are read in their order, and a server of another kind is found out by it.
		this.post<{ protocol: number; version: string }>(
			"rpc.hello",
			owner === undefined ? {} : { owner },
			{},
		).result.then(
			(hello) => {
				if (hello.protocol !== 1)
					this.end(
						wire,
						new ServerGone(
							`aisbx ${hello.version} speaks protocol ${hello.protocol}, this library 1`,
						),
					);
			},
			(error: unknown) => {
				if (!(error instanceof ServerGone))
					this.end(
						wire,
						new ServerGone(`the server refused the greeting: ${String(error)}`, { cause: error }),
					);
			},
		);
		return wire;
	}

	private end(wire: Wire, why: ServerGone): void {
		if (this.wire !== wire) return;
		const calls = [...this.calls.values()];
		this.wire = undefined;
		this.calls.clear();
		wire.close();
		for (const call of calls) call.answer(undefined, why);
	}

	private receive(text: string): void {
		let message: Message;
		try {
			message = JSON.parse(text) as Message;
		} catch (error) {
			if (this.wire)
				this.end(this.wire, new ServerGone("the server sent what is no JSON", { cause: error }));
			return;
		}
		if (message.method !== undefined) this.notified(message.method, message.params ?? {});
		else if (typeof message.id === "number") this.answered(message.id, message);
		else if (this.wire)
			// an error without an id: it could not read what we sent
			this.end(
				this.wire,
				new ServerGone(`the server could not read a message: ${message.error?.message ?? text}`),
			);
	}

	private answered(id: number, message: Message): void {
		const call = this.calls.get(id);
		const pause = pauseMs(message.error);
		if (pause !== undefined && call?.retry(pause)) return;
		this.forget(id);
		call?.answer(message.result, message.error && errorFromWire(message.error));
	}

	private forget(id: number): void {
		this.calls.delete(id);
		if (this.calls.size === 0) this.wire?.hold(false);
	}

	private notified(method: string, params: NonNullable<Message["params"]>): void {
		const options = this.calls.get(params.id ?? -1)?.options;
		if (method === "output") {
			const data = params["data"] as string;
			const bytes =
				params["encoding"] === "base64" ? new Uint8Array(Buffer.from(data, "base64")) : data;
			options?.onOutput?.(params["stream"] as StreamName, bytes);
		} else if (method === "begun") {
			options?.onBegun?.(params["run"] as string, params["trace_id"] as string);
		} else if (method === "item") {
			options?.onItem?.(params["item"] as Record<string, unknown>);
		}
	}
}

let shared: Client | undefined;

/** The client of whoever names none: one for the process, started when it is first used. */
export function defaultClient(): Client {
	shared ??= new Client();
	return shared;
}

/** Which connection is meant: the one given, the one of everybody who names this fleet, or the default one. */
export interface Connection {
	/** Default: one for the process, which starts `aisbx rpc`. */
	client?: Client | undefined;
	/** On nodes of a fleet with these labels, "zone=a" or "any"; a sandbox stays on its node. */
	fleet?: string | undefined;
	/** With `fleet`: on this machine if no hub answers. */
	fleetOrLocal?: boolean | undefined;
}

const fleets = new Map<string, Client>();

/** @internal */
export function clientFor(meant: Connection): Client {
	const { client, fleet, fleetOrLocal = false } = meant;
	if (fleet === undefined) {
		if (fleetOrLocal) throw new UsageError("'fleetOrLocal' needs 'fleet'", { kind: "usage" });
		return client ?? defaultClient();
	}
	if (client)
		throw new UsageError("'client' and 'fleet' exclude each other; give the client its fleet", {
			kind: "usage",
		});
	const key = `${fleetOrLocal} ${fleet}`;
	const found = fleets.get(key) ?? new Client({ fleet, fleetOrLocal });
	fleets.set(key, found);
	return found;
}
