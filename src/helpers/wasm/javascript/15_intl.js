// SPDX-License-Identifier: Apache-2.0
// The engine has no Intl: this is the part of it for English (and the time zone
// of the run), which programs use to print numbers, dates and sorted names.
(function () {
	'use strict';
	const rt = globalThis.__runtime;
	const hide = rt.hide;

	// --- numbers ---

	const symbols = { USD: '$', EUR: '€', GBP: '£', JPY: '¥', INR: '₹', CNY: 'CN¥', KRW: '₩', CAD: 'CA$', AUD: 'A$', MXN: 'MX$', BRL: 'R$', CHF: 'CHF\u00a0' };
	const group = (digits, mark) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, mark);
	const marks = (locale) => /^(de|es|it|nl|pt|id|tr|da)\b/.test(locale) ? ['.', ','] :
		/^fr\b/.test(locale) ? ['\u202f', ','] : /^(ru|uk|pl|cs|sv|nb|no|fi)\b/.test(locale) ? ['\u00a0', ','] : [',', '.'];

	// Rounds the decimal text half away from zero, as ICU does with the exact value.
	function fixed(value, minimum, maximum) {
		let text = value.toFixed(Math.min(maximum, 100));
		const exact = String(value);
		// toFixed works on the binary value; ICU on the shortest decimal one.
		const point = exact.indexOf('.');
		if (point >= 0 && !exact.includes('e') && exact.length - point - 1 > maximum && exact[point + 1 + maximum] >= '5') {
			const cut = BigInt(exact.slice(0, point) + exact.slice(point + 1, point + 1 + maximum)) + 1n;
			const digits = String(cut).padStart(maximum + 1, '0');
			text = maximum > 0 ? `${digits.slice(0, -maximum)}.${digits.slice(-maximum)}` : digits;
		}
		if (maximum > minimum && text.includes('.')) {
			let end = text.length;
			const least = text.indexOf('.') + 1 + minimum;
			while (end > least && text[end - 1] === '0') end--;
			if (text[end - 1] === '.') end--;
			text = text.slice(0, end);
		}
		return text;
	}

	function significant(value, minimum, maximum) {
		if (value === 0) return minimum > 1 ? (0).toFixed(minimum - 1) : '0';
		const rounded = Number(value.toPrecision(maximum));
		const magnitude = Math.floor(Math.log10(rounded));
		return fixed(rounded, Math.max(0, minimum - 1 - magnitude), Math.max(0, maximum - 1 - magnitude));
	}

	const compactSteps = [[1e12, 'T', ' trillion'], [1e9, 'B', ' billion'], [1e6, 'M', ' million'], [1e3, 'K', ' thousand']];
	const unitNames = { kilometer: 'km', meter: 'm', celsius: '°C', percent: '%', liter: 'L', kilogram: 'kg', byte: 'byte', kilobyte: 'kB', megabyte: 'MB', gigabyte: 'GB', second: 'sec', minute: 'min', hour: 'hr', day: 'day', 'kilometer-per-hour': 'km/h', 'mile-per-hour': 'mph', mile: 'mi' };

	class NumberFormat {
		#options; #locale;
		constructor(locale, options = {}) {
			const o = { ...options };
			const money = o.style === 'currency';
			const percent = o.style === 'percent';
			const digits = money ? (o.currency === 'JPY' || o.currency === 'KRW' ? 0 : 2) : 0;
			o.minimum = o.minimumFractionDigits ?? Math.min(digits, o.maximumFractionDigits ?? digits);
			o.maximum = o.maximumFractionDigits ?? Math.max(o.minimum, money ? digits : percent ? 0 : o.notation === 'compact' ? 0 : 3);
			if (!(o.minimum >= 0 && o.minimum <= 100)) throw new RangeError('minimumFractionDigits value is out of range.');
			if (!(o.maximum >= o.minimum && o.maximum <= 100)) throw new RangeError('maximumFractionDigits value is out of range.');
			if (money && !o.currency) throw new TypeError('Currency code is required with currency style.');
			this.#options = o;
			this.#locale = String(Array.isArray(locale) ? locale[0] ?? 'en-US' : locale ?? 'en-US');
			hide(this, 'format', (value) => this.#text(value));
		}
		#digits(value) {
			const o = this.#options;
			let text;
			if (typeof value === 'bigint') text = String(value) + (o.minimum ? `.${'0'.repeat(o.minimum)}` : '');
			else if (o.maximumSignificantDigits || o.minimumSignificantDigits)
				text = significant(value, o.minimumSignificantDigits ?? 1, o.maximumSignificantDigits ?? 21);
			else if (value >= 1e21) text = String(BigInt(value)) + (o.minimum ? `.${'0'.repeat(o.minimum)}` : '');
			else text = fixed(value, o.minimum, o.maximum);
			let [whole, part] = text.split('.');
			if (o.minimumIntegerDigits) whole = whole.padStart(o.minimumIntegerDigits, '0');
			const [mark, point] = marks(this.#locale);
			const small = /^(es|pl|pt-PT)\b/.test(this.#locale) && whole.length < 5;
			if (o.useGrouping !== false && !small) whole = /^(en-IN|hi)\b/.test(this.#locale) && whole.length > 3 ?
				whole.slice(0, -3).replace(/\B(?=(\d{2})+(?!\d))/g, ',') + ',' + whole.slice(-3) : group(whole, mark);
			return part ? whole + point + part : whole;
		}
		#compact(value) {
			const o = this.#options;
			for (const [size, short, long] of compactSteps) {
				if (value < size && Math.round(value / size * 1000) < 1000) continue;
				const scaled = value / size;
				return this.#rounded(scaled) + (o.compactDisplay === 'long' ? long : short);
			}
			return this.#rounded(value);
		}
		#rounded(value) {
			const o = this.#options;
			if (o.maximumFractionDigits !== undefined || o.minimumFractionDigits !== undefined) return this.#digits(value);
			return value < 100 ? significant(value, 1, 2) : fixed(value, 0, 0);
		}
		#text(given) {
			const o = this.#options;
			let value = typeof given === 'bigint' ? given : Number(given);
			if (value !== value) return 'NaN';
			const negative = value < 0 || Object.is(value, -0);
			if (negative) value = -value;
			if (o.style === 'percent') value = typeof value === 'bigint' ? value * 100n : Number((value * 100).toPrecision(15));
			let text = value === Infinity ? '∞' : o.notation === 'compact' ? this.#compact(value) : this.#digits(value);
			const after = /^(de|es|it|fr|ru|uk|pl|cs|sv|nb|no|fi|pt-PT)\b/.test(this.#locale);
			if (o.style === 'percent') text += after ? '\u00a0%' : '%';
			if (o.style === 'unit') {
				const name = unitNames[o.unit] ?? o.unit;
				const long = o.unitDisplay === 'long' ? ` ${o.unit}${value === 1 ? '' : 's'}` : null;
				text += long ?? (/^[°%]/.test(name) ? name : ` ${name}`);
			}
			if (o.style === 'currency') {
				const code = String(o.currency).toUpperCase();
				const name = o.currencyDisplay === 'code' ? `${code}\u00a0` : symbols[code] ?? `${code}\u00a0`;
				text = after ? `${text}\u00a0${name.trim()}` : name + text;
			}
			const zero = /^[^1-9∞]*$/.test(text);
			const accounting = o.style === 'currency' && o.currencySign === 'accounting';
			const sign = o.signDisplay ?? 'auto';
			if (negative && sign !== 'never' && !(zero && (sign === 'exceptZero' || sign === 'negative'))) return accounting ? `(${text})` : `-${text}`;
			if (!negative && (sign === 'always' || (sign === 'exceptZero' && !zero))) return `+${text}`;
			return text;
		}
		formatToParts(value) {
			const parts = [];
			for (const [piece] of this.format(value).matchAll(/\d+|[^\d]/g))
				parts.push({ type: /\d/.test(piece) ? 'integer' : piece === ',' ? 'group' : piece === '.' ? 'decimal' : 'literal', value: piece });
			return parts;
		}
		resolvedOptions() {
			const o = this.#options;
			return { locale: this.#locale, numberingSystem: 'latn', style: o.style ?? 'decimal', ...(o.currency ? { currency: o.currency } : {}),
				minimumIntegerDigits: o.minimumIntegerDigits ?? 1, minimumFractionDigits: o.minimum, maximumFractionDigits: o.maximum };
		}
		static supportedLocalesOf(list) { return [].concat(list ?? []); }
	}

	hide(Number.prototype, 'toLocaleString', function toLocaleString(locale, options) {
		return new NumberFormat(locale, options).format(Number(this));
	});
	hide(BigInt.prototype, 'toLocaleString', function toLocaleString(locale, options) {
		return new NumberFormat(locale, options).format(BigInt(this));
	});

	// --- dates ---

	const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
	const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
	const two = (value) => String(value).padStart(2, '0');
	const zones = { 'America/New_York': [-300, 'EST', 'EDT', 'us'], 'America/Chicago': [-360, 'CST', 'CDT', 'us'], 'America/Denver': [-420, 'MST', 'MDT', 'us'],
		'America/Los_Angeles': [-480, 'PST', 'PDT', 'us'], 'Europe/London': [0, 'GMT', 'GMT+1', 'eu'], 'Europe/Berlin': [60, 'GMT+1', 'GMT+2', 'eu'],
		'Europe/Paris': [60, 'GMT+1', 'GMT+2', 'eu'], 'Europe/Madrid': [60, 'GMT+1', 'GMT+2', 'eu'], 'Europe/Rome': [60, 'GMT+1', 'GMT+2', 'eu'],
		'Asia/Tokyo': [540, 'GMT+9'], 'Asia/Shanghai': [480, 'GMT+8'], 'Asia/Kolkata': [330, 'GMT+5:30'], 'Asia/Singapore': [480, 'GMT+8'], 'Asia/Dubai': [240, 'GMT+4'] };

	const sunday = (year, month, nth) => {
		if (nth > 0) return 1 + (7 - new Date(Date.UTC(year, month, 1)).getUTCDay()) % 7 + (nth - 1) * 7;
		const last = new Date(Date.UTC(year, month + 1, 0));
		return last.getUTCDate() - last.getUTCDay();
	};

	// The clock change of today's rules; those of the past are not known here.
	function inSummer(time, offset, rule) {
		const year = new Date(time).getUTCFullYear();
		if (rule === 'eu') return time >= Date.UTC(year, 2, sunday(year, 2, -1), 1) && time < Date.UTC(year, 9, sunday(year, 9, -1), 1);
		if (rule === 'us') return time >= Date.UTC(year, 2, sunday(year, 2, 2), 2) - offset * 60000 && time < Date.UTC(year, 10, sunday(year, 10, 1), 1) - offset * 60000;
		return false;
	}

	function zoneAt(time, zone) {
		if (!zone) {
			const offset = -new Date(time).getTimezoneOffset();
			return { offset, name: offset === 0 ? 'UTC' : `GMT${offset < 0 ? '-' : '+'}${Math.abs(offset) / 60}` };
		}
		if (/^(UTC|GMT|Etc\/UTC|Etc\/GMT|Zulu)$/i.test(zone)) return { offset: 0, name: 'UTC' };
		const known = zones[zone];
		if (!known) throw new RangeError(`Invalid time zone specified: ${zone}`);
		const summer = inSummer(time, known[0], known[3]);
		return { offset: known[0] + (summer ? 60 : 0), name: summer ? known[2] : known[1] };
	}

	function styled(options) {
		const o = { ...options };
		const date = { full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' }, long: { year: 'numeric', month: 'long', day: 'numeric' },
			medium: { year: 'numeric', month: 'short', day: 'numeric' }, short: { year: '2-digit', month: 'numeric', day: 'numeric' } }[o.dateStyle];
		const time = { full: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'long' }, long: { hour: 'numeric', minute: '2-digit', second: '2-digit', timeZoneName: 'short' },
			medium: { hour: 'numeric', minute: '2-digit', second: '2-digit' }, short: { hour: 'numeric', minute: '2-digit' } }[o.timeStyle];
		return Object.assign(o, date, time);
	}

	class DateTimeFormat {
		#o; #locale;
		constructor(locale, options = {}, wants = 'date') {
			const o = styled(options);
			const hasDate = o.weekday || o.year || o.month || o.day;
			const hasTime = o.hour || o.minute || o.second || o.fractionalSecondDigits || o.dayPeriod;
			const styles = options.dateStyle || options.timeStyle;
			if (!styles && ((wants === 'date' && !hasDate && !hasTime) || (wants === 'all' && !hasDate && !hasTime) || (wants === 'onlydate' && !hasDate)))
				Object.assign(o, { year: 'numeric', month: 'numeric', day: 'numeric' });
			if (!styles && ((wants === 'all' && !hasDate && !hasTime) || (wants === 'onlytime' && !hasTime)))
				Object.assign(o, { hour: 'numeric', minute: '2-digit', second: '2-digit' });
			this.#o = o;
			this.#locale = String(Array.isArray(locale) ? locale[0] ?? 'en-US' : locale ?? 'en-US');
			if (o.timeZone) zoneAt(0, o.timeZone);
			hide(this, 'format', (date) => this.#text(date));
		}
		#fields(date) {
			const time = date === undefined ? Date.now() : Number(date);
			if (!Number.isFinite(time)) throw new RangeError('Invalid time value');
			const zone = zoneAt(time, this.#o.timeZone);
			return { at: new Date(time + zone.offset * 60000), zone };
		}
		#date(at) {
			const o = this.#o;
			const locale = this.#locale;
			const year = o.year && (o.year === '2-digit' ? two(at.getUTCFullYear() % 100) : String(at.getUTCFullYear()));
			const day = o.day && (o.day === '2-digit' ? two(at.getUTCDate()) : String(at.getUTCDate()));
			const weekday = o.weekday && (o.weekday === 'long' ? days[at.getUTCDay()] : days[at.getUTCDay()].slice(0, o.weekday === 'narrow' ? 1 : 3));
			const index = at.getUTCMonth();
			if (o.month === 'long' || o.month === 'short' || o.month === 'narrow') {
				const short = /^en-(GB|AU)/.test(locale) && index === 8 ? 'Sept' : months[index].slice(0, 3);
				const month = o.month === 'long' ? months[index] : o.month === 'short' ? short : months[index][0];
				if (/^en-(GB|AU|IN|NZ|IE)|^de|^fr|^es/.test(locale)) {
					const middle = [day, month, year].filter(Boolean).join(' ');
					return weekday ? (middle ? `${weekday}${o.weekday === 'long' && /^en-GB/.test(locale) ? '' : ','} ${middle}` : weekday) : middle;
				}
				const front = [month, day].filter(Boolean).join(' ');
				return [weekday, front + (year ? (day ? `, ${year}` : ` ${year}`) : '')].filter(Boolean).join(', ');
			}
			const month = o.month && (o.month === '2-digit' ? two(index + 1) : String(index + 1));
			let text;
			if (/^en-(GB|AU|NZ|IE)/.test(locale) || /^(fr|es|it|pt)\b/.test(locale)) {
				const wide = /^(es|it)\b/.test(locale);
				text = [day && (wide ? day : two(day)), month && (wide ? month : two(month)), year].filter(Boolean).join('/');
			} else if (/^(sv|en-CA|fr-CA)\b/.test(locale)) text = [year, month && two(month), day && two(day)].filter(Boolean).join('-');
			else if (/^de\b/.test(locale)) text = [day, month, year].filter(Boolean).join('.');
			else if (/^ja\b|^zh\b/.test(locale)) text = [year, month, day].filter(Boolean).join('/');
			else text = [month, day, year].filter(Boolean).join('/');
			return [weekday, text].filter(Boolean).join(', ');
		}
		#time(at, zone) {
			const o = this.#o;
			if (!o.hour && !o.minute && !o.second && !o.fractionalSecondDigits) return '';
			const us = !/^(en-GB|de|fr|es|it|sv|pt|ru|ja|zh|nl|pl)\b/.test(this.#locale);
			const twelve = o.hour12 ?? (o.hourCycle ? /^h1[12]$/.test(o.hourCycle) : us);
			const hours = at.getUTCHours();
			const full = o.hour12 === false && us && o.hourCycle === undefined && hours === 0 ? 24 : hours;
			const shown = twelve ? hours % 12 || 12 : full;
			const parts = [];
			if (o.hour) parts.push(o.hour === '2-digit' || (!twelve) ? two(shown) : String(shown));
			if (o.minute) parts.push(o.hour || o.second ? two(at.getUTCMinutes()) : String(at.getUTCMinutes()));
			if (o.second) parts.push((o.minute ? two(at.getUTCSeconds()) : String(at.getUTCSeconds())) +
				(o.fractionalSecondDigits ? `.${String(at.getUTCMilliseconds()).padStart(3, '0').slice(0, o.fractionalSecondDigits)}` : ''));
			let text = parts.join(':');
			const mark = /^en-(GB|AU)/.test(this.#locale) ? (hours < 12 ? 'am' : 'pm') : hours < 12 ? 'AM' : 'PM';
			if (twelve && o.hour) text += ` ${mark}`;
			if (o.timeZoneName) text += ` ${o.timeZoneName === 'long' && zone.name === 'UTC' ? 'Coordinated Universal Time' : zone.name}`;
			return text;
		}
		#text(date) {
			const { at, zone } = this.#fields(date);
			const left = this.#date(at);
			const right = this.#time(at, zone);
			if (!left || !right) return left || right;
			const joint = /^(full|long)$/.test(this.#o.dateStyle ?? '') ? ' at ' : ', ';
			return left + joint + right;
		}
		formatToParts(date) {
			const { at } = this.#fields(date);
			const kinds = [];
			const text = this.#text(date);
			const o = this.#o;
			const order = /[a-z]{3}/i.test(text.split(',')[0]) ? null : ['month', 'day', 'year', 'hour', 'minute', 'second'].filter((name) => o[name]);
			let next = 0;
			for (const [piece] of text.matchAll(/\d+|[A-Za-z]+|[^\dA-Za-z]+/g)) {
				let type = 'literal';
				if (/^\d/.test(piece)) type = order ? order[next++] ?? 'fractionalSecond' : kinds.length && piece.length === 4 ? 'year' : 'day';
				else if (/^(AM|PM)$/.test(piece)) type = 'dayPeriod';
				else if (months.some((name) => name.startsWith(piece))) type = 'month';
				else if (days[at.getUTCDay()].startsWith(piece)) type = 'weekday';
				else if (piece === 'UTC') type = 'timeZoneName';
				kinds.push({ type, value: piece });
			}
			return kinds;
		}
		resolvedOptions() {
			return { locale: this.#locale, calendar: 'gregory', numberingSystem: 'latn', timeZone: this.#o.timeZone ?? 'UTC' };
		}
	}
	for (const [name, wants] of [['toLocaleString', 'all'], ['toLocaleDateString', 'onlydate'], ['toLocaleTimeString', 'onlytime']])
		hide(Date.prototype, name, { [name](locale, options) {
			if (Number.isNaN(this.getTime())) return 'Invalid Date';
			return new DateTimeFormat(locale, options, wants).format(this);
		} }[name]);

	// --- order of texts: by letters, then accents, then case, as ICU's root ---

	const punctuation = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$";
	function rank(letter) {
		const code = letter.codePointAt(0);
		if (/\s/.test(letter)) return code;
		const known = punctuation.indexOf(letter);
		if (known >= 0) return 1000 + known;
		if (letter >= '0' && letter <= '9') return 5000 + code;
		if (/\p{L}/u.test(letter)) return 10000 + code;
		return 3000 + (code & 0x7ff);
	}
	const decompose = { ß: 'ss', æ: 'ae', Æ: 'AE', œ: 'oe', ø: 'o', Ø: 'O', ł: 'l', Ł: 'L', đ: 'd' };
	function keysOf(text) {
		const plain = text.replace(/[ßæÆœøØłŁđ]/g, (letter) => decompose[letter]).normalize('NFD');
		return { base: plain.replace(/\p{M}/gu, '').toLowerCase(), accents: plain.toLowerCase(), whole: text };
	}
	function compareBase(a, b, numeric) {
		const left = numeric ? a.match(/\d+|\D/gu) ?? [] : [...a];
		const right = numeric ? b.match(/\d+|\D/gu) ?? [] : [...b];
		for (let i = 0; i < left.length && i < right.length; i++) {
			if (left[i] === right[i]) continue;
			if (numeric && /^\d/.test(left[i]) && /^\d/.test(right[i])) {
				const difference = BigInt(left[i]) - BigInt(right[i]);
				if (difference !== 0n) return difference < 0n ? -1 : 1;
				continue;
			}
			const difference = rank(left[i]) - rank(right[i]);
			if (difference !== 0) return difference < 0 ? -1 : 1;
		}
		return Math.sign(left.length - right.length);
	}
	function compareCase(a, b, upperFirst) {
		for (let i = 0; i < a.length && i < b.length; i++) {
			if (a[i] === b[i]) continue;
			const lower = a[i] === a[i].toLowerCase() && b[i] !== b[i].toLowerCase();
			return lower !== upperFirst ? -1 : 1;
		}
		return 0;
	}
	const isPlain = /^[a-z]*$/;
	function compare(a, b, options) {
		if (a === b) return 0;
		if (!options && isPlain.test(a) && isPlain.test(b)) return a < b ? -1 : 1;
		if (options?.ignorePunctuation) [a, b] = [a, b].map((text) => text.replace(/[\p{P}\s]/gu, ''));
		const sensitivity = options?.sensitivity ?? 'variant';
		const left = keysOf(a), right = keysOf(b);
		const first = compareBase(left.base, right.base, options?.numeric);
		if (first !== 0 || sensitivity === 'base') return first;
		if (sensitivity !== 'case' && left.accents !== right.accents) return left.accents < right.accents ? -1 : 1;
		return sensitivity === 'accent' ? 0 : compareCase(a, b, options?.caseFirst === 'upper');
	}
	hide(String.prototype, 'localeCompare', function localeCompare(other, locale, options) {
		return compare(String(this), String(other), options);
	});

	class Collator {
		#options;
		constructor(locale, options) {
			this.#options = options;
			hide(this, 'compare', (a, b) => compare(String(a), String(b), this.#options));
		}
		resolvedOptions() { return { locale: 'en-US', usage: 'sort', sensitivity: 'variant', ...this.#options }; }
	}

	// --- the small ones ---

	class PluralRules {
		#ordinal;
		constructor(locale, options) { this.#ordinal = options?.type === 'ordinal'; }
		select(number) {
			if (!this.#ordinal) return number === 1 ? 'one' : 'other';
			const last = number % 10, teens = number % 100 - last === 10;
			return teens ? 'other' : ['other', 'one', 'two', 'few'][last] ?? 'other';
		}
	}
	class ListFormat {
		#word; #narrow;
		constructor(locale, options = {}) {
			this.#word = options.type === 'disjunction' ? 'or' : options.type === 'unit' ? '' : 'and';
			this.#narrow = options.style === 'narrow';
		}
		format(list) {
			const items = [...list];
			const joint = this.#word ? `${this.#word} ` : '';
			if (items.length < 2) return items.join('');
			if (items.length === 2) return items.join(this.#word ? ` ${joint}` : ', ');
			return `${items.slice(0, -1).join(', ')}, ${joint}${items.at(-1)}`;
		}
	}
	class RelativeTimeFormat {
		#auto;
		constructor(locale, options) { this.#auto = options?.numeric === 'auto'; }
		format(value, unit) {
			const name = String(unit).replace(/s$/, '');
			const special = this.#auto && { day: { '-1': 'yesterday', 0: 'today', 1: 'tomorrow' } }[name]?.[value];
			if (special) return special;
			if (this.#auto && Math.abs(value) <= 1 && name !== 'hour' && name !== 'minute' && name !== 'second')
				return `${value < 0 ? 'last' : value > 0 ? 'next' : 'this'} ${name}`;
			const size = Math.abs(value);
			const text = `${new NumberFormat().format(size)} ${name}${size === 1 ? '' : 's'}`;
			return value < 0 || Object.is(value, -0) ? `${text} ago` : `in ${text}`;
		}
	}
	const clusters = /\p{RI}{2}|\p{Extended_Pictographic}(?:\uFE0F|\p{EMod})?(?:\u200D\p{Extended_Pictographic}(?:\uFE0F|\p{EMod})?)*|\r\n|[\s\S]\p{M}*/gu;
	class Segmenter {
		#by;
		constructor(locale, options) { this.#by = options?.granularity ?? 'grapheme'; }
		*segment(input) {
			const pattern = this.#by === 'word' ? /[\p{L}\p{N}_']+|\s+|[^\p{L}\p{N}_'\s]/gu : this.#by === 'sentence' ? /[^.!?]+[.!?]*\s*/g : clusters;
			for (const found of input.matchAll(pattern))
				yield this.#by === 'word' ? { segment: found[0], index: found.index, input, isWordLike: /[\p{L}\p{N}]/u.test(found[0]) } : { segment: found[0], index: found.index, input };
		}
	}

	// NumberFormat and DateTimeFormat may be called without new.
	const callable = (Type, name) => {
		const made = function (...args) { return new Type(...args); };
		Object.defineProperty(made, 'name', { value: name });
		made.prototype = Type.prototype;
		hide(Type.prototype, 'constructor', made);
		hide(made, 'supportedLocalesOf', (list) => [].concat(list ?? []));
		return made;
	};
	const Intl = { NumberFormat: callable(NumberFormat, 'NumberFormat'), DateTimeFormat: callable((class extends DateTimeFormat { constructor(locale, options) { super(locale, options); } }), 'DateTimeFormat'),
		Collator: callable(Collator, 'Collator'), PluralRules, ListFormat, RelativeTimeFormat, Segmenter, getCanonicalLocales: (list) => [].concat(list ?? []) };
	for (const name of Object.keys(Intl)) hide(Intl, name, Intl[name]);
	Object.defineProperty(Intl, Symbol.toStringTag, { value: 'Intl', configurable: true });
	rt.global('Intl', Intl);
	hide(String.prototype, 'toLocaleUpperCase', function toLocaleUpperCase() { return this.toUpperCase(); });
	hide(String.prototype, 'toLocaleLowerCase', function toLocaleLowerCase() { return this.toLowerCase(); });
	// An array asks each of its items, with the arguments.
	hide(Array.prototype, 'toLocaleString', function toLocaleString(...args) {
		return this.map((item) => item === null || item === undefined ? '' : item.toLocaleString(...args)).join(',');
	});
})();
