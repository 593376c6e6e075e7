// SPDX-License-Identifier: Apache-2.0
// URL and URLSearchParams as far as programs without a network need them.
(function () {
	'use strict';
	const rt = globalThis.__runtime;
	const inspectMark = Symbol.for('nodejs.util.inspect.custom');

	const formEncode = (text) => encodeURIComponent(String(text).toWellFormed()).replace(/%20/g, '+').replace(/[!'()~]/g, (letter) => '%' + letter.charCodeAt(0).toString(16).toUpperCase());
	const formDecode = (text) => rt.utf8Text(percentBytes(text.replace(/\+/g, ' ')));
	function percentBytes(text) {
		const bytes = rt.utf8Bytes(text);
		const out = [];
		for (let i = 0; i < bytes.length; i++) {
			const pair = bytes[i] === 37 ? String.fromCharCode(bytes[i + 1], bytes[i + 2]) : '';
			if (/^[0-9a-fA-F]{2}$/.test(pair)) out.push(parseInt(pair, 16)), i += 2;
			else out.push(bytes[i]);
		}
		return Uint8Array.from(out);
	}

	class URLSearchParams {
		#list = [];
		#changed = null;
		constructor(init = '') {
			if (init !== null && typeof init === 'object' || typeof init === 'function') {
				if (typeof init[Symbol.iterator] === 'function')
					for (const pair of init) {
						const [key, value, ...rest] = pair;
						if (rest.length || [...pair].length !== 2) throw rt.codedError(TypeError, 'ERR_INVALID_TUPLE', 'Each query pair must be an iterable [name, value] tuple');
						this.#list.push([String(key), String(value)]);
					}
				else for (const key of Object.keys(init)) this.#list.push([key, String(init[key])]);
			} else this.#parse(String(init));
		}
		#parse(text) {
			this.#list = [];
			for (const pair of text.replace(/^\?/, '').split('&')) {
				if (!pair) continue;
				const at = pair.indexOf('=');
				this.#list.push(at < 0 ? [formDecode(pair), ''] : [formDecode(pair.slice(0, at)), formDecode(pair.slice(at + 1))]);
			}
		}
		static _bind(params, text, changed) {
			params.#changed = null;
			params.#parse(text);
			params.#changed = changed;
		}
		#touch() { this.#changed?.(this.toString()); }
		get size() { return this.#list.length; }
		append(key, value) { this.#list.push([String(key), String(value)]); this.#touch(); }
		delete(key, value) {
			this.#list = this.#list.filter(([name, item]) => name !== String(key) || (value !== undefined && item !== String(value)));
			this.#touch();
		}
		get(key) { return this.#list.find(([name]) => name === String(key))?.[1] ?? null; }
		getAll(key) { return this.#list.filter(([name]) => name === String(key)).map(([, value]) => value); }
		has(key, value) { return this.#list.some(([name, item]) => name === String(key) && (value === undefined || item === String(value))); }
		set(key, value) {
			const at = this.#list.findIndex(([name]) => name === String(key));
			if (at < 0) this.#list.push([String(key), String(value)]);
			else {
				this.#list[at][1] = String(value);
				this.#list = this.#list.filter(([name], index) => index <= at || name !== String(key));
			}
			this.#touch();
		}
		sort() {
			this.#list.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
			this.#touch();
		}
		forEach(callback, self) { for (const [key, value] of this.#list) callback.call(self, value, key, this); }
		*entries() { for (const [key, value] of this.#list) yield [key, value]; }
		*keys() { for (const [key] of this.#list) yield key; }
		*values() { for (const [, value] of this.#list) yield value; }
		[Symbol.iterator]() { return this.entries(); }
		toString() { return this.#list.map(([key, value]) => `${formEncode(key)}=${formEncode(value)}`).join('&'); }
		[inspectMark](depth, options) {
			if (this.#list.length === 0) return 'URLSearchParams {}';
			const items = this.#list.map(([key, value]) => `${rt.inspect(key, options)} => ${rt.inspect(value, options)}`);
			return `URLSearchParams { ${items.join(', ')} }`;
		}
		get [Symbol.toStringTag]() { return 'URLSearchParams'; }
	}
	const bindParams = URLSearchParams._bind;
	delete URLSearchParams._bind;

	const ports = { 'http:': '80', 'https:': '443', 'ftp:': '21', 'ws:': '80', 'wss:': '443' };
	const isSpecial = (protocol) => protocol in ports || protocol === 'file:';
	const escapeBy = (text, pattern) => text.toWellFormed().replace(pattern, (part) => encodeURIComponent(part).replace(/^[^%]/, (letter) => '%' + letter.charCodeAt(0).toString(16).toUpperCase()));
	const inPath = /[^\x21\x24-\x3b\x3d\x40-\x5f\x61-\x7a\x7c\x7e%]+/gu;
	const inQuery = /[^\x21\x24-\x26\x28-\x3b\x3d\x3f-\x7e%]+/gu;
	const inFragment = /[^\x21\x23-\x3b\x3d\x3f-\x5f\x61-\x7e%]+/gu;
	const inUser = /[/:;=@[\\\]^|"#<>?`{} ]|[^\x21-\x7e]+/gu;

	function cleanPath(path, special) {
		const kept = [];
		const parts = (special ? path.replace(/\\/g, '/') : path).split('/').slice(1);
		parts.forEach((part, index) => {
			const last = index === parts.length - 1;
			const plain = part.replace(/%2e/gi, '.');
			if (plain === '..') {
				kept.pop();
				if (last) kept.push('');
			} else if (plain === '.') {
				if (last) kept.push('');
			} else kept.push(part);
		});
		return '/' + kept.join('/');
	}
	function invalid(input, base) {
		const error = rt.codedError(TypeError, 'ERR_INVALID_URL', 'Invalid URL');
		error.input = input;
		if (base !== undefined) error.base = base;
		return error;
	}
	function ipv4(host) {
		const parts = host.replace(/\.$/, '').split('.');
		if (parts.length > 4 || !/^(0x[0-9a-f]*|\d+)$/i.test(parts.at(-1))) return host;
		const numbers = parts.map((part) => /^0x/i.test(part) ? parseInt(part.slice(2) || '0', 16) : /^0\d/.test(part) ? parseInt(part, 8) : /^\d+$/.test(part) ? Number(part) : NaN);
		if (numbers.some((number, index) => Number.isNaN(number) || number > 255 && index < numbers.length - 1) || numbers.at(-1) >= 256 ** (5 - numbers.length)) return null;
		let value = numbers.at(-1);
		for (let i = 0; i < numbers.length - 1; i++) value += numbers[i] * 256 ** (3 - i);
		return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
	}

	function parse(input, base) {
		const text = input.replace(/^[\x00-\x20]+|[\x00-\x20]+$/g, '').replace(/[\t\n\r]/g, '');
		const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text);
		const result = { protocol: '', username: '', password: '', hostname: '', port: '', pathname: '', search: '', hash: '', slashes: false };
		let rest = text;
		const relative = !scheme || (base && scheme[1].toLowerCase() + ':' === base.protocol && isSpecial(base.protocol) && !/^[/\\]/.test(text.slice(scheme[0].length)) && scheme);
		if (!scheme && !base) return null;
		if (relative === true || relative) {
			if (!base) return null;
			if (scheme) rest = text.slice(scheme[0].length);
			if (base.opaque && !rest.startsWith('#')) return null;
		}
		const take = (mark, pattern, name) => {
			const at = rest.indexOf(mark);
			if (at < 0) return false;
			const found = rest.slice(at + 1);
			result[name] = found ? mark + escapeBy(found, pattern) : '';
			rest = rest.slice(0, at);
			return true;
		};
		take('#', inFragment, 'hash');
		const special = isSpecial(relative ? base.protocol : scheme[1].toLowerCase() + ':');
		const hadQuery = take('?', special ? /[^\x21\x24-\x26\x28-\x3b\x3d\x3f-\x7e%]+/gu : /[^\x21\x24-\x3b\x3d\x3f-\x7e%]+/gu, 'search');
		if (relative) {
			result.protocol = base.protocol;
			if (!/^[/\\]{2}/.test(rest)) {
				Object.assign(result, { username: base.username, password: base.password, hostname: base.hostname, port: base.port, slashes: base.slashes, opaque: base.opaque });
				if (rest === '') {
					result.pathname = base.pathname;
					if (!hadQuery) result.search = base.search;
				} else {
					const whole = /^[/\\]/.test(rest) ? rest : base.pathname.replace(/[^/]*$/, '') + rest;
					result.pathname = cleanPath(escapeBy(whole.startsWith('/') || whole.startsWith('\\') ? whole : '/' + whole, inPath), special);
				}
				return result;
			}
		} else {
			result.protocol = scheme[1].toLowerCase() + ':';
			rest = rest.slice(scheme[0].length);
			if (!special && !rest.startsWith('//')) {
				result.opaque = !rest.startsWith('/');
				result.pathname = result.opaque ? escapeBy(rest, /[^\x20-\x7e]+/gu) : cleanPath(escapeBy(rest, inPath), false);
				return result;
			}
		}
		result.slashes = true;
		if (result.protocol === 'file:') {
			const found = /^[/\\]{2}([^/\\]*)([/\\].*)?$/s.exec(rest) ?? [null, '', rest.startsWith('/') ? rest : `/${rest}`];
			result.hostname = found[1] === 'localhost' ? '' : found[1].toLowerCase();
			result.pathname = cleanPath(escapeBy(found[2] ?? '/', inPath), true);
			return result;
		}
		const [, authority, path] = (special ? /^[/\\]*([^/\\]*)(.*)$/s : /^\/\/([^/]*)(.*)$/s).exec(rest);
		const at = authority.lastIndexOf('@');
		if (at >= 0) {
			const [user, ...words] = authority.slice(0, at).split(':');
			result.username = escapeBy(user, inUser);
			result.password = escapeBy(words.join(':'), inUser);
		}
		const found = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority.slice(at + 1));
		if (!found || (special && found[1] === '')) return null;
		let host = found[1];
		if (special && !host.startsWith('[')) {
			host = ipv4(rt.utf8Text(percentBytes(host)).toLowerCase());
			if (host === null || /[\x00-\x20#%/:<>?@[\\\]^|\x7f]/.test(host)) return null;
			if (/[^\x00-\x7f]/.test(host)) host = host.split('.').map(rt.toAscii).join('.');
		}
		result.hostname = host.startsWith('[') ? host.toLowerCase() : host;
		if (found[2]) {
			if (Number(found[2]) > 65535) return null;
			result.port = String(Number(found[2]));
			if (ports[result.protocol] === result.port) result.port = '';
		}
		result.pathname = path || special ? cleanPath(escapeBy(path || '/', inPath), special) : '';
		return result;
	}

	// Punycode of one label (RFC 3492).
	rt.toAscii = function (label) {
		if (!/[^\x00-\x7f]/.test(label)) return label;
		const points = [...label.normalize('NFC')].map((letter) => letter.codePointAt(0));
		let output = points.filter((point) => point < 128).map((point) => String.fromCharCode(point)).join('');
		const basic = output.length;
		let handled = basic, n = 128, delta = 0, bias = 72;
		if (basic) output += '-';
		while (handled < points.length) {
			const next = Math.min(...points.filter((point) => point >= n));
			delta += (next - n) * (handled + 1);
			n = next;
			for (const point of points) {
				if (point < n) delta++;
				if (point !== n) continue;
				let q = delta;
				for (let k = 36; ; k += 36) {
					const t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
					if (q < t) break;
					const digit = t + (q - t) % (36 - t);
					output += String.fromCharCode(digit < 26 ? digit + 97 : digit + 22);
					q = Math.floor((q - t) / (36 - t));
				}
				output += String.fromCharCode(q < 26 ? q + 97 : q + 22);
				delta = handled === basic ? Math.floor(delta / 700) : delta >> 1;
				delta += Math.floor(delta / (handled + 1));
				let k = 0;
				for (; delta > 455; k += 36) delta = Math.floor(delta / 35);
				bias = k + Math.floor(36 * delta / (delta + 38));
				delta = 0;
				handled++;
			}
			delta++;
			n++;
		}
		return `xn--${output}`;
	};

	class URL {
		#parts;
		#params = null;
		constructor(input, base) {
			if (arguments.length === 0) throw rt.codedError(TypeError, 'ERR_MISSING_ARGS', 'The "url" argument must be specified');
			const text = String(input);
			let start;
			if (base !== undefined) {
				start = parse(String(base));
				if (!start) throw invalid(text, String(base));
			}
			this.#parts = parse(text, start);
			if (!this.#parts) throw invalid(text, base === undefined ? undefined : String(base));
		}
		static canParse(input, base) {
			try {
				return Boolean(new URL(input, base));
			} catch {
				return false;
			}
		}
		get href() {
			const p = this.#parts;
			const user = p.username || p.password ? `${p.username}${p.password ? `:${p.password}` : ''}@` : '';
			return p.protocol + (p.slashes ? `//${user}${this.host}` : '') + p.pathname + p.search + p.hash;
		}
		set href(value) {
			const parts = parse(String(value));
			if (!parts) throw invalid(String(value));
			this.#parts = parts;
			this.#refresh();
		}
		get origin() { return this.#parts.protocol in ports ? `${this.#parts.protocol}//${this.host}` : 'null'; }
		get protocol() { return this.#parts.protocol; }
		set protocol(value) {
			const name = String(value).replace(/:.*$/s, '').toLowerCase() + ':';
			if (/^[a-z][a-z0-9+.-]*:$/.test(name) && isSpecial(name) === isSpecial(this.#parts.protocol)) this.#parts.protocol = name;
			if (ports[name] === this.#parts.port) this.#parts.port = '';
		}
		get username() { return this.#parts.username; }
		set username(value) { this.#parts.username = escapeBy(String(value), inUser); }
		get password() { return this.#parts.password; }
		set password(value) { this.#parts.password = escapeBy(String(value), inUser); }
		get host() { return this.#parts.hostname + (this.#parts.port ? `:${this.#parts.port}` : ''); }
		set host(value) {
			const [, name, port] = /^(\[[^\]]*\]|[^:/?#]*)(?::(\d+))?/.exec(String(value));
			if (name) this.#parts.hostname = name.toLowerCase();
			if (port) this.port = port;
		}
		get hostname() { return this.#parts.hostname; }
		set hostname(value) { if (String(value) && !/[/:?#@]/.test(value)) this.#parts.hostname = String(value).toLowerCase(); }
		get port() { return this.#parts.port; }
		set port(value) {
			const digits = /^\d*/.exec(String(value))[0];
			if (String(value) === '' || digits && Number(digits) < 65536) this.#parts.port = digits === '' || ports[this.#parts.protocol] === String(Number(digits)) ? '' : String(Number(digits));
		}
		get pathname() { return this.#parts.pathname; }
		set pathname(value) {
			const text = escapeBy(String(value), inPath).replace(/\?/g, '%3F').replace(/#/g, '%23');
			this.#parts.pathname = cleanPath(/^[/\\]/.test(text) ? text : `/${text}`, isSpecial(this.#parts.protocol));
		}
		get search() { return this.#parts.search; }
		set search(value) {
			const text = String(value).replace(/^\?/, '');
			this.#parts.search = text ? `?${escapeBy(text, inQuery).replace(/#/g, '%23')}` : '';
			this.#refresh();
		}
		get hash() { return this.#parts.hash; }
		set hash(value) {
			const text = String(value).replace(/^#/, '');
			this.#parts.hash = text ? `#${escapeBy(text, inFragment)}` : '';
		}
		get searchParams() {
			if (!this.#params) {
				this.#params = new URLSearchParams();
				this.#refresh();
			}
			return this.#params;
		}
		#refresh() {
			if (this.#params) bindParams(this.#params, this.#parts.search, (text) => { this.#parts.search = text ? `?${text}` : ''; });
		}
		toString() { return this.href; }
		toJSON() { return this.href; }
		[inspectMark](depth, options) {
			if (depth < 0) return this.href;
			const shown = {};
			for (const name of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'searchParams', 'hash']) shown[name] = this[name];
			return `URL ${rt.inspect(shown, options)}`;
		}
		get [Symbol.toStringTag]() { return 'URL'; }
	}
	rt.global('URL', URL);
	rt.global('URLSearchParams', URLSearchParams);

	const fileURLToPath = (given) => {
		const url = typeof given === 'string' ? new URL(given) : given;
		if (url.protocol !== 'file:') throw rt.codedError(TypeError, 'ERR_INVALID_URL_SCHEME', 'The URL must be of scheme file');
		return decodeURIComponent(url.pathname);
	};
	const pathToFileURL = (path) => {
		const url = new URL('file:///');
		url.pathname = rt.path.resolve(path).replace(/%/g, '%25') + (path.endsWith('/') && path !== '/' ? '/' : '');
		return url;
	};
	rt.url = {
		URL, URLSearchParams, fileURLToPath, pathToFileURL,
		domainToASCII: (name) => name.split('.').map(rt.toAscii).join('.'),
		parse(text, query) {
			const [, protocol = null, slashes, auth = null, host = null, pathname = null, search = null, hash = null] =
				/^([a-z][a-z0-9+.-]*:)?(\/\/)?(?:(?<=\/\/)(?:([^@/?#]*)@)?([^/?#]*))?([^?#]*)?(\?[^#]*)?(#.*)?$/is.exec(text.trim());
			const [, hostname = null, port = null] = host === null ? [] : /^(.*?)(?::(\d+))?$/.exec(host.toLowerCase());
			const path = (pathname || (host ? '/' : '')) + (search ?? '') || null;
			return { protocol, slashes: slashes ? true : null, auth, host: host?.toLowerCase() ?? null, port, hostname, hash, search,
				query: query ? rt.querystring.parse(search?.slice(1)) : search?.slice(1) ?? null, pathname: pathname || (host ? '/' : null), path, href: text };
		},
		format(value) {
			if (typeof value === 'string' || value instanceof URL) return String(value);
			const search = value.search ?? (value.query && Object.keys(value.query).length ? `?${rt.querystring.stringify(value.query)}` : '');
			const host = value.host ?? (value.hostname ? value.hostname + (value.port ? `:${value.port}` : '') : '');
			const protocol = value.protocol ? value.protocol.replace(/:?$/, ':') : '';
			return protocol + (host ? `//${value.auth ? `${value.auth}@` : ''}${host}` : '') + (value.pathname ?? '') + search + (value.hash ?? '');
		},
		resolve: (from, to) => {
			const base = new URL(from, 'resolve://');
			const found = new URL(to, base);
			return found.protocol === 'resolve:' ? found.pathname + found.search + found.hash : found.href;
		},
	};
})();
