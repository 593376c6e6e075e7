/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of HTTP requests as a relay uses it: whether bytes come at once or in pieces of the first
 * byte's size, the same heads are shown and the same bytes pass, and no head passes that was not shown.
 */
#include <stdlib.h>
#include <string.h>

#include "net/http_follow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

struct seen {
	enum http_step last;
	size_t passed;
	unsigned int heads;
	uint32_t sum; /* of the hosts and their places */
};

static void check_head(const struct http_head *h, const char *data, size_t len)
{
	must(h->len >= 4 && h->len <= len && !memcmp(data + h->len - 4, "\r\n\r\n", 4));
	must(h->fields <= HTTP_MAX_FIELDS && !(h->chunked && h->has_length) && h->method.len);
	must(h->method.at == data && h->target.at + h->target.len <= data + h->len);
	must((h->no_host || h->host[0]) && strlen(h->host) < HTTP_HOST_MAX && h->form != HTTP_AUTHORITY);
}

static struct seen feed(const char *data, size_t len, size_t step, bool switched)
{
	struct http_follow f = { 0 };
	struct seen s = { .last = HTTP_STEP_MORE };
	size_t come = 0;

	for (;;) {
		size_t pass = 0, n = come - s.passed;
		struct http_head head;
		char *kept = malloc(n ? n : 1); /* of the very size */

		must(kept != NULL);
		memcpy(kept, data + s.passed, n);
		s.last = http_follow_feed(&f, kept, n, &pass, &head);
		must(pass <= n && (s.last != HTTP_STEP_ALL || pass == n));
		s.passed += pass;
		if (s.last == HTTP_STEP_CHECK) {
			check_head(&head, kept + pass, n - pass);
			s.heads++;
			s.sum = s.sum * 31 + (uint32_t)s.passed;
			for (const char *c = head.host; *c; c++)
				s.sum = s.sum * 31 + (uint32_t)*c;
			http_follow_accept(&f);
		}
		free(kept);
		if (s.last == HTTP_STEP_WAIT)
			http_follow_answered(&f, switched);
		if (s.last == HTTP_STEP_BAD ||
		    (come == len && (s.last == HTTP_STEP_MORE || s.last == HTTP_STEP_ALL)))
			return s;
		if (s.last == HTTP_STEP_MORE || s.last == HTTP_STEP_ALL)
			come = len - come < step ? len : come + step;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *text = (const char *)data + 1;
	struct seen once, pieces;

	if (!len)
		return 0;
	http_status_read(text, len - 1);
	once = feed(text, len - 1, len, data[0] & 1);
	/* Not too many pieces: each is copied with all that was kept. */
	pieces = feed(text, len - 1, 1 + data[0] / 2 + len / 128, data[0] & 1);
	must(once.passed == pieces.passed && once.heads == pieces.heads && once.sum == pieces.sum);
	/* What comes in pieces is only looked at with each line: it may not be known as bad yet. */
	must(once.last == pieces.last || (once.last == HTTP_STEP_BAD && pieces.last == HTTP_STEP_MORE));
	return 0;
}
