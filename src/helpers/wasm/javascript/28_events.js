// SPDX-License-Identifier: Apache-2.0
// EventEmitter, Event, EventTarget and AbortController.
(function () {
	'use strict';
	const rt = globalThis.__runtime;
	const hide = rt.hide;

	function EventEmitter() { EventEmitter.init.call(this); }
	EventEmitter.init = function () {
		if (!this._events || this._events === Object.getPrototypeOf(this)._events) {
			this._events = Object.create(null);
			this._eventsCount = 0;
		}
		this._maxListeners = this._maxListeners || undefined;
	};
	const checkListener = (listener) => {
		if (typeof listener !== 'function') throw rt.invalidArgument('listener', 'of type function', listener);
	};
	const listOf = (emitter, name) => emitter._events?.[name] ?? [];
	function add(emitter, name, listener, first) {
		checkListener(listener);
		if (!emitter._events) EventEmitter.init.call(emitter);
		if (emitter._events.newListener) emitter.emit('newListener', name, listener.listener ?? listener);
		const old = emitter._events[name];
		if (!old) emitter._eventsCount++;
		emitter._events[name] = old ? (first ? [listener, ...old] : [...old, listener]) : [listener];
		const limit = emitter._maxListeners ?? EventEmitter.defaultMaxListeners;
		if (limit > 0 && emitter._events[name].length === limit + 1 && !old.warned)
			globalThis.process.emitWarning(`Possible EventEmitter memory leak detected. ${limit + 1} ${String(name)} listeners added to [${emitter.constructor.name}]. Use emitter.setMaxListeners() to increase limit`, 'MaxListenersExceededWarning');
		return emitter;
	}
	function onceWrapper(emitter, name, listener) {
		checkListener(listener);
		const wrapper = function (...args) {
			emitter.removeListener(name, wrapper);
			return listener.apply(emitter, args);
		};
		wrapper.listener = listener;
		return wrapper;
	}
	function unhandled(args) {
		const error = args[0];
		if (error instanceof Error) throw error;
		const made = rt.codedError(Error, 'ERR_UNHANDLED_ERROR', `Unhandled error. (${typeof error === 'string' ? `'${error}'` : rt.inspect(error)})`);
		made.context = error;
		throw made;
	}
	const methods = {
		on(name, listener) { return add(this, name, listener, false); },
		prependListener(name, listener) { return add(this, name, listener, true); },
		once(name, listener) { return add(this, name, onceWrapper(this, name, listener), false); },
		prependOnceListener(name, listener) { return add(this, name, onceWrapper(this, name, listener), true); },
		off(name, listener) {
			checkListener(listener);
			const list = listOf(this, name);
			const at = list.findLastIndex((item) => item === listener || item.listener === listener);
			if (at < 0) return this;
			if (list.length === 1) {
				delete this._events[name];
				this._eventsCount--;
			} else this._events[name] = list.toSpliced(at, 1);
			if (this._events.removeListener) this.emit('removeListener', name, listener);
			return this;
		},
		removeAllListeners(name) {
			if (this._events?.removeListener && name !== 'removeListener') {
				for (const one of name === undefined ? this.eventNames() : [name])
					if (one !== 'removeListener') for (const listener of [...listOf(this, one)].reverse()) this.off(one, listener.listener ?? listener);
				if (name !== undefined) return this;
			}
			if (name === undefined) {
				this._events = Object.create(null);
				this._eventsCount = 0;
			} else if (this._events?.[name]) {
				delete this._events[name];
				this._eventsCount--;
			}
			return this;
		},
		emit(name, ...args) {
			const list = listOf(this, name);
			if (list.length === 0) {
				if (name === 'error') unhandled(args);
				return false;
			}
			// The list is replaced on a change, so this walk sees it as it was.
			for (const listener of list) listener.apply(this, args);
			return true;
		},
		listenerCount(name, listener) { return listener ? listOf(this, name).filter((item) => item === listener || item.listener === listener).length : listOf(this, name).length; },
		listeners(name) { return listOf(this, name).map((item) => item.listener ?? item); },
		rawListeners(name) { return [...listOf(this, name)]; },
		eventNames() { return this._events ? Reflect.ownKeys(this._events) : []; },
		setMaxListeners(limit) { this._maxListeners = limit; return this; },
		getMaxListeners() { return this._maxListeners ?? EventEmitter.defaultMaxListeners; },
	};
	Object.assign(EventEmitter.prototype, methods);
	EventEmitter.prototype.addListener = EventEmitter.prototype.on;
	EventEmitter.prototype.removeListener = EventEmitter.prototype.off;
	EventEmitter.prototype._events = undefined;
	EventEmitter.prototype._eventsCount = 0;
	EventEmitter.prototype._maxListeners = undefined;
	EventEmitter.defaultMaxListeners = 10;
	EventEmitter.EventEmitter = EventEmitter;
	EventEmitter.errorMonitor = Symbol('events.errorMonitor');
	EventEmitter.captureRejectionSymbol = Symbol.for('nodejs.rejection');
	EventEmitter.listenerCount = (emitter, name) => emitter.listenerCount(name);
	EventEmitter.setMaxListeners = (limit, ...emitters) => { for (const emitter of emitters) emitter.setMaxListeners?.(limit); };
	EventEmitter.getEventListeners = (emitter, name) => emitter.listeners(name);
	EventEmitter.once = function once(emitter, name, options) {
		return new Promise((resolve, reject) => {
			const signal = options?.signal;
			if (signal?.aborted) return reject(rt.abortError(signal.reason));
			if (typeof emitter.addEventListener === 'function') return emitter.addEventListener(name, (event) => resolve([event]), { once: true });
			const fail = (error) => { emitter.removeListener(name, done); reject(error); };
			const done = (...args) => { emitter.removeListener('error', fail); resolve(args); };
			emitter.once(name, done);
			if (name !== 'error') emitter.once('error', fail);
			signal?.addEventListener('abort', () => { emitter.removeListener(name, done); emitter.removeListener('error', fail); reject(rt.abortError(signal.reason)); }, { once: true });
		});
	};
	EventEmitter.on = function on(emitter, name, options) {
		const ready = [], waiting = [];
		let failure = null, ended = false;
		const push = (...args) => waiting.length ? waiting.shift().resolve({ value: args, done: false }) : ready.push(args);
		const fail = (error) => { if (waiting.length) waiting.shift().reject(error); else failure = error; };
		emitter.on(name, push);
		if (name !== 'error') emitter.on('error', fail);
		const iterator = {
			next() {
				if (ready.length) return Promise.resolve({ value: ready.shift(), done: false });
				if (failure) { const error = failure; failure = null; return Promise.reject(error); }
				if (ended) return Promise.resolve({ value: undefined, done: true });
				return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
			},
			return() {
				ended = true;
				emitter.removeListener(name, push);
				emitter.removeListener('error', fail);
				for (const { resolve } of waiting.splice(0)) resolve({ value: undefined, done: true });
				return Promise.resolve({ value: undefined, done: true });
			},
			throw: (error) => { fail(error); return iterator.return(); },
			[Symbol.asyncIterator]() { return this; },
		};
		for (const end of options?.close ?? []) emitter.on(end, () => iterator.return());
		options?.signal?.addEventListener('abort', () => fail(rt.abortError(options.signal.reason)), { once: true });
		return iterator;
	};
	rt.EventEmitter = EventEmitter;

	// --- the ones of the web ---

	const secret = Symbol('event');
	class Event {
		constructor(type, options = {}) {
			if (arguments.length === 0) throw rt.codedError(TypeError, 'ERR_MISSING_ARGS', 'The "type" argument must be specified');
			hide(this, secret, { type: String(type), bubbles: Boolean(options?.bubbles), cancelable: Boolean(options?.cancelable), composed: Boolean(options?.composed),
				prevented: false, stopped: false, target: null, current: null, time: rt.sinceStart() });
		}
		get type() { return this[secret].type; }
		get bubbles() { return this[secret].bubbles; }
		get cancelable() { return this[secret].cancelable; }
		get composed() { return this[secret].composed; }
		get defaultPrevented() { return this[secret].prevented; }
		get target() { return this[secret].target; }
		get srcElement() { return this[secret].target; }
		get currentTarget() { return this[secret].current; }
		get timeStamp() { return this[secret].time; }
		get isTrusted() { return false; }
		get eventPhase() { return this[secret].current ? 2 : 0; }
		get returnValue() { return !this.defaultPrevented; }
		composedPath() { return this[secret].current ? [this[secret].current] : []; }
		preventDefault() { if (this.cancelable) this[secret].prevented = true; }
		stopPropagation() {}
		stopImmediatePropagation() { this[secret].stopped = true; }
	}
	class CustomEvent extends Event {
		#detail;
		constructor(type, options = {}) {
			super(type, options);
			this.#detail = options?.detail ?? null;
		}
		get detail() { return this.#detail; }
	}
	class EventTarget {
		#listeners = new Map();
		addEventListener(type, listener, options) {
			if (!listener) return;
			const o = typeof options === 'boolean' ? { capture: options } : options ?? {};
			if (o.signal?.aborted) return;
			const list = this.#listeners.get(String(type)) ?? [];
			if (list.some((entry) => entry.listener === listener)) return;
			this.#listeners.set(String(type), [...list, { listener, once: Boolean(o.once) }]);
			o.signal?.addEventListener('abort', () => this.removeEventListener(type, listener), { once: true });
		}
		removeEventListener(type, listener) {
			this.#listeners.set(String(type), (this.#listeners.get(String(type)) ?? []).filter((entry) => entry.listener !== listener));
		}
		dispatchEvent(event) {
			if (!(event instanceof Event)) throw rt.invalidArgument('event', 'an instance of Event', event);
			const state = event[secret];
			state.target = state.current = this;
			for (const entry of this.#listeners.get(event.type) ?? []) {
				if (entry.once) this.removeEventListener(event.type, entry.listener);
				try {
					if (typeof entry.listener === 'function') entry.listener.call(this, event);
					else entry.listener.handleEvent(event);
				} catch (error) {
					globalThis.process.nextTick(() => { throw error; });
				}
				if (state.stopped) break;
			}
			state.current = null;
			return !event.defaultPrevented;
		}
	}
	rt.abortError = (cause) => {
		const error = rt.codedError(Error, 'ABORT_ERR', 'The operation was aborted');
		hide(error, 'stack', error.stack.replace(/^Error \[ABORT_ERR\]/, 'AbortError'));
		error.name = 'AbortError';
		if (cause !== undefined) hide(error, 'cause', cause);
		return error;
	};
	const make = Symbol('make');
	class AbortSignal extends EventTarget {
		#aborted = false; #reason = undefined;
		onabort = null;
		constructor(key) {
			if (key !== make) throw rt.codedError(TypeError, 'ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
			super();
			hide(this, 'onabort', null);
			hide(this, make, (reason) => {
				if (this.#aborted) return;
				this.#aborted = true;
				this.#reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
				const event = new Event('abort');
				this.onabort?.(event);
				this.dispatchEvent(event);
			});
		}
		get aborted() { return this.#aborted; }
		get reason() { return this.#reason; }
		throwIfAborted() { if (this.#aborted) throw this.#reason; }
		static abort(reason) { const signal = new AbortSignal(make); signal[make](reason); return signal; }
		static timeout(delay) {
			const signal = new AbortSignal(make);
			globalThis.setTimeout(() => signal[make](new DOMException('The operation was aborted due to timeout', 'TimeoutError')), delay).unref();
			return signal;
		}
		static any(signals) {
			const signal = new AbortSignal(make);
			for (const other of signals) {
				if (other.aborted) signal[make](other.reason);
				else other.addEventListener('abort', () => signal[make](other.reason), { once: true });
			}
			return signal;
		}
		[Symbol.for('nodejs.util.inspect.custom')](depth, options) { return `AbortSignal ${rt.inspect({ aborted: this.aborted }, options)}`; }
	}
	class AbortController {
		#signal = new AbortSignal(make);
		get signal() { return this.#signal; }
		abort(reason) { this.#signal[make](reason); }
		[Symbol.for('nodejs.util.inspect.custom')](depth, options) { return `AbortController ${rt.inspect({ signal: this.signal }, options)}`; }
	}
	for (const Type of [Event, CustomEvent, EventTarget, AbortSignal, AbortController]) rt.global(Type.name, Type);
})();
