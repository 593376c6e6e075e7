/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces texts by others of the same length while they stream by. */
#include "net/tls/swap.h"

#include <stdlib.h>
#include <string.h>

void swap_finish(struct swap *s)
{
	for (size_t i = 0; i < s->n_pairs; i++) {
		explicit_bzero(s->pairs[i].from, s->pairs[i].len);
		free(s->pairs[i].from);
		free(s->pairs[i].to);
	}
	buf_finish(&s->held);
	*s = (struct swap){ 0 };
}

bool swap_add(struct swap *s, const char *from, const char *to, size_t len)
{
	struct swap_pair *p = &s->pairs[s->n_pairs];

	for (size_t i = 0; i < s->n_pairs; i++)
		if (s->pairs[i].len == len && !memcmp(s->pairs[i].from, from, len))
			return true;
	if (!len || s->n_pairs == SWAP_MAX)
		return !len;
	p->from = strndup(from, len);
	p->to = strndup(to, len);
	p->len = len;
	if (!p->from || !p->to) {
		free(p->from);
		free(p->to);
		return false;
	}
	s->first[(unsigned char)*from] = true;
	s->n_pairs++;
	return true;
}

/* The pair whose text is at DATA; *RET_MAYBE: LEN bytes are too few to say. */
static const struct swap_pair *find(const struct swap *s, const char *data, size_t len, bool *ret_maybe)
{
	*ret_maybe = false;
	for (size_t i = 0; i < s->n_pairs; i++) {
		const struct swap_pair *p = &s->pairs[i];

		if (!memcmp(p->from, data, p->len < len ? p->len : len)) {
			if (p->len <= len)
				return p;
			*ret_maybe = true;
		}
	}
	return NULL;
}

/* Appends to OUT, and returns how much of DATA that was. */
static size_t pass(const struct swap *s, const char *data, size_t len, bool last, struct buf *out)
{
	size_t from = 0, at = 0;

	while (at < len) {
		const struct swap_pair *p = NULL;
		bool maybe = false;

		if (s->first[(unsigned char)data[at]])
			p = find(s, data + at, len - at, &maybe);
		if (maybe && !p && !last)
			break;
		if (!p) {
			at++;
			continue;
		}
		buf_add(out, data + from, at - from);
		buf_add(out, p->to, p->len);
		from = at += p->len;
	}
	buf_add(out, data + from, at - from);
	return at;
}

void swap_feed(struct swap *s, const char *data, size_t len, struct buf *out)
{
	size_t n;

	if (!s->held.len) {
		n = pass(s, data, len, false, out);
		buf_add(&s->held, data + n, len - n);
	} else {
		buf_add(&s->held, data, len);
		n = pass(s, s->held.data, s->held.len, false, out);
		s->held.len -= n;
		memmove(s->held.data, s->held.data + n, s->held.len);
	}
	out->failed |= s->held.failed;
}

void swap_end(struct swap *s, struct buf *out)
{
	if (s->held.len)
		pass(s, s->held.data, s->held.len, true, out);
	s->held.len = 0;
}

void swap_text(const struct swap *s, char *text)
{
	for (size_t i = 0; i < s->n_pairs; i++)
		for (char *at = text; (at = strstr(at, s->pairs[i].from)); at += s->pairs[i].len)
			memcpy(at, s->pairs[i].to, s->pairs[i].len);
}
