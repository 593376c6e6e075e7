// SPDX-License-Identifier: Apache-2.0
// Data connections: the bytes of a file beside the messages, as they are.
import { randomBytes } from "node:crypto";
import { closeSync, constants, openSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { basename, dirname } from "node:path";

/** Longer paths do not fit into the address of a socket. */
const LONGEST = 100;
const TOKEN_BYTES = 16;

/** One connection, for one call, which names its token. */
export class Data {
	private readonly pieces: Buffer[] = [];
	private readonly ended: Promise<void>;

	private constructor(
		readonly token: string,
		private readonly socket: Socket,
	) {
		socket.on("data", (piece: Buffer) => this.pieces.push(piece));
		socket.on("error", () => undefined); // the answer to the call tells why
		this.ended = new Promise((resolve) => socket.once("close", () => resolve()));
	}

	/** The server at PATH has heard its token when this is done; undefined: there is no way to it from here. */
	static async open(path: string): Promise<Data | undefined> {
		const token = randomBytes(TOKEN_BYTES).toString("hex");
		const long = Buffer.byteLength(path) > LONGEST;
		let directory = -1;
		try {
			if (long) directory = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
			const socket = connect(long ? `/proc/self/fd/${directory}/${basename(path)}` : path);
			await new Promise<void>((resolve, reject) => {
				socket.once("error", reject);
				socket.write(`${token}\n`, (error) => (error ? reject(error) : resolve()));
			});
			socket.removeAllListeners("error");
			return new Data(token, socket);
		} catch {
			return undefined;
		} finally {
			if (directory >= 0) closeSync(directory);
		}
	}

	/** All that comes, to its end; that it is whole is told by the answer to the call. */
	async receive(): Promise<Buffer> {
		await this.ended;
		return Buffer.concat(this.pieces);
	}

	/** Nobody takes it when the call has failed: then its answer says why. */
	send(bytes: Uint8Array): void {
		this.socket.write(bytes);
	}

	close(): void {
		this.socket.destroy();
	}
}
