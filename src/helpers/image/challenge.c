/* SPDX-License-Identifier: Apache-2.0 */
/* Reads WWW-Authenticate: schemes, each with parameters, all separated by commas. */
#include "helpers/image/challenge.h"

#include <string.h>
#include <strings.h>

struct reader {
	const char *at, *end;
};

struct word {
	const char *at;
	size_t len;
};

static bool is_token_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       (c && strchr("!#$%&'*+-.^_`|~/", c)); /* "/" is of token68 only, which nobody here reads */
}

static void skip(struct reader *r, const char *which)
{
	while (r->at < r->end && *r->at && strchr(which, *r->at))
		r->at++;
}

static struct word read_token(struct reader *r)
{
	struct word w = { .at = r->at };

	while (r->at < r->end && is_token_char(*r->at))
		r->at++;
	w.len = (size_t)(r->at - w.at);
	return w;
}

/* A value without its quotes; at most CAP - 1 bytes. False: it never ends, is too long or no text. */
static bool read_quoted(struct reader *r, char *room, size_t cap)
{
	size_t n = 0;

	for (r->at++; r->at < r->end && *r->at != '"'; r->at++) {
		if (*r->at == '\\' && ++r->at == r->end)
			return false;
		if ((unsigned char)*r->at < 0x20 || *r->at == 0x7f || n + 1 >= cap)
			return false;
		room[n++] = *r->at;
	}
	room[n] = '\0';
	return r->at++ < r->end;
}

static bool read_value(struct reader *r, char *room, size_t cap)
{
	struct word w;

	if (r->at < r->end && *r->at == '"')
		return read_quoted(r, room, cap);
	w = read_token(r);
	skip(r, "="); /* the padding of token68 */
	if (w.len >= cap)
		return false;
	memcpy(room, w.at, w.len);
	room[w.len] = '\0';
	return true;
}

static bool is_word(struct word w, const char *name)
{
	return w.len == strlen(name) && !strncasecmp(w.at, name, w.len);
}

/* Into NOW, which asked for no such thing before. */
static bool keep(struct challenge *now, struct word name, const char *value)
{
	char *room = is_word(name, "realm") ? now->realm : is_word(name, "service") ? now->service : NULL;
	size_t cap = room == now->realm ? sizeof(now->realm) : sizeof(now->service);

	if (!room)
		return true;
	if (room[0] || strlen(value) >= cap)
		return false;
	memcpy(room, value, strlen(value) + 1);
	return true;
}

static void prefer(struct challenge *best, const struct challenge *now)
{
	if (now->scheme > best->scheme && (now->scheme != CHALLENGE_BEARER || now->realm[0]))
		*best = *now;
}

static enum challenge_scheme scheme_of(struct word w)
{
	return is_word(w, "bearer")  ? CHALLENGE_BEARER
	       : is_word(w, "basic") ? CHALLENGE_BASIC
				     : CHALLENGE_NONE;
}

bool challenge_read(const char *text, size_t len, struct challenge *c)
{
	struct reader r = { text, text + len };
	struct challenge best = *c, now = { 0 };
	bool in_scheme = false;
	char value[1024];

	for (skip(&r, " \t,"); r.at < r.end; skip(&r, " \t,")) {
		struct word w = read_token(&r);

		if (!w.len)
			return false;
		skip(&r, " \t");
		if (r.at < r.end && *r.at == '=' && in_scheme) {
			r.at++;
			skip(&r, " \t");
			if (!read_value(&r, value, sizeof(value)) || !keep(&now, w, value))
				return false;
			continue;
		}
		prefer(&best, &now);
		now = (struct challenge){ .scheme = scheme_of(w) };
		in_scheme = true;
	}
	prefer(&best, &now);
	*c = best;
	return true;
}
