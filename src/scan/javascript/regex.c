/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.replace(): by a string or by a regular expression that POSIX supports, too. Only short ones on short
 * strings, without counts and back references, so that none takes long.
 */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "scan/javascript/javascript.h"

#define MAX_PATTERN 100u
#define MAX_PLUSES  8u /* the C library writes each out: what they are around doubles */
#define MAX_SUBJECT 8192u
#define MAX_HITS    4096u
#define GROUPS      10u

static void drop_regex(regex_t **re)
{
	if (*re)
		regfree(*re);
}

/* "\d", "\.": false when POSIX has no such thing. */
static bool translate_escape(const char *escape, bool is_inside, struct buf *b)
{
	static const char classes[] = "dwsDWS";
	static const char *const meant[] = { "[0-9]",  "[A-Za-z0-9_]",  "[[:space:]]",
					     "[^0-9]", "[^A-Za-z0-9_]", "[^[:space:]]" };
	const char *class = strchr(classes, escape[1]);

	if (is_inside || (!class && strchr("bBnrtvfukxpPc0123456789", escape[1])))
		return false;
	if (class)
		buf_add(b, meant[class - classes], strlen(meant[class - classes]));
	else
		buf_add(b, escape, 2);
	return true;
}

/* A count, a lazy repetition or a special group. */
static bool is_odd(char c, char next)
{
	return c == '{' || (next == '?' && c && strchr("(*+?", c));
}

/* As POSIX writes it; false when it cannot. */
static bool translate(const struct js_value *re, struct buf *b)
{
	unsigned int pluses = 0;
	bool is_inside = false;

	for (uint32_t i = 0; i < re->len; i++) {
		char c = re->data[i], next = i + 1 < re->len ? re->data[i + 1] : '\0';

		if (c == '\\') {
			if (!next || !translate_escape(&re->data[i++], is_inside, b))
				return false;
			continue;
		}
		if (!is_inside && is_odd(c, next))
			return false;
		if (c == '+' && ++pluses > MAX_PLUSES)
			return false;
		is_inside = c == '[' || (is_inside && c != ']');
		buf_add(b, &c, 1);
	}
	return re->len > 0 && re->len <= MAX_PATTERN;
}

/* A text with $1 and $& in it. */
static void add_template(struct buf *out, const char *s, const regmatch_t *hit, const struct js_value *to)
{
	for (uint32_t i = 0; i < to->len; i++) {
		char next = to->data[i] == '$' && i + 1 < to->len ? to->data[i + 1] : '\0';
		int group = next == '&' ? 0 : next > '0' && next < '0' + (int)GROUPS ? next - '0' : -1;

		if (group >= 0 && hit[group].rm_so >= 0) {
			buf_add(out, s + hit[group].rm_so, (size_t)(hit[group].rm_eo - hit[group].rm_so));
			i++;
		} else {
			buf_add(out, &to->data[i], 1);
		}
	}
}

/* What stands for a hit: a template, or what a function gives for it. */
static bool add_replacement(struct js_reader *r, uint32_t at, struct buf *out, const char *s,
			    const regmatch_t *hit, struct js_value *to)
{
	struct js_args args = { 0 };

	if (to->type == JS_V_TEXT) {
		add_template(out, s, hit, to);
		return true;
	}
	for (size_t i = 0; i < GROUPS && (i == 0 || hit[i].rm_so >= 0); i++)
		args.list[args.n++] =
			js_text_copy(r, s + hit[i].rm_so, (size_t)(hit[i].rm_eo - hit[i].rm_so), 0);
	to = js_apply(r, at, to, NULL, &args);
	if (to->type != JS_V_TEXT && to->type != JS_V_NUMBER)
		return false;
	js_add_text(r, out, to);
	return true;
}

static struct js_value *replace_regex(struct js_reader *r, uint32_t at, const struct js_value *v,
				      const struct js_value *from, struct js_value *to)
{
	scoped(buf_finish) struct buf pattern = { 0 };
	scoped(buf_finish) struct buf out = { 0 };
	scoped(buf_finish) struct buf subject = { 0 };
	regex_t compiled;
	scoped(drop_regex) regex_t *re = NULL;
	regmatch_t hit[GROUPS];
	size_t at_byte = 0;
	unsigned int n = 0;

	if (v->len > MAX_SUBJECT || memchr(v->data, '\0', v->len) || !translate(from, &pattern) ||
	    !buf_str(&pattern))
		return NULL;
	buf_add(&subject, v->data, v->len);
	if (!buf_str(&subject) || regcomp(&compiled, pattern.data, REG_EXTENDED) != 0)
		return NULL;
	re = &compiled;
	while (at_byte <= v->len && n++ < MAX_HITS && !r->has_stopped &&
	       regexec(re, subject.data + at_byte, GROUPS, hit, at_byte ? REG_NOTBOL : 0) == 0) {
		const char *s = subject.data + at_byte;

		buf_add(&out, s, (size_t)hit[0].rm_so);
		if (out.len > JS_MAX_TEXT || !add_replacement(r, at, &out, s, hit, to))
			return NULL;
		at_byte += (size_t)hit[0].rm_eo;
		if (hit[0].rm_eo == 0 && at_byte < v->len)
			buf_add(&out, subject.data + at_byte, 1);
		at_byte += hit[0].rm_eo == 0;
		r->steps += 16;
		if (from->number == 0)
			break;
	}
	if (at_byte < v->len)
		buf_add(&out, subject.data + at_byte, v->len - at_byte);
	return js_fold(r, &out, js_flags(v) | JS_DECODED, v->from);
}

struct js_value *js_replace(struct js_reader *r, uint32_t at, const struct js_value *v,
			    const struct js_args *args, bool is_all)
{
	scoped(buf_finish) struct buf out = { 0 };
	const char *s = v->data, *end = s + v->len, *hit;
	const struct js_value *from = args->n ? args->list[0] : v;
	struct js_value *to = args->n > 1 ? args->list[1] : NULL;

	if (!to)
		return NULL;
	if (from->type == JS_V_REGEX)
		return replace_regex(r, at, v, from, to);
	if (from->type != JS_V_TEXT || !from->len || to->type != JS_V_TEXT)
		return NULL;
	while ((hit = memmem(s, (size_t)(end - s), from->data, from->len)) != NULL && out.len < JS_MAX_TEXT) {
		buf_add(&out, s, (size_t)(hit - s));
		buf_add(&out, to->data, to->len);
		s = hit + from->len;
		if (!is_all)
			break;
	}
	buf_add(&out, s, (size_t)(end - s));
	return js_fold(r, &out, js_flags(v) | JS_DECODED, v->from);
}
