// SPDX-License-Identifier: Apache-2.0
// fs: synchronous calls over the host; callbacks and promises run them and
// answer from the queue of finished work.
(function () {
	'use strict';
	const rt = globalThis.__runtime;
	const names = { 1: 'EPERM', 2: 'ENOENT', 5: 'EIO', 9: 'EBADF', 13: 'EACCES', 17: 'EEXIST', 18: 'EXDEV', 20: 'ENOTDIR', 21: 'EISDIR', 22: 'EINVAL',
		27: 'EFBIG', 28: 'ENOSPC', 30: 'EROFS', 36: 'ENAMETOOLONG', 38: 'ENOSYS', 39: 'ENOTEMPTY', 40: 'ELOOP', 122: 'EDQUOT' };
	const words = { EPERM: 'operation not permitted', ENOENT: 'no such file or directory', EIO: 'i/o error', EBADF: 'bad file descriptor', EACCES: 'permission denied',
		EEXIST: 'file already exists', EXDEV: 'cross-device link not permitted', ENOTDIR: 'not a directory', EISDIR: 'illegal operation on a directory', EINVAL: 'invalid argument',
		EFBIG: 'file too large', ENOSPC: 'no space left on device', EROFS: 'read-only file system', ENAMETOOLONG: 'name too long', ENOSYS: 'function not implemented',
		ENOTEMPTY: 'directory not empty', ELOOP: 'too many symbolic links encountered', EDQUOT: 'disk quota exceeded' };

	function systemError(number, call, path, dest) {
		const code = names[-number] ?? 'EIO';
		const to = dest === undefined ? '' : ` -> '${dest}'`;
		const error = new Error(`${code}: ${words[code]}, ${call}${path === undefined ? '' : ` '${path}'`}${to}`);
		error.errno = number;
		error.code = code;
		error.syscall = call;
		if (path !== undefined) error.path = path;
		if (dest !== undefined) error.dest = dest;
		return error;
	}
	function check(result, call, path, dest) {
		if (typeof result === 'number' && result < 0) throw systemError(result, call, path, dest);
		return result;
	}
	function pathText(path, name = 'path') {
		if (path instanceof URL) return rt.url.fileURLToPath(path);
		if (path instanceof Uint8Array) return rt.utf8Text(path);
		if (typeof path !== 'string') throw rt.invalidArgument(name, 'of type string or an instance of Buffer or URL', path);
		return path;
	}
	const absolute = (path) => rt.path.resolve(path);
	// One call of the host on a path; the error names the path as the program gave it.
	function ask(op, call, path, ...rest) {
		const shown = pathText(path);
		return check(rt.host(op, absolute(shown), ...rest), call, shown);
	}
	const optionsOf = (options) => typeof options === 'string' ? { encoding: options } : options ?? {};
	const asBytes = (data, encoding, name = 'data') => {
		if (typeof data === 'string') return rt.encode(data, encoding);
		if (ArrayBuffer.isView(data)) return rt.bytesOf(data);
		throw rt.invalidArgument(name, 'of type string or an instance of Buffer, TypedArray, or DataView', data);
	};
	const plain = (bytes) => bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
	const decoded = (bytes, encoding) => encoding && encoding !== 'buffer' ? bytes.toString(encoding) : bytes;

	class Stats {
		constructor(fields) {
			Object.assign(this, { dev: 1, mode: fields.mode, nlink: fields.nlink, uid: 0, gid: 0, rdev: 0, blksize: 4096, ino: fields.ino, size: fields.size, blocks: Math.ceil(fields.size / 512) });
			for (const name of ['atime', 'mtime', 'ctime', 'birthtime']) this[`${name}Ms`] = fields.mtime_ms;
			for (const name of ['atime', 'mtime', 'ctime', 'birthtime']) this[name] = new Date(fields.mtime_ms);
			rt.hide(this, 'kind', fields.type);
		}
	}
	class Dirent {
		constructor(name, kind, folder) {
			this.name = name;
			this.parentPath = folder;
			this.path = folder;
			rt.hide(this, 'kind', kind);
		}
	}
	for (const Type of [Stats, Dirent]) {
		for (const [name, kind] of [['isFile', 'file'], ['isDirectory', 'dir'], ['isSymbolicLink', 'link']])
			rt.hide(Type.prototype, name, { [name]() { return this.kind === kind; } }[name]);
		for (const name of ['isFIFO', 'isSocket', 'isBlockDevice', 'isCharacterDevice']) rt.hide(Type.prototype, name, { [name]() { return false; } }[name]);
	}

	function readAllOfStdin() {
		const parts = [];
		for (;;) {
			const part = rt.host('read', 0, 65536);
			check(part, 'read');
			if (part.byteLength === 0) return Buffer.concat(parts);
			parts.push(new Uint8Array(part));
		}
	}

	// --- open files: position and flags are kept here, the host knows paths only ---

	let files = new Map();
	let nextFile = 3;
	const fileOf = (fd, call) => {
		if (typeof fd !== 'number') throw rt.invalidArgument('fd', 'of type number', fd);
		const file = files.get(fd);
		if (!file) throw systemError(-9, call);
		return file;
	};
	const contentOf = (file) => new Uint8Array(check(rt.host('file.read', file.path), 'read'));

	const removeTree = (path) => {
		const kind = JSON.parse(check(rt.host('file.stat', path, false), 'rm', path)).type;
		if (kind !== 'dir') return check(rt.host('file.unlink', path), 'unlink', path);
		for (const [name] of JSON.parse(check(rt.host('file.list', path), 'scandir', path))) removeTree(`${path}/${name}`);
		check(rt.host('file.rmdir', path), 'rmdir', path);
	};
	function listAll(folder, below, found) {
		for (const [name, kind] of JSON.parse(ask('file.list', 'scandir', folder))) {
			found.push([below ? `${below}/${name}` : name, kind, folder, name]);
			if (kind === 'dir') listAll(rt.path.join(folder, name), below ? `${below}/${name}` : name, found);
		}
		return found;
	}
	const modeOf = (flag) => {
		if (flag === undefined || flag === 'w' || flag === 'w+') return 'w';
		if (flag === 'r+') return 'r+';
		if (flag === 'a' || flag === 'a+' || flag === 'as') return 'a';
		if (flag === 'wx' || flag === 'xw' || flag === 'wx+') return 'wx';
		if (flag === 'ax') return 'wx';
		throw rt.codedError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'flags' is invalid. Received ${rt.inspect(flag)}`);
	};

	const sync = {
		readFile(path, options) {
			const encoding = optionsOf(options).encoding;
			if (encoding && !Buffer.isEncoding(encoding) && encoding !== 'buffer') throw rt.codedError(TypeError, 'ERR_INVALID_ARG_VALUE', `The argument 'encoding' is invalid encoding. Received '${encoding}'`);
			if (path === 0 || path === '/dev/stdin') return decoded(readAllOfStdin(), encoding);
			if (typeof path === 'number' && Number.isInteger(path)) {
				const file = fileOf(path, 'read');
				const all = contentOf(file).subarray(file.position);
				file.position += all.length;
				return decoded(rt.bufferOf(all), encoding);
			}
			const shown = pathText(path);
			const bytes = rt.host('file.read', absolute(shown));
			if (bytes === -21) throw systemError(-21, 'read');
			return decoded(Buffer.from(check(bytes, 'open', shown)), encoding);
		},
		writeFile(path, data, options) {
			const o = optionsOf(options);
			const bytes = asBytes(data, o.encoding);
			if (typeof path === 'number') return void fs.writeSync(path, bytes);
			const shown = pathText(path);
			if (shown === '/dev/stdout' || shown === '/dev/stderr') return void rt.host('write', shown === '/dev/stdout' ? 1 : 2, plain(bytes));
			check(rt.host('file.write', absolute(shown), plain(bytes), modeOf(o.flag)), 'open', shown);
		},
		appendFile(path, data, options) { sync.writeFile(path, data, { ...optionsOf(options), flag: 'a' }); },
		exists(path) {
			try {
				return typeof rt.host('file.stat', absolute(pathText(path)), true) === 'string';
			} catch {
				return false;
			}
		},
		stat(path, options) {
			const shown = pathText(path);
			const found = rt.host('file.stat', absolute(shown), true);
			if (options?.throwIfNoEntry === false && found === -2) return undefined;
			return new Stats(JSON.parse(check(found, 'stat', shown)));
		},
		lstat: (path) => new Stats(JSON.parse(ask('file.stat', 'lstat', path, false))),
		access(path) { ask('file.stat', 'access', path, true); },
		readdir(path, options) {
			const o = optionsOf(options);
			const folder = pathText(path);
			const list = o.recursive ? listAll(folder, '', []) : JSON.parse(ask('file.list', 'scandir', folder)).map(([name, kind]) => [name, kind, folder, name]);
			return o.withFileTypes ? list.map(([, kind, parent, name]) => new Dirent(name, kind, parent)) : list.map(([name]) => name);
		},
		mkdir(path, options) {
			const shown = pathText(path);
			if (!options?.recursive) return void check(rt.host('file.mkdir', absolute(shown)), 'mkdir', shown);
			let first;
			let at = '';
			for (const part of absolute(shown).split('/').slice(1)) {
				at += `/${part}`;
				const result = rt.host('file.mkdir', at);
				if (result === 0) first ??= at;
				else if (typeof rt.host('file.stat', at, true) !== 'string') check(result, 'mkdir', shown);
				else if (at === absolute(shown) && JSON.parse(rt.host('file.stat', at, true)).type !== 'dir') throw systemError(-17, 'mkdir', shown);
			}
			return first;
		},
		rmdir(path, options) { if (options?.recursive) sync.rm(path, options); else ask('file.rmdir', 'rmdir', path); },
		rm(path, options) {
			const shown = pathText(path);
			const found = rt.host('file.stat', absolute(shown), false);
			if (found === -2 && options?.force) return;
			if (JSON.parse(check(found, 'stat', shown)).type !== 'dir') return void check(rt.host('file.unlink', absolute(shown)), 'unlink', shown);
			if (!options?.recursive) {
				const error = rt.codedError(Error, 'ERR_FS_EISDIR', `Path is a directory: rm returned EISDIR (is a directory) ${shown}`);
				Object.assign(error, { name: 'SystemError', syscall: 'rm', errno: 21, path: shown });
				throw error;
			}
			removeTree(absolute(shown));
		},
		unlink(path) { ask('file.unlink', 'unlink', path); },
		rename(from, to) {
			const [left, right] = [pathText(from, 'oldPath'), pathText(to, 'newPath')];
			check(rt.host('file.rename', absolute(left), absolute(right)), 'rename', left, right);
		},
		copyFile(from, to, mode) {
			const [left, right] = [pathText(from, 'src'), pathText(to, 'dest')];
			const bytes = check(rt.host('file.read', absolute(left)), 'copyfile', left, right);
			check(rt.host('file.write', absolute(right), bytes, mode & 1 ? 'wx' : 'w'), 'copyfile', left, right);
		},
		cp(from, to, options) {
			const left = absolute(pathText(from)), right = absolute(pathText(to));
			if (JSON.parse(check(rt.host('file.stat', left, true), 'cp', left)).type !== 'dir') return sync.copyFile(left, right);
			if (!options?.recursive) throw rt.codedError(Error, 'ERR_FS_EISDIR', `Recursive option not enabled, cannot copy a directory: cp returned EISDIR (${from} is a directory (not copied)) ${from}`);
			sync.mkdir(right, { recursive: true });
			for (const [name] of JSON.parse(check(rt.host('file.list', left), 'scandir', left))) sync.cp(`${left}/${name}`, `${right}/${name}`, options);
		},
		readlink: (path) => ask('file.readlink', 'readlink', path),
		realpath(path) {
			const shown = pathText(path);
			let at = absolute(shown);
			check(rt.host('file.stat', at, true), 'lstat', shown);
			for (let i = 0; i < 40; i++) {
				const parts = at.split('/');
				const index = parts.findIndex((part, k) => k > 0 && part && typeof rt.host('file.readlink', parts.slice(0, k + 1).join('/')) === 'string');
				if (index < 0) return at;
				const target = rt.host('file.readlink', parts.slice(0, index + 1).join('/'));
				at = rt.path.resolve(parts.slice(0, index).join('/') || '/', target, ...parts.slice(index + 1));
			}
			throw systemError(-40, 'realpath', shown);
		},
		truncate(path, size = 0) { ask('file.truncate', 'truncate', path, size); },
		mkdtemp(prefix) {
			const random = rt.bufferOf(new Uint8Array(rt.host('random', 6)));
			const path = prefix + Array.from(random, (byte) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'[byte % 62]).join('');
			sync.mkdir(path);
			return path;
		},
		chmod(path) { ask('file.stat', 'chmod', path, true); },
		utimes(path) { ask('file.stat', 'utime', path, true); },
		symlink(target, path) { throw systemError(-38, 'symlink', target, path); },
		link(from, to) { throw systemError(-38, 'link', from, to); },
		open(path, flags = 'r') {
			const shown = pathText(path);
			const whole = absolute(shown);
			if (whole === '/dev/stdin') return 0;
			if (flags === 'r' || flags === 'r+' || flags === 'rs') check(rt.host('file.stat', whole, true), 'open', shown);
			else check(rt.host('file.write', whole, new ArrayBuffer(0), modeOf(flags)), 'open', shown);
			files.set(nextFile, { path: whole, position: 0, append: /^a/.test(flags), writes: flags !== 'r' });
			return nextFile++;
		},
		close(fd) {
			if (fd > 2) fileOf(fd, 'close');
			files.delete(fd);
		},
		fstat(fd) { return new Stats(JSON.parse(check(rt.host('file.stat', fileOf(fd, 'fstat').path, true), 'fstat'))); },
		fsync() {},
		fdatasync() {},
		ftruncate(fd, size = 0) { check(rt.host('file.truncate', fileOf(fd, 'ftruncate').path, size), 'ftruncate'); },
		read(fd, buffer, offset, length, position) {
			if (offset !== null && typeof offset === 'object') ({ offset, length, position } = offset);
			const target = rt.bytesOf(buffer);
			offset ??= 0;
			length ??= target.length - offset;
			if (fd === 0) {
				const part = new Uint8Array(check(rt.host('read', 0, length), 'read'));
				target.set(part, offset);
				return part.length;
			}
			const file = fileOf(fd, 'read');
			const from = position ?? file.position;
			const part = contentOf(file).subarray(Number(from), Number(from) + length);
			target.set(part, offset);
			if (typeof position !== 'number') file.position += part.length;
			return part.length;
		},
		write(fd, data, offset, length, position) {
			let bytes;
			if (typeof data === 'string') {
				bytes = rt.encode(data, length);
				position = offset;
			} else bytes = rt.bytesOf(data).subarray(offset ?? 0, length === undefined || length === null ? undefined : (offset ?? 0) + length);
			if (fd === 1 || fd === 2) {
				rt.host('write', fd, plain(bytes));
				return bytes.length;
			}
			const file = fileOf(fd, 'write');
			if (!file.writes) throw systemError(-9, 'write');
			const old = file.append ? null : contentOf(file);
			const at = typeof position === 'number' ? position : file.position;
			if (file.append || at === old.length) check(rt.host('file.write', file.path, plain(bytes), 'a'), 'write');
			else {
				const whole = new Uint8Array(Math.max(old.length, at + bytes.length));
				whole.set(old);
				whole.set(bytes, at);
				check(rt.host('file.write', file.path, whole.buffer, 'w'), 'write');
			}
			if (typeof position !== 'number') file.position = at + bytes.length;
			return bytes.length;
		},
	};

	const fs = { Stats, Dirent, constants: { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1, COPYFILE_EXCL: 1, O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024 } };
	Object.assign(fs, { F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 });
	const promises = { constants: fs.constants };
	const results = { read: (count, args) => ({ bytesRead: count, buffer: args[1] }), write: (count, args) => ({ bytesWritten: count, buffer: args[1] }) };
	for (const name of Object.keys(sync)) {
		const run = sync[name];
		fs[`${name}Sync`] = { [`${name}Sync`](...args) { return run(...args); } }[`${name}Sync`];
		fs[name] = { [name](...args) {
			const callback = args.pop();
			if (typeof callback !== 'function') throw rt.invalidArgument('cb', 'of type function', callback);
			let error = null, result;
			try {
				result = run(...args);
			} catch (caught) {
				if (caught.errno === undefined && caught.code === 'ERR_INVALID_ARG_TYPE') throw caught;
				error = caught;
			}
			rt.finish(() => name === 'exists' ? callback(result) : error ? callback(error) : result === undefined ? callback(null) : callback(null, result));
		} }[name];
		if (['exists', 'close', 'read', 'write', 'fstat', 'fsync', 'fdatasync', 'ftruncate'].includes(name)) continue;
		promises[name] = { async [name](...args) {
			let failed = false, result;
			try {
				if (name === 'readFile' && args[0] instanceof FileHandle) args[0] = args[0].fd;
				if (name === 'writeFile' && args[0] instanceof FileHandle) args[0] = args[0].fd;
				result = run(...args);
			} catch (error) {
				failed = true;
				result = error;
			}
			await new Promise((resolve) => rt.finish(resolve));
			if (failed) throw result;
			return name === 'open' ? new FileHandle(result) : result;
		} }[name];
	}
	fs.realpathSync.native = fs.realpathSync;
	fs.exists[Symbol.for('nodejs.util.promisify.custom')] = (path) => new Promise((resolve) => fs.exists(path, resolve));

	class FileHandle {
		constructor(fd) { rt.hide(this, 'fd', fd); }
		async readFile(options) { return sync.readFile(this.fd, options); }
		async writeFile(data, options) { sync.ftruncate(this.fd, 0); files.get(this.fd).position = 0; sync.write(this.fd, asBytes(data, optionsOf(options).encoding)); }
		async appendFile(data, options) { files.get(this.fd).append = true; sync.write(this.fd, asBytes(data, optionsOf(options).encoding)); }
		async read(...args) { return results.read(sync.read(this.fd, ...args), [0, args[0]]); }
		async write(...args) { return results.write(sync.write(this.fd, ...args), [0, args[0]]); }
		async stat() { return sync.fstat(this.fd); }
		async truncate(size) { sync.ftruncate(this.fd, size); }
		async sync() {}
		async close() { sync.close(this.fd); }
		async *readLines() { for (const line of sync.readFile(this.fd, 'utf8').replace(/\r?\n$/, '').split(/\r?\n/)) yield line; }
		async [Symbol.asyncDispose ?? Symbol('asyncDispose')]() { await this.close(); }
	}
	fs.promises = promises;
	fs.watch = fs.watchFile = () => { throw rt.codedError(Error, 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM', 'Cannot run here: watching files; run with --driver native'); };
	rt.fs = fs;
	rt.systemError = systemError;
})();
