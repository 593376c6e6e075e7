// SPDX-License-Identifier: Apache-2.0
// path (posix) and querystring.
(function () {
	'use strict';
	const rt = globalThis.__runtime;

	function text(value, name) {
		if (typeof value !== 'string') throw rt.invalidArgument(name, 'of type string', value);
		return value;
	}
	function normalizeParts(path, absolute) {
		const kept = [];
		for (const part of path.split('/')) {
			if (part === '' || part === '.') continue;
			if (part !== '..') kept.push(part);
			else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
			else if (!absolute) kept.push('..');
		}
		return kept.join('/');
	}
	const path = {
		sep: '/',
		delimiter: ':',
		resolve(...parts) {
			let whole = '';
			for (let i = parts.length - 1; i >= -1 && !whole.startsWith('/'); i--) {
				const part = i >= 0 ? text(parts[i], `paths[${i}]`) : rt.cwd();
				if (part) whole = whole ? `${part}/${whole}` : part;
			}
			return '/' + normalizeParts(whole, true);
		},
		normalize(given) {
			const whole = text(given, 'path');
			if (whole === '') return '.';
			const absolute = whole.startsWith('/');
			let result = normalizeParts(whole, absolute);
			if (result === '' && !absolute) return whole.endsWith('/') ? './' : '.';
			if (result !== '' && whole.endsWith('/')) result += '/';
			return absolute ? `/${result}` : result;
		},
		isAbsolute: (given) => text(given, 'path').startsWith('/'),
		join(...parts) {
			const whole = parts.map((part) => text(part, 'path')).filter(Boolean).join('/');
			return whole === '' ? '.' : path.normalize(whole);
		},
		relative(from, to) {
			const left = path.resolve(from).split('/').filter(Boolean);
			const right = path.resolve(to).split('/').filter(Boolean);
			let same = 0;
			while (same < left.length && same < right.length && left[same] === right[same]) same++;
			return [...left.slice(same).map(() => '..'), ...right.slice(same)].join('/');
		},
		dirname(given) {
			const whole = text(given, 'path').replace(/(?<=.)\/+$/, '');
			const at = whole.lastIndexOf('/');
			if (at < 0) return '.';
			return whole.slice(0, at).replace(/(?<=.)\/+$/, '') || '/';
		},
		basename(given, suffix) {
			const whole = text(given, 'path').replace(/\/+$/, '');
			const name = whole.slice(whole.lastIndexOf('/') + 1);
			return suffix && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
		},
		extname(given) {
			const name = path.basename(text(given, 'path'));
			const at = name.lastIndexOf('.');
			return at <= 0 || /^\.+$/.test(name) && at === name.length - 1 && name === '..' ? '' : name.slice(at);
		},
		parse(given) {
			const root = text(given, 'path').startsWith('/') ? '/' : '';
			const base = path.basename(given);
			const ext = path.extname(given);
			const at = given.replace(/\/+$/, '').lastIndexOf('/');
			const dir = at > 0 ? given.slice(0, at) : root;
			return { root, dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
		},
		format(parts) {
			const dir = parts.dir || parts.root;
			const base = parts.base || `${parts.name || ''}${parts.ext ? (parts.ext.startsWith('.') ? '' : '.') + parts.ext : ''}`;
			return !dir ? base : dir === parts.root ? `${dir}${base}` : `${dir}/${base}`;
		},
		toNamespacedPath: (given) => given,
	};
	path.posix = path;
	rt.path = path;

	const escapeQuery = (value) => encodeURIComponent(value);
	const unescapeQuery = (value) => {
		try {
			return decodeURIComponent(value);
		} catch {
			return value;
		}
	};
	const scalar = (value) => typeof value === 'string' ? value : typeof value === 'number' && Number.isFinite(value) || typeof value === 'boolean' || typeof value === 'bigint' ? String(value) : '';
	rt.querystring = {
		escape: escapeQuery,
		unescape: unescapeQuery,
		stringify(object, separator = '&', equals = '=') {
			return Object.keys(object ?? {}).flatMap((key) => [].concat(object[key]).map((value) => escapeQuery(key) + equals + escapeQuery(scalar(value)))).join(separator);
		},
		parse(query, separator = '&', equals = '=') {
			const result = Object.create(null);
			for (const pair of String(query ?? '').split(separator)) {
				if (!pair) continue;
				const at = pair.indexOf(equals);
				const [key, value] = (at < 0 ? [pair, ''] : [pair.slice(0, at), pair.slice(at + equals.length)]).map((part) => unescapeQuery(part.replace(/\+/g, ' ')));
				if (key in result) result[key] = [].concat(result[key], value);
				else result[key] = value;
			}
			return result;
		},
	};
	rt.querystring.encode = rt.querystring.stringify;
	rt.querystring.decode = rt.querystring.parse;
})();
