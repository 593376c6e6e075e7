/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that only make or change text: their output is known if their input is. */
#include "scan/shell/shell.h"

#include <stdlib.h>

#include "base/str.h"

static int hex_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

/* A number of up to MOST digits behind an escape; moves *P behind it. */
static char read_number(const char **p, const char *end, int base, int most)
{
	int n = 0;

	for (; most-- && *p < end; (*p)++) {
		int digit = hex_digit(**p);

		if (digit < 0 || digit >= base)
			break;
		n = (n * base + digit) & 0xffff;
	}
	return (char)n;
}

void shell_unescape(struct sh *s, struct val *v, const char *text, size_t len)
{
	static const char from[] = "abefnrtv\\'\"?", to[] = "\a\b\x1b\f\n\r\t\v\\'\"?";
	const char *p = text, *end = text + len;

	while (p < end) {
		const char *found;
		char c = *p++;

		if (c == '\\' && p < end) {
			c = *p++;
			if (c == 'x' || c == 'u' || c == 'U')
				c = read_number(&p, end, 16, c == 'x' ? 2 : c == 'u' ? 4 : 8);
			else if (c >= '0' && c <= '7')
				p -= c != '0', c = read_number(&p, end, 8, 3);
			else if ((found = strchr(from, c)))
				c = to[found - from];
			else
				val_add(s, v, "\\", 1);
			v->is_indirect = true;
		}
		val_add(s, v, &c, 1);
	}
}

static bool do_echo(struct sh *s, const struct words *w, const struct val *in, struct val *out)
{
	bool has_escapes = false, has_newline = true;
	size_t i = 1;

	(void)in;
	for (; i < w->n; i++) {
		const char *text = val_text(&w->list[i]);

		if (*text != '-' || !text[1] || strspn(text + 1, "neE") != strlen(text + 1))
			break;
		has_escapes |= strchr(text, 'e') != NULL;
		has_newline &= !strchr(text, 'n');
	}
	for (size_t first = i; i < w->n; i++) {
		if (i > first)
			val_add(s, out, " ", 1);
		if (has_escapes)
			shell_unescape(s, out, val_text(&w->list[i]), w->list[i].len);
		else
			val_add(s, out, val_text(&w->list[i]), w->list[i].len);
		out->is_indirect |= w->list[i].is_indirect;
	}
	if (has_newline)
		val_add(s, out, "\n", 1);
	return true;
}

/* One round through the format; *ARG moves on. */
static void print_once(struct sh *s, const struct words *w, const char *format, size_t *arg, struct val *out)
{
	while (*format) {
		size_t plain = strcspn(format, "%");

		shell_unescape(s, out, format, plain);
		format += plain;
		if (!*format)
			return;
		format += 1 + strspn(format + 1, "0123456789.-+ #");
		if (*format == '%') {
			val_add(s, out, "%", 1);
		} else if (*format && *arg < w->n) {
			const struct val *v = &w->list[(*arg)++];

			if (*format == 'b')
				shell_unescape(s, out, val_text(v), v->len);
			else
				val_add(s, out, val_text(v), v->len);
		}
		format += *format != '\0';
	}
}

static bool do_printf(struct sh *s, const struct words *w, const struct val *in, struct val *out)
{
	size_t arg = 2, first = 1, before;

	(void)in;
	if (w->n > 1 && val_is(&w->list[1], "--"))
		first++, arg++;
	if (w->n > first + 2 && val_is(&w->list[first], "-v")) {
		struct val v = { 0 };

		arg = first + 3;
		print_once(s, w, val_text(&w->list[first + 2]), &arg, &v);
		table_set(s, &s->vars, val_text(&w->list[first + 1]), &v);
		return true;
	}
	if (w->n <= first)
		return true;
	do {
		before = arg;
		print_once(s, w, val_text(&w->list[first]), &arg, out);
	} while (arg < w->n && arg > before);
	return true;
}

static bool has_option(const struct words *w, const char *letters, const char *word)
{
	for (size_t i = 1; i < w->n; i++) {
		const char *text = val_text(&w->list[i]);

		if (*text == '-' && text[1] != '-' && strpbrk(text + 1, letters))
			return true;
		if (word && !strcmp(text, word))
			return true;
	}
	return false;
}

static bool decode_base64(struct sh *s, const struct val *in, struct val *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned int bits = 0, n = 0;

	for (const char *p = val_text(in); *p && *p != '='; p++) {
		const char *found = strchr(digits, *p == '-' ? '+' : *p == '_' ? '/' : *p);
		char c;

		if (!found)
			continue;
		bits = (bits << 6) | (unsigned int)(found - digits);
		n += 6;
		if (n >= 8) {
			n -= 8;
			c = (char)(bits >> n);
			val_add(s, out, &c, 1);
		}
	}
	out->is_indirect = true;
	return true;
}

static bool decode_hex(struct sh *s, const struct val *in, struct val *out)
{
	int high = -1;

	for (const char *p = val_text(in); *p; p++) {
		int digit = hex_digit(*p);
		char c;

		if (digit < 0)
			continue;
		if (high < 0) {
			high = digit;
			continue;
		}
		c = (char)(high * 16 + digit);
		val_add(s, out, &c, 1);
		high = -1;
	}
	out->is_indirect = true;
	return true;
}

static bool do_rev(struct sh *s, const struct words *w, const struct val *in, struct val *out)
{
	(void)w;
	for (const char *p = val_text(in); *p;) {
		size_t n = strcspn(p, "\n");

		for (size_t i = n; i > 0; i--)
			val_add(s, out, p + i - 1, 1);
		p += n;
		if (*p)
			val_add(s, out, p++, 1);
	}
	out->is_indirect = true;
	return true;
}

/* "a-z", "[:lower:]", escapes. */
static size_t make_set(const char *spec, unsigned char *set, size_t cap)
{
	static const struct {
		const char *name, *range;
	} classes[] = { { "[:lower:]", "az" }, { "[:upper:]", "AZ" }, { "[:digit:]", "09" } };
	size_t n = 0;

	while (*spec && n + 1 < cap) {
		unsigned char from = (unsigned char)spec[0], to = from;
		const char *range = NULL;

		for (size_t i = 0; !range && i < sizeof(classes) / sizeof(*classes); i++)
			range = strncmp(spec, classes[i].name, 9) ? NULL : classes[i].range;
		if (range) {
			from = (unsigned char)range[0];
			to = (unsigned char)range[1];
			spec += 9;
		} else if (spec[1] == '-' && spec[2]) {
			to = (unsigned char)spec[2];
			spec += 3;
		} else if (*spec == '\\' && spec[1]) {
			static const char letters[] = "nt0", bytes[] = "\n\t";
			const char *letter = strchr(letters, spec[1]);

			from = to = (unsigned char)(letter ? bytes[letter - letters] : spec[1]);
			spec += 2;
		} else {
			spec++;
		}
		for (unsigned int c = from; c <= to && n + 1 < cap; c++)
			set[n++] = (unsigned char)c;
	}
	return n;
}

static bool do_tr(struct sh *s, const struct words *w, const struct val *in, struct val *out)
{
	bool is_delete = has_option(w, "d", "--delete");
	unsigned char from[512], to[512];
	size_t first = w->n > 1 && *val_text(&w->list[1]) == '-' && w->list[1].len > 1 ? 2 : 1, n, m = 0;

	if (w->n < first + (is_delete ? 1 : 2) || has_option(w, "cCst", NULL))
		return false;
	n = make_set(val_text(&w->list[first]), from, sizeof(from));
	if (!is_delete)
		m = make_set(val_text(&w->list[first + 1]), to, sizeof(to));
	if (!n || (!is_delete && !m))
		return false;
	for (const char *p = val_text(in); *p; p++) {
		const unsigned char *found = memchr(from, *p, n);
		char c = *p;

		if (found && is_delete)
			continue;
		if (found)
			c = (char)to[(size_t)(found - from) < m ? (size_t)(found - from) : m - 1];
		val_add(s, out, &c, 1);
	}
	out->is_indirect = true;
	return true;
}

/* s/plain/plain/g, nothing else. */
static bool do_sed(struct sh *s, const struct words *w, const struct val *in, struct val *out)
{
	size_t last = w->n - 1, n, m;
	const char *spec = val_text(&w->list[last]), *old, *new;
	char ends[2] = { spec[0] == 's' ? spec[1] : '\0', '\0' };

	if (w->n < 2 || w->n > 3 || !ends[0])
		return false;
	old = spec + 2;
	n = strcspn(old, ends);
	new = old + n + (old[n] != '\0');
	m = strcspn(new, ends);
	if (!n || !new[m] || memchr(new, '&', m) || memchr(new, '\\', m))
		return false;
	for (size_t i = 0; i < n; i++)
		if (strchr(".*[]^$\\+?(){}|", old[i]))
			return false;
	for (const char *p = val_text(in); *p;) {
		if (!strncmp(p, old, n)) {
			val_add(s, out, new, m);
			p += n;
		} else {
			val_add(s, out, p++, 1);
		}
	}
	out->is_indirect = true;
	return true;
}

static bool do_cat(struct sh *s, const struct words *w, const struct val *in, struct val *out)
{
	bool has_files = false;

	for (size_t i = 1; i < w->n; i++) {
		scoped(val_finish) struct val file = { 0 };

		if (*val_text(&w->list[i]) == '-')
			continue;
		has_files = true;
		val_set_unknown(s, &file);
		shell_read_file(s, val_text(&w->list[i]), &file);
		val_join(s, out, &file);
	}
	if (!has_files && in)
		val_join(s, out, in);
	return has_files || in;
}

static bool do_base64(struct sh *s, const struct words *w, const struct val *in, struct val *out)
{
	return has_option(w, "dD", "--decode") && decode_base64(s, in, out);
}

static bool do_openssl(struct sh *s, const struct words *w, const struct val *in, struct val *out)
{
	return has_option(w, "a", "base64") && has_option(w, "d", NULL) && decode_base64(s, in, out);
}

static bool do_xxd(struct sh *s, const struct words *w, const struct val *in, struct val *out)
{
	return has_option(w, "r", NULL) && has_option(w, "p", "-plain") && decode_hex(s, in, out);
}

static bool do_pwd(struct sh *s, const struct words *w, const struct val *in, struct val *out)
{
	(void)w, (void)in;
	val_add(s, out, s->cwd ? s->cwd : ".", s->cwd ? strlen(s->cwd) : 1);
	return true;
}

static bool do_tee(struct sh *s, const struct words *w, const struct val *in, struct val *out)
{
	(void)w;
	if (in)
		val_join(s, out, in);
	return in;
}

static bool do_nothing(struct sh *s, const struct words *w, const struct val *in, struct val *out)
{
	(void)s, (void)w, (void)in, (void)out;
	return true;
}

static const struct {
	const char *names;
	bool (*run)(struct sh *s, const struct words *w, const struct val *in, struct val *out);
	bool needs_input; /* that is known */
} filters[] = {
	{ "echo", do_echo, false },    { "printf", do_printf, false },
	{ "pwd", do_pwd, false },      { "cat", do_cat, false },
	{ "tee", do_tee, false },      { "true|false|:|sleep|wait", do_nothing, false },
	{ "base64", do_base64, true }, { "openssl", do_openssl, true },
	{ "xxd", do_xxd, true },       { "rev", do_rev, true },
	{ "tr", do_tr, true },         { "sed", do_sed, true },
};

bool shell_filter(struct sh *s, const struct words *w, const struct val *in, struct val *out)
{
	const char *name = val_text(&w->list[0]);

	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
		if (str_is_one_of(name, filters[i].names))
			return (!filters[i].needs_input || (in && val_is_known(in))) &&
			       filters[i].run(s, w, in, out);
	return false;
}
