// SPDX-License-Identifier: Apache-2.0
// readline and a small part of stream: enough to read lines and to pass pieces
// through a pipeline, without the fine points of flow control.
(function () {
	'use strict';
	const rt = globalThis.__runtime;
	const EventEmitter = rt.EventEmitter;
	const later = (callback) => globalThis.process.nextTick(callback);

	class Stream extends EventEmitter {}
	class Readable extends Stream {
		constructor(options = {}) {
			super();
			this.readable = true;
			this.destroyed = false;
			this.readableFlowing = null;
			this.readableEnded = false;
			rt.hide(this, 'state', { parts: [], ended: false, objects: Boolean(options.objectMode || options.readableObjectMode), busy: false, decoder: null, scheduled: false });
			if (options.read) this._read = options.read;
			if (options.destroy) this._destroy = options.destroy;
			if (options.encoding) this.setEncoding(options.encoding);
		}
		static from(source, options) {
			const iterator = typeof source === 'string' || source instanceof Uint8Array ? [source][Symbol.iterator]() : (source[Symbol.asyncIterator] ?? source[Symbol.iterator]).call(source);
			return new Readable({ objectMode: true, ...options, async read() {
				try {
					const { value, done } = await iterator.next();
					this.push(done ? null : await value);
				} catch (error) {
					this.destroy(error);
				}
			} });
		}
		_read() {}
		setEncoding(name) { this.state.decoder = new rt.stringDecoder.StringDecoder(name); return this; }
		push(part, encoding) {
			const state = this.state;
			state.busy = false;
			if (part === null) {
				const rest = state.decoder?.end();
				if (rest) state.parts.push(rest);
				state.ended = true;
			} else if (state.objects) state.parts.push(part);
			else {
				const bytes = typeof part === 'string' ? Buffer.from(part, encoding) : Buffer.from(part);
				state.parts.push(state.decoder ? state.decoder.write(bytes) : bytes);
			}
			this._schedule();
			return state.parts.length < 16;
		}
		_schedule() {
			if (this.state.scheduled || this.destroyed) return;
			this.state.scheduled = true;
			later(() => { this.state.scheduled = false; this._flow(); });
		}
		_flow() {
			const state = this.state;
			if (this.destroyed) return;
			if (this.readableFlowing) while (state.parts.length && this.readableFlowing) this.emit('data', state.parts.shift());
			else if (this.listenerCount('readable') && (state.parts.length || state.ended)) this.emit('readable');
			if (state.ended) {
				if (state.parts.length === 0 && !this.readableEnded && (this.readableFlowing || this.listenerCount('readable'))) {
					this.readableEnded = true;
					this.readable = false;
					this.emit('end');
					if (!this.writable) later(() => this.destroy());
				}
			} else if (!state.busy && state.parts.length < 16 && (this.readableFlowing || this.listenerCount('readable'))) {
				state.busy = true;
				this._read(16384);
			}
		}
		on(name, listener) {
			super.on(name, listener);
			if (name === 'data' && this.readableFlowing !== false) this.resume();
			if (name === 'readable') this._schedule();
			return this;
		}
		addListener(name, listener) { return this.on(name, listener); }
		resume() { this.readableFlowing = true; this._schedule(); return this; }
		pause() { this.readableFlowing = false; return this; }
		isPaused() { return this.readableFlowing === false; }
		read() {
			const state = this.state;
			if (state.parts.length === 0) {
				this._schedule();
				return null;
			}
			const part = state.objects ? state.parts.shift() : state.decoder ? state.parts.splice(0).join('') : Buffer.concat(state.parts.splice(0));
			this._schedule();
			return part;
		}
		pipe(target, options) {
			this.on('data', (part) => {
				if (target.write(part) === false && target.once) {
					this.pause();
					target.once('drain', () => this.resume());
				}
			});
			if (options?.end !== false && target !== globalThis.process.stdout && target !== globalThis.process.stderr) this.on('end', () => target.end());
			target.emit?.('pipe', this);
			return target;
		}
		destroy(error) {
			if (this.destroyed) return this;
			this.destroyed = true;
			const done = (problem) => later(() => {
				if (problem) this.emit('error', problem);
				this.emit('close');
			});
			if (this._destroy) this._destroy(error ?? null, done);
			else done(error);
			return this;
		}
		async *[Symbol.asyncIterator]() {
			const ready = [];
			let wake = null, over = false, failure = null;
			const call = () => { wake?.(); wake = null; };
			this.on('end', () => { over = true; call(); });
			this.on('error', (error) => { failure = error; over = true; call(); });
			this.on('close', () => { over = true; call(); });
			this.on('data', (part) => { ready.push(part); call(); });
			try {
				for (;;) {
					if (ready.length) { yield ready.shift(); continue; }
					if (failure) throw failure;
					if (over) return;
					await new Promise((resolve) => { wake = resolve; });
				}
			} finally {
				this.destroy();
			}
		}
		map(change) { const source = this; return Readable.from((async function* () { for await (const part of source) yield change(part); })()); }
		filter(test) { const source = this; return Readable.from((async function* () { for await (const part of source) if (await test(part)) yield part; })()); }
		take(count) { const source = this; return Readable.from((async function* () { let left = count; if (left > 0) for await (const part of source) { yield part; if (--left <= 0) return; } })()); }
		async toArray() { const all = []; for await (const part of this) all.push(part); return all; }
		async forEach(callback) { for await (const part of this) await callback(part); }
		async reduce(callback, start) {
			let value = start, first = arguments.length < 2;
			for await (const part of this) value = first ? part : await callback(value, part), first = false;
			return value;
		}
	}

	// The half that is written to; Writable and Duplex share it.
	const writing = {
		_startWriting(options) {
			this.writable = true;
			this.writableEnded = false;
			this.writableFinished = false;
			rt.hide(this, 'queue', { items: [], busy: false, size: 0, objects: Boolean(options.objectMode || options.writableObjectMode), limit: options.writableHighWaterMark ?? options.highWaterMark ?? (options.objectMode ? 16 : 16384), keepText: options.decodeStrings === false, full: false });
			if (options.write) this._write = options.write;
			if (options.writev) this._writev = options.writev;
			if (options.final) this._final = options.final;
		},
		write(part, encoding, callback) {
			if (typeof encoding === 'function') [encoding, callback] = [undefined, encoding];
			const queue = this.queue;
			if (part === null) throw rt.codedError(TypeError, 'ERR_STREAM_NULL_VALUES', 'May not write null values to stream');
			if (!queue.objects && typeof part !== 'string' && !(part instanceof Uint8Array)) throw rt.invalidArgument('chunk', 'of type string or an instance of Buffer or Uint8Array', part);
			if (this.writableEnded) {
				const error = rt.codedError(Error, 'ERR_STREAM_WRITE_AFTER_END', 'write after end');
				later(() => { callback?.(error); this.destroy(error); });
				return false;
			}
			const item = !queue.objects && typeof part === 'string' && !queue.keepText ? Buffer.from(part, encoding) : part;
			const size = queue.objects ? 1 : item.length;
			queue.size += size;
			queue.items.push({ item, encoding: typeof item === 'string' ? encoding ?? 'utf8' : 'buffer', callback, size });
			const below = queue.size < queue.limit;
			if (!below) queue.full = true;
			this._drain();
			return below;
		},
		_drain() {
			const queue = this.queue;
			if (queue.busy) return;
			const next = queue.items.shift();
			if (!next) {
				if (this.writableEnded && !this.writableFinished && !queue.finishing) {
					queue.finishing = true;
					const finish = (error) => {
						if (error) return this.destroy(error);
						later(() => {
							this.writableFinished = true;
							this.emit('finish');
							if (!this.readable) this.destroy();
						});
					};
					later(() => this._final ? this._final(finish) : finish());
				}
				return;
			}
			queue.busy = true;
			let inside = true;
			this._write(next.item, next.encoding, (error) => {
				const rest = () => {
					queue.busy = false;
					queue.size -= next.size;
					if (error) {
						next.callback?.(error);
						return this.destroy(error);
					}
					// As in node, the next piece is on its way before this one is reported.
					if (queue.items.length) this._drain();
					next.callback?.(null);
					if (queue.full && queue.size === 0) {
						queue.full = false;
						if (!this.writableEnded) this.emit('drain');
					}
					this._drain();
				};
				if (inside) later(rest);
				else rest();
			});
			inside = false;
		},
		end(part, encoding, callback) {
			if (typeof part === 'function') [part, callback] = [undefined, part];
			if (typeof encoding === 'function') [encoding, callback] = [undefined, encoding];
			if (part !== undefined && part !== null) this.write(part, encoding);
			if (callback) this.once('finish', callback);
			this.writableEnded = true;
			this.writable = false;
			this._drain();
			return this;
		},
		cork() {},
		uncork() {},
		setDefaultEncoding() { return this; },
	};
	class Writable extends Stream {
		constructor(options = {}) {
			super();
			this.destroyed = false;
			this._startWriting(options);
			if (options.destroy) this._destroy = options.destroy;
		}
	}
	for (const name of Object.keys(writing)) rt.hide(Writable.prototype, name, writing[name]);
	rt.hide(Writable.prototype, 'destroy', Readable.prototype.destroy);
	class Duplex extends Readable {
		constructor(options = {}) {
			super(options);
			this._startWriting(options);
		}
	}
	for (const name of Object.keys(writing)) rt.hide(Duplex.prototype, name, writing[name]);
	class Transform extends Duplex {
		constructor(options = {}) {
			super(options);
			if (options.transform) this._transform = options.transform;
			if (options.flush) this._flush = options.flush;
		}
		_write(part, encoding, callback) {
			this._transform(part, encoding, (error, result) => {
				if (result !== undefined && result !== null) this.push(result);
				callback(error);
			});
		}
		_final(callback) {
			const end = (error, result) => {
				if (result !== undefined && result !== null) this.push(result);
				this.push(null);
				callback(error);
			};
			if (this._flush) this._flush(end);
			else end();
		}
	}
	class PassThrough extends Transform { _transform(part, encoding, callback) { callback(null, part); } }

	function finished(stream, options, callback) {
		const done = typeof options === 'function' ? options : callback;
		let told = false;
		const tell = (error) => { if (!told) { told = true; done(error); } };
		stream.on('error', tell);
		stream.on('end', () => { if (!stream.writable || stream.writableFinished) tell(); });
		stream.on('finish', () => { if (!stream.readable || stream.readableEnded) tell(); });
		return () => { told = true; };
	}
	const isStream = (value) => typeof value?.on === 'function';
	async function runPipeline(stages) {
		let at = stages[0];
		if (typeof at === 'function') at = at();
		for (const stage of stages.slice(1)) {
			if (typeof stage === 'function') { at = stage(at); continue; }
			const from = at;
			const source = isStream(from) ? from : Readable.from(from);
			source.on('error', (error) => stage.destroy(error));
			source.pipe(stage);
			at = stage;
		}
		if (!isStream(at)) return at && typeof at[Symbol.asyncIterator] === 'function' ? undefined : await at;
		if (at === globalThis.process.stdout || at === globalThis.process.stderr) return new Promise((resolve) => stages[stages.length - 2].on('end', resolve));
		await new Promise((resolve, reject) => {
			for (const stage of stages) if (isStream(stage)) stage.on('error', (error) => { for (const other of stages) if (isStream(other)) other.destroy?.(); reject(error); });
			at.on('finish', resolve);
			if (!at.write) at.on('end', resolve);
		});
	}
	function pipeline(...stages) {
		const callback = typeof stages.at(-1) === 'function' && !isStream(stages.at(-1)) ? stages.pop() : () => {};
		runPipeline(stages.flat()).then((value) => later(() => callback(undefined, value)), (error) => later(() => callback(error)));
		return stages.at(-1);
	}
	const promises = { pipeline: (...stages) => runPipeline(stages.flat().filter((stage) => isStream(stage) || typeof stage === 'function' || stage[Symbol.asyncIterator] || stage[Symbol.iterator])),
		finished: (stream) => new Promise((resolve, reject) => finished(stream, (error) => error ? reject(error) : resolve())) };
	rt.hide(pipeline, Symbol.for('nodejs.util.promisify.custom'), promises.pipeline);
	rt.hide(finished, Symbol.for('nodejs.util.promisify.custom'), promises.finished);
	Object.assign(Stream, { Stream, Readable, Writable, Duplex, Transform, PassThrough, pipeline, finished, promises });
	rt.stream = Stream;
	const collect = async (stream) => { const all = []; for await (const part of stream) all.push(typeof part === 'string' ? Buffer.from(part) : part); return Buffer.concat(all); };
	rt.streamConsumers = { buffer: collect, text: async (stream) => (await collect(stream)).toString(), json: async (stream) => JSON.parse((await collect(stream)).toString()) };

	rt.fs.createReadStream = function createReadStream(path, options) {
		const o = typeof options === 'string' ? { encoding: options } : options ?? {};
		let at = o.start ?? 0, all = null;
		const stream = new Readable({ encoding: o.encoding, read() {
			rt.finish(() => {
				try {
					all ??= rt.fs.readFileSync(path).subarray(0, o.end === undefined ? undefined : o.end + 1);
				} catch (error) {
					return this.destroy(error);
				}
				if (at >= all.length) return this.push(null);
				const part = all.subarray(at, at + (o.highWaterMark ?? 65536));
				at += part.length;
				this.bytesRead = at;
				this.push(part);
			});
		} });
		stream.path = path;
		return stream;
	};
	rt.fs.createWriteStream = function createWriteStream(path, options) {
		const o = typeof options === 'string' ? { encoding: options } : options ?? {};
		const stream = new Writable({ highWaterMark: o.highWaterMark, write(part, encoding, callback) {
			rt.finish(() => {
				try {
					rt.fs.appendFileSync(path, part);
					this.bytesWritten += part.length;
					callback();
				} catch (error) {
					callback(error);
				}
			});
		} });
		stream.path = path;
		stream.bytesWritten = 0;
		try {
			if (!/^a/.test(o.flags ?? 'w')) rt.fs.writeFileSync(path, '', { flag: o.flags ?? 'w' });
		} catch (error) {
			stream.destroy(error);
		}
		return stream;
	};

	// --- readline ---

	class Interface extends EventEmitter {
		#rest = ''; #lines = []; #waiting = []; #ended = false; #question = null; #prompt;
		constructor(options, output) {
			super();
			const o = typeof options.on === 'function' ? { input: options, output } : options;
			this.input = o.input;
			this.output = o.output;
			this.#prompt = o.prompt ?? '> ';
			this.terminal = false;
			this.closed = false;
			this.line = '';
			const decoder = new rt.stringDecoder.StringDecoder('utf8');
			o.input.on('data', (part) => this.#feed(typeof part === 'string' ? part : decoder.write(part)));
			o.input.on('end', () => {
				if (this.#rest) this.#give(this.#rest);
				this.#rest = '';
				this.#ended = true;
				if (!this.#iterated || this.#lines.length === 0) this.close();
			});
			o.signal?.addEventListener('abort', () => this.close(), { once: true });
		}
		#iterated = false;
		#feed(text) {
			const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
			this.#rest = lines.pop();
			for (const line of lines) this.#give(line);
		}
		#give(line) {
			if (this.closed && !this.#iterated) return;
			if (this.#question) {
				const answer = this.#question;
				this.#question = null;
				return answer(line);
			}
			this.emit('line', line);
		}
		setPrompt(text) { this.#prompt = text; }
		getPrompt() { return this.#prompt; }
		prompt() { this.output?.write(this.#prompt); }
		question(text, options, callback) {
			if (this.closed) throw rt.codedError(Error, 'ERR_USE_AFTER_CLOSE', 'readline was closed');
			this.output?.write(text);
			this.#question = typeof options === 'function' ? options : callback;
		}
		write() {}
		pause() { this.input.pause(); this.emit('pause'); return this; }
		resume() { this.input.resume(); this.emit('resume'); return this; }
		close() {
			if (this.closed) return;
			this.closed = true;
			this.input.pause?.();
			this.emit('close');
		}
		[Symbol.asyncIterator]() {
			const lines = [], waiting = [];
			let over = this.closed;
			this.on('line', (line) => waiting.length ? waiting.shift()({ value: line, done: false }) : lines.push(line));
			this.on('close', () => { over = true; for (const resolve of waiting.splice(0)) resolve({ value: undefined, done: true }); });
			return {
				next: () => lines.length ? Promise.resolve({ value: lines.shift(), done: false }) : over ? Promise.resolve({ value: undefined, done: true }) : new Promise((resolve) => waiting.push(resolve)),
				return: () => { over = true; this.close(); return Promise.resolve({ value: undefined, done: true }); },
				[Symbol.asyncIterator]() { return this; },
			};
		}
	}
	const cursor = { clearLine: () => true, cursorTo: () => true, moveCursor: () => true, clearScreenDown: () => true, emitKeypressEvents() {} };
	class PromisedInterface extends Interface {
		question(text) { return new Promise((resolve) => super.question(text, resolve)); }
	}
	Object.defineProperty(PromisedInterface, 'name', { value: 'Interface' });
	rt.hide(Interface.prototype.question, Symbol.for('nodejs.util.promisify.custom'), function (text) { return new Promise((resolve) => this.question(text, resolve)); });
	rt.readlinePromises = { Interface: PromisedInterface, createInterface: (options, output) => new PromisedInterface(options, output) };
	rt.readline = { Interface, createInterface: (options, output) => new Interface(options, output), ...cursor, promises: rt.readlinePromises };
})();
