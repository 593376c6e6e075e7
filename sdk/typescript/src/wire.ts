// SPDX-License-Identifier: Apache-2.0
// Lines to and from a server: over the pipes of one that is started for us, or over a unix socket. Knows no protocol.
import { spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import type { Readable, Writable } from "node:stream";

import { ServerGone } from "./errors.js";

export interface WireEvents {
	line(text: string): void;
	/** Once, when nothing more will come. */
	end(why: ServerGone): void;
}

export interface Wire {
	send(text: string): void;
	/** Whether the process is to stay for it. */
	hold(stay: boolean): void;
	close(): void;
}

/** Cuts bytes into lines. The pieces of a long line are joined once, not at every piece. */
class Lines {
	private pieces: Buffer[] = [];

	constructor(private readonly take: (text: string) => void) {}

	add(chunk: Buffer): void {
		let from = 0;
		for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
			this.pieces.push(chunk.subarray(from, at));
			const text = Buffer.concat(this.pieces).toString("utf8");
			this.pieces = [];
			from = at + 1;
			if (text) this.take(text);
		}
		if (from < chunk.length) this.pieces.push(chunk.subarray(from));
	}
}

/** What keeps a process from ending; the pipes of a child are sockets, which their types do not say. */
type Held = { ref(): unknown; unref(): unknown };

/** The last of what a server said on its standard error, for the message when it is gone. */
class Tail {
	private text = "";

	constructor(stream: Readable) {
		stream.on("data", (chunk: Buffer) => {
			this.text = (this.text + chunk.toString("utf8")).slice(-2000);
		});
		stream.on("error", () => undefined);
	}

	get said(): string {
		const text = this.text.trim();
		return text ? `: ${text}` : "";
	}
}

class StreamWire implements Wire {
	private ended = false;

	constructor(
		private readonly input: Readable,
		private readonly output: Writable,
		private readonly held: Held[],
		private readonly events: WireEvents,
		private readonly stop: () => void,
	) {
		const lines = new Lines((text) => events.line(text));
		input.on("data", (chunk: Buffer) => lines.add(chunk));
		output.on("error", () => undefined); // the end of the input tells
	}

	end(why: string): void {
		if (this.ended) return;
		this.ended = true;
		this.input.destroy();
		this.output.destroy();
		this.events.end(new ServerGone(why));
	}

	send(text: string): void {
		if (!this.ended) this.output.write(text + "\n");
	}

	hold(stay: boolean): void {
		for (const held of this.held) stay ? held.ref() : held.unref();
	}

	close(): void {
		this.stop();
	}
}

/** Starts PROGRAM with ARGS and talks to it over its pipes. It ends when its input does. */
export function startServer(
	program: string,
	args: readonly string[],
	env: Record<string, string | undefined>,
	cwd: string | undefined,
	events: WireEvents,
): Wire {
	const child = spawn(program, args, {
		stdio: ["pipe", "pipe", "pipe"],
		env,
		...(cwd === undefined ? {} : { cwd }),
	});
	const tail = new Tail(child.stderr);
	const wire = new StreamWire(
		child.stdout,
		child.stdin,
		[child, child.stdin as Socket, child.stdout as Socket, child.stderr as Socket],
		events,
		() => child.stdin.end(),
	);

	child.on("error", (error: NodeJS.ErrnoException) => {
		const hint = error.code === "ENOENT" ? "; install aisbx, or set AISBX to the program" : "";
		wire.end(`could not start '${program}': ${error.message}${hint}`);
	});
	child.on("close", (code, signal) => {
		wire.end(`'${program} ${args.join(" ")}' has ended (${signal ?? `exit status ${code}`})${tail.said}`);
	});
	return wire;
}

/** Talks to a server that listens at PATH. */
export function connectServer(path: string, events: WireEvents): Wire {
	const socket: Socket = connect({ path });
	const wire = new StreamWire(socket, socket, [socket], events, () => socket.end());

	socket.on("error", (error) => wire.end(`connection to '${path}': ${error.message}`));
	socket.on("close", () => wire.end(`the server at '${path}' has closed the connection`));
	return wire;
}
