// SPDX-License-Identifier: Apache-2.0
// What the engine itself lacks next to V8: Atomics (one thread, so plain
// accesses) and the names of the time zone in the text of a Date.
(function () {
	'use strict';
	const hide = (object, name, value) =>
		Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });

	function makeAtomics(host) {
		const atomics = {};
		const change = (name, next) => hide(atomics, name, { [name](array, index, value) {
			const old = array[index];
			array[index] = next(old, value);
			return old;
		} }[name]);
		change('add', (old, value) => old + value);
		change('sub', (old, value) => old - value);
		change('and', (old, value) => old & value);
		change('or', (old, value) => old | value);
		change('xor', (old, value) => old ^ value);
		change('exchange', (old, value) => value);
		hide(atomics, 'load', function load(array, index) { return array[index]; });
		hide(atomics, 'store', function store(array, index, value) { array[index] = value; return value; });
		hide(atomics, 'compareExchange', function compareExchange(array, index, expected, value) {
			const old = array[index];
			if (old === expected) array[index] = value;
			return old;
		});
		hide(atomics, 'isLockFree', function isLockFree(size) { return size === 1 || size === 2 || size === 4 || size === 8; });
		hide(atomics, 'notify', function notify() { return 0; });
		// Nobody else can wake the one thread, so a wait is a sleep.
		hide(atomics, 'wait', function wait(array, index, value, timeout = Infinity) {
			if (array[index] !== value) return 'not-equal';
			if (timeout === Infinity) throw new Error('Atomics.wait would wait for ever: there is one thread only');
			if (timeout > 0) host('sleep', timeout);
			return 'timed-out';
		});
		Object.defineProperty(atomics, Symbol.toStringTag, { value: 'Atomics', configurable: true });
		return atomics;
	}
	if (!globalThis.Atomics) hide(globalThis, 'Atomics', makeAtomics(globalThis.__host));

	const zone = (date) => date.getTimezoneOffset() === 0 ? ' (Coordinated Universal Time)' : '';
	for (const name of ['toString', 'toTimeString']) {
		const native = Date.prototype[name];
		hide(Date.prototype, name, { [name]() {
			const text = native.call(this);
			return text === 'Invalid Date' ? text : text.replace(/ \(.*\)$/, '') + zone(this);
		} }[name]);
	}
	// Date(...) called as a function is rare; what it prints stays the engine's.
})();
