// SPDX-License-Identifier: Apache-2.0
// Loads Node's own util.inspect (npm node-inspect-extracted 3.0.2, which is the one of Node 20, handed over by the
// host as the string __inspect_source) and tells it what the engine knows.
(function () {
	'use strict';

	// The one object the files of this runtime share. A program that looks for it finds it: all it can do with it is
	// what the host lets every program do.
	const rt = {};
	Object.defineProperty(globalThis, '__runtime', { value: rt, configurable: true });
	rt.host = globalThis.__host;
	delete globalThis.__host;

	const hide = (object, name, value) =>
		Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
	rt.hide = hide;
	rt.global = (name, value) => hide(globalThis, name, value);
	rt.lazy = function (object, name, make) {
		Object.defineProperty(object, name, {
			configurable: true,
			enumerable: true,
			get() {
				const value = make();
				Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: true });
				return value;
			},
			set(value) {
				Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: true });
			},
		});
	};

	// A proxy cannot be told from its target by a program, so the constructor remembers.
	const proxies = new WeakMap();
	const NativeProxy = Proxy;
	const RecordedProxy = function Proxy(target, handler) {
		if (!new.target) throw new TypeError("Constructor Proxy requires 'new'");
		const proxy = new NativeProxy(target, handler);
		proxies.set(proxy, [target, handler]);
		return proxy;
	};
	hide(RecordedProxy, 'revocable', function revocable(target, handler) {
		const pair = NativeProxy.revocable(target, handler);
		proxies.set(pair.proxy, [target, handler]);
		return { proxy: pair.proxy, revoke() { proxies.set(pair.proxy, [null, null]); pair.revoke(); } };
	});
	Object.defineProperty(RecordedProxy, 'prototype', { value: undefined });
	rt.global('Proxy', RecordedProxy);

	// An iterator cannot be looked into without using it up, so the maps and sets remember.
	const iterators = new WeakMap();
	function remember(prototype, name, kind) {
		const native = prototype[name];
		hide(prototype, name, { [name]() {
			const iterator = native.call(this);
			iterators.set(iterator, [this, kind]);
			return iterator;
		} }[name]);
	}
	for (const [prototype, value] of [[Map.prototype, 'values'], [Set.prototype, 'values']]) {
		remember(prototype, 'entries', 'entries');
		remember(prototype, value, 'values');
	}
	remember(Map.prototype, 'keys', 'keys');
	hide(Set.prototype, 'keys', Set.prototype.values);

	function entriesOf(iterator) {
		const [source, kind] = iterators.get(iterator) ?? [[], 'values'];
		const list = [];
		if (source instanceof Map)
			source.forEach((value, key) => kind === 'entries' ? list.push(key, value) : list.push(kind === 'keys' ? key : value));
		else
			source.forEach((value) => kind === 'entries' ? list.push(value, value) : list.push(value));
		return [list, kind === 'entries'];
	}

	function previewEntries(value, isIterator) {
		if (!isIterator) return [];
		return value instanceof Map || value instanceof Set ? [[...value].flat(), value instanceof Map] : entriesOf(value);
	}

	const tag = (value) => Object.prototype.toString.call(value);
	const isObject = (value) => value !== null && typeof value === 'object';
	const branded = (type, check) => function (value) {
		if (!isObject(value) || !(value instanceof type)) return false;
		try {
			check.call(value);
			return true;
		} catch {
			return false;
		}
	};
	const getter = (prototype, name) => Object.getOwnPropertyDescriptor(prototype, name).get;
	const typedTag = getter(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag);
	const source = (value) => Function.prototype.toString.call(value);
	const MapIterator = Object.getPrototypeOf(new Map()[Symbol.iterator]());
	const SetIterator = Object.getPrototypeOf(new Set()[Symbol.iterator]());
	const AsyncFunction = (async () => {}).constructor;
	const Generator = Object.getPrototypeOf(function* () {}.prototype);
	const AsyncGenerator = Object.getPrototypeOf(async function* () {}.prototype);

	const types = {
		isAsyncFunction: (value) => typeof value === 'function' && (value instanceof AsyncFunction || /^async\b/.test(source(value))),
		isGeneratorFunction: (value) => typeof value === 'function' && /^(async\s+)?(function\s*)?\*/.test(source(value)),
		isAnyArrayBuffer: (value) => value instanceof ArrayBuffer || value instanceof SharedArrayBuffer,
		isArrayBuffer: branded(ArrayBuffer, getter(ArrayBuffer.prototype, 'byteLength')),
		isSharedArrayBuffer: (value) => value instanceof SharedArrayBuffer,
		isArgumentsObject: (value) => isObject(value) && !(Symbol.toStringTag in value) && tag(value) === '[object Arguments]',
		isBoxedPrimitive: (value) => types.isNumberObject(value) || types.isStringObject(value) ||
			types.isBooleanObject(value) || types.isBigIntObject(value) || types.isSymbolObject(value),
		isNumberObject: branded(Number, Number.prototype.valueOf),
		isStringObject: branded(String, String.prototype.valueOf),
		isBooleanObject: branded(Boolean, Boolean.prototype.valueOf),
		isBigIntObject: branded(BigInt, BigInt.prototype.valueOf),
		isSymbolObject: branded(Symbol, Symbol.prototype.valueOf),
		isArrayBufferView: (value) => ArrayBuffer.isView(value),
		isDataView: (value) => ArrayBuffer.isView(value) && typedTag.call(value) === undefined,
		isTypedArray: (value) => ArrayBuffer.isView(value) && typedTag.call(value) !== undefined,
		isExternal: () => false,
		isMap: branded(Map, getter(Map.prototype, 'size')),
		isSet: branded(Set, getter(Set.prototype, 'size')),
		isWeakMap: (value) => value instanceof WeakMap,
		isWeakSet: (value) => value instanceof WeakSet,
		isMapIterator: (value) => isObject(value) && Object.getPrototypeOf(value) === MapIterator,
		isSetIterator: (value) => isObject(value) && Object.getPrototypeOf(value) === SetIterator,
		isGeneratorObject: (value) => isObject(value) && (Generator.isPrototypeOf(value) || AsyncGenerator.isPrototypeOf(value)),
		isModuleNamespaceObject: (value) => isObject(value) && Object.getPrototypeOf(value) === null && tag(value) === '[object Module]',
		isNativeError: (value) => Error.isError(value),
		isPromise: (value) => value instanceof Promise,
		isProxy: (value) => proxies.has(value),
		isRegExp: branded(RegExp, getter(RegExp.prototype, 'source')),
		isDate: branded(Date, Date.prototype.getTime),
	};
	for (const name of ['Int8', 'Uint8', 'Uint8Clamped', 'Int16', 'Uint16', 'Int32', 'Uint32', 'Float32', 'Float64', 'BigInt64', 'BigUint64'])
		types[`is${name}Array`] = (value) => ArrayBuffer.isView(value) && typedTag.call(value) === `${name}Array`;
	rt.types = types;

	function constructorName(object) {
		for (let at = object; at; at = Object.getPrototypeOf(at)) {
			const found = Object.getOwnPropertyDescriptor(at, 'constructor');
			if (found && typeof found.value === 'function' && found.value.name !== '') return found.value.name;
		}
		return tag(object).slice(8, -1);
	}

	function getPromiseDetails(promise) {
		const state = rt.host('promise.state', promise);
		// A host that cannot look leaves every promise pending.
		if (!(state > 0)) return [0, undefined];
		return [state, rt.host('promise.result', promise)];
	}

	// Only an index below 2^32 - 1 is part of an array's list; the rest are properties.
	function getOwnNonIndexProperties(object, filter) {
		const names = filter === 2 ? Object.keys(object) : Object.getOwnPropertyNames(object);
		const isIndex = (name) => /^(0|[1-9][0-9]*)$/.test(name) && Number(name) < 2 ** 32 - 1;
		// The engine lists the indices first, so what is left starts after them.
		let from = 0;
		while (from < names.length && isIndex(names[from])) from++;
		const rest = names.slice(from);
		for (const symbol of Object.getOwnPropertySymbols(object))
			if (filter !== 2 || Object.prototype.propertyIsEnumerable.call(object, symbol)) rest.push(symbol);
		return rest;
	}

	const binding = {
		constants: { kPending: 0, kFulfilled: 1, kRejected: 2, ALL_PROPERTIES: 0, ONLY_ENUMERABLE: 2 },
		getOwnNonIndexProperties,
		getPromiseDetails,
		getProxyDetails(value, full = true) {
			const details = proxies.get(value);
			return details && (full ? details : details[0]);
		},
		Proxy: RecordedProxy,
		previewEntries,
		getConstructorName: constructorName,
		getExternalValue: () => 0n,
	};

	// The package imitates these two modules of Node by guesses; here they are exact.
	function load(text) {
		const exact = text.replace(/\bJt=r\(\d+\)/, 'Jt=__inspect_binding').replace(/\bbe=r\(567\)/, 'be=__inspect_types');
		if (!exact.includes('__inspect_binding') || !exact.includes('__inspect_types'))
			throw new Error('another version of node-inspect-extracted than the pinned one');
		const module = { exports: {} };
		new Function('module', 'exports', 'process', '__inspect_binding', '__inspect_types', 'URL', exact)(
			module, module.exports, { cwd: () => '/', versions: {} }, binding, types, Object);
		return module.exports;
	}

	const extracted = load(globalThis.__inspect_source);
	delete globalThis.__inspect_source;
	rt.inspect = extracted.inspect;
	rt.format = extracted.format;
	rt.formatWithOptions = extracted.formatWithOptions;
	rt.stripVTControlCharacters = extracted.stripVTControlCharacters;
})();
