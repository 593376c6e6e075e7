// SPDX-License-Identifier: Apache-2.0
// The event loop: nextTick, finished work, timers and immediates. The host runs
// promise jobs to the end after each call of __tick.
(function () {
	'use strict';
	const rt = globalThis.__runtime;
	const process = globalThis.process;
	let ticks = [];
	let finished = [];
	let immediates = [];
	let timers = [];
	let order = 0;
	// The loop's own time, which stands still while callbacks run, as in libuv.
	let now = 0;

	const checkCallback = (callback) => {
		if (typeof callback !== 'function') throw rt.invalidArgument('callback', 'of type function', callback);
	};
	process.nextTick = function nextTick(callback, ...args) {
		checkCallback(callback);
		ticks.push([callback, args]);
	};
	// Work which the host has done already, whose callback waits for its turn.
	rt.finish = (callback) => { finished.push(callback); };

	class Timeout {
		#primitive;
		constructor(callback, delay, args, repeat) {
			const ms = Number(delay);
			this._idleTimeout = ms >= 1 && ms <= 2 ** 31 - 1 ? Math.trunc(ms) : 1;
			if (ms > 2 ** 31 - 1) process.emitWarning(`${ms} does not fit into a 32-bit signed integer.\nTimeout duration was set to 1.`, 'TimeoutOverflowWarning');
			this._onTimeout = callback;
			this._repeat = repeat ? this._idleTimeout : null;
			this._destroyed = false;
			rt.hide(this, 'args', args);
			rt.hide(this, 'held', true);
			rt.hide(this, 'id', ++order);
			this.#start();
		}
		#start() {
			rt.hide(this, 'due', Math.trunc(rt.sinceStart()) + this._idleTimeout);
			rt.hide(this, 'turn', ++order);
			insert(this);
		}
		_again() { this.#start(); }
		ref() { this.held = true; return this; }
		unref() { this.held = false; return this; }
		hasRef() { return this.held; }
		refresh() { remove(this); this._destroyed = false; this.#start(); return this; }
		close() { clear(this); return this; }
		[Symbol.toPrimitive]() { known.set(this.id, this); return this.id; }
	}
	const known = new Map();
	class Immediate {
		constructor(callback, args) {
			this._onImmediate = callback;
			rt.hide(this, 'args', args);
			rt.hide(this, 'held', true);
		}
		ref() { this.held = true; return this; }
		unref() { this.held = false; return this; }
		hasRef() { return this.held; }
	}
	// The list is sorted by time and then by turn, so that the first is the next.
	function insert(timer) {
		let low = 0, high = timers.length;
		while (low < high) {
			const middle = low + high >> 1;
			if (timers[middle].due <= timer.due) low = middle + 1;
			else high = middle;
		}
		timers.splice(low, 0, timer);
	}
	function remove(timer) {
		const at = timers.indexOf(timer);
		if (at >= 0) timers.splice(at, 1);
	}
	function clear(timer) {
		if (typeof timer === 'number' || typeof timer === 'string') timer = known.get(Number(timer));
		if (timer instanceof Immediate) {
			timer._onImmediate = null;
			return;
		}
		if (!(timer instanceof Timeout)) return;
		timer._destroyed = true;
		remove(timer);
	}

	const functions = {
		setTimeout(callback, delay, ...args) { checkCallback(callback); return new Timeout(callback, delay, args, false); },
		setInterval(callback, delay, ...args) { checkCallback(callback); return new Timeout(callback, delay, args, true); },
		setImmediate(callback, ...args) {
			checkCallback(callback);
			const immediate = new Immediate(callback, args);
			immediates.push(immediate);
			return immediate;
		},
		clearTimeout(timer) { clear(timer); },
		clearInterval(timer) { clear(timer); },
		clearImmediate(immediate) { clear(immediate); },
	};
	for (const name of Object.keys(functions)) rt.global(name, functions[name]);

	const waits = {
		setTimeout: (delay, value, options) => wait((done) => functions.setTimeout(done, delay), functions.clearTimeout, value, options),
		setImmediate: (value, options) => wait((done) => functions.setImmediate(done), functions.clearImmediate, value, options),
		async *setInterval(delay, value) {
			for (;;) {
				await waits.setTimeout(delay);
				yield value;
			}
		},
		scheduler: { wait: (delay) => waits.setTimeout(delay), yield: () => waits.setImmediate() },
	};
	function wait(start, stop, value, options) {
		return new Promise((resolve, reject) => {
			const signal = options?.signal;
			if (signal?.aborted) return reject(rt.abortError(signal.reason));
			const timer = start(() => resolve(value));
			if (options?.ref === false) timer.unref();
			signal?.addEventListener('abort', () => {
				stop(timer);
				reject(rt.abortError(signal.reason));
			}, { once: true });
		});
	}
	const custom = Symbol.for('nodejs.util.promisify.custom');
	rt.hide(functions.setTimeout, custom, waits.setTimeout);
	rt.hide(functions.setImmediate, custom, waits.setImmediate);
	rt.timers = { ...functions, promises: waits };
	rt.timersPromises = waits;

	rt.guard = function (callback, ...args) {
		try {
			callback(...args);
		} catch (error) {
			rt.uncaught(error, 'uncaughtException');
		}
	};
	rt.runTicks = function () {
		while (ticks.length) {
			const [callback, args] = ticks.shift();
			rt.guard(callback, ...args);
		}
	};

	function fire(timer) {
		if (timer._repeat === null) timer._destroyed = true;
		rt.guard(() => timer._onTimeout.apply(timer, timer.args));
		if (timer._repeat !== null && !timer._destroyed) {
			// The next period begins when the callback is over.
			now = Math.max(now, Math.trunc(rt.sinceStart()));
			timer._again();
		}
	}

	// One round is: due timers, finished work, immediates. `round` holds what is left of it.
	let round = [];
	function addImmediates() {
		for (const immediate of immediates.splice(0)) round.push(() => {
			if (immediate._onImmediate) rt.guard(() => immediate._onImmediate(...immediate.args));
			return false;
		});
		return false;
	}
	function addFinished() {
		for (const callback of finished.splice(0)) round.push(() => {
			rt.guard(callback);
			return false;
		});
		round.push(addImmediates);
	}
	function fill() {
		now = Math.max(now, Math.trunc(rt.sinceStart()));
		if (timers.length && timers[0].due <= now) round = [nextDue];
		else if (finished.length || immediates.length) addFinished();
	}
	// Fires one timer; says whether another of the same moment is due.
	function nextDue() {
		const timer = timers.shift();
		if (timer) fire(timer);
		if (timers.length && timers[0].due <= now) return true;
		// After the timers come the other two, even when new timers are due by then.
		addFinished();
		return false;
	}
	rt.step = function () {
		if (ticks.length) {
			rt.runTicks();
			return true;
		}
		rt.checkRejections();
		if (ticks.length) return true;
		if (round.length === 0) fill();
		if (round.length === 0) {
			if (!timers.some((timer) => timer.held)) return false;
			const left = timers[0].due - rt.sinceStart();
			if (left > 0) rt.host('sleep', Math.ceil(left));
			now = Math.max(now, timers[0].due);
			return true;
		}
		if (!round[0]()) round.shift();
		rt.runTicks();
		return true;
	};
})();
