// SPDX-License-Identifier: Apache-2.0
// What the host calls: the start, one step of the event loop, the end, and what
// becomes of an error nobody caught.
(function () {
	'use strict';
	const rt = globalThis.__runtime;
	const process = globalThis.process;
	const unhandled = new Map();

	// The source line of the first frame in the program, with a caret, as node shows it.
	function excerpt(error) {
		const found = typeof error?.stack === 'string' && /\(?(\/[^():\n]+):(\d+):(\d+)\)?/.exec(error.stack);
		const entry = found && rt.sources.get(found[1]);
		if (!entry) return '';
		const line = entry.text.split('\n')[Number(found[2]) - 1];
		if (line === undefined) return '';
		const column = Math.max(0, Number(found[3]) - 1);
		return `${found[1]}:${found[2]}\n${line}\n${line.slice(0, column).replace(/[^\t]/g, ' ')}^\n\n`;
	}
	function printUncaught(error) {
		const text = error instanceof Error ? excerpt(error) + rt.inspect(error) : `Uncaught:\n${rt.inspect(error)}\n(Use \`node --trace-uncaught ...\` to show where the exception was thrown)`;
		rt.host('write', 2, `${text}\n\nNode.js ${process.version}\n`);
	}
	rt.uncaught = function (error, origin) {
		if (rt.capture) return void rt.capture(error);
		if (process.listenerCount('uncaughtException')) {
			try {
				return void process.emit('uncaughtException', error, origin);
			} catch (another) {
				printUncaught(another);
				rt.host('exit', 7);
			}
		}
		printUncaught(error);
		process.exitCode = 1;
		try {
			rt.runExitHandlers();
		} catch (another) {
			printUncaught(another);
		}
		rt.host('exit', rt.exitCode() || 1);
	};

	globalThis.__rejection = function (promise, reason, handled) {
		if (!handled) unhandled.set(promise, reason);
		else if (unhandled.delete(promise)) return;
		else process.nextTick(() => process.emit('rejectionHandled', promise));
	};
	rt.checkRejections = function () {
		for (const [promise, reason] of [...unhandled]) {
			unhandled.delete(promise);
			if (process.listenerCount('unhandledRejection')) {
				rt.guard(() => process.emit('unhandledRejection', reason, promise));
				continue;
			}
			if (reason instanceof Error) {
				rt.uncaught(reason, 'unhandledRejection');
				continue;
			}
			const shown = typeof reason === 'object' || typeof reason === 'function' ? rt.inspect(reason, { depth: -1 }).replace(/^\[(.*)\]$/, '#<$1>') : String(reason);
			const error = rt.codedError(Error, 'ERR_UNHANDLED_REJECTION', 'This error originated either by throwing inside of an async function without a catch block, or by rejecting a promise which was not handled with .catch(). The promise rejected with the reason "' + shown + '".');
			error.name = 'UnhandledPromiseRejection';
			rt.hide(error, 'stack', `[UnhandledPromiseRejection: ${error.message}]`);
			rt.uncaught(error, 'unhandledRejection');
		}
	};

	globalThis.__main = function () {
		rt.begin();
		try {
			rt.runMain(rt.info().argv[1]);
		} catch (error) {
			rt.uncaught(error, 'uncaughtException');
		}
		// In a module the promises come first: its body runs as one of them.
		if (rt.mainDone === undefined) rt.runTicks();
	};
	globalThis.__tick = function () {
		if (rt.step()) return true;
		process.emit('beforeExit', rt.exitCode());
		return rt.step();
	};
	globalThis.__end = function () {
		// A module that waits for something that cannot come: node says 13.
		if (rt.mainDone === false && process.exitCode === undefined) {
			rt.host('write', 2, 'Warning: Detected unsettled top-level await\n');
			process.exitCode = 13;
		}
		try {
			rt.runExitHandlers();
		} catch (error) {
			printUncaught(error);
			return 7;
		}
		return rt.exitCode();
	};
	for (const name of ['__main', '__tick', '__end', '__resolve', '__load', '__rejection']) rt.hide(globalThis, name, globalThis[name]);
})();
