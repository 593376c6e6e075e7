/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes signed addresses: an input is the parts, one on each line, as a stranger sends them. What is
 * accepted was signed with the key: written again it is the same. Each is also tried with the signature that
 * belongs to it, so that what lies behind the check is reached, too.
 */
#include <stdlib.h>
#include <string.h>

#include "box/file_url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const uint8_t key[SHA256_BYTES] = { 1, 2, 3 };

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static bool try(const struct file_url_text *t)
{
	struct buf path = { 0 }, again = { 0 };
	struct file_url u;
	const bool good = file_url_read(t, key, 5, &path, &u);

	if (good) {
		must(u.until >= 5 && *u.path && !strcmp(u.box, t->box) && !strcmp(u.owner, t->owner));
		must(file_url_write(&u, key, &again) && buf_str(&again));
		must(strstr(again.data, t->path) && strstr(again.data, t->signature));
	}
	buf_finish(&path);
	buf_finish(&again);
	return good;
}

/* The signature of what T says, if it says what can be signed. */
static void try_signed(struct file_url_text t)
{
	struct buf query = { 0 };
	const struct file_url u = { !strcmp(t.method, "PUT"), t.owner, t.box, "/a b", 9 };

	must(file_url_write(&u, key, &query) && buf_str(&query));
	t.path = "/a%20b";
	t.until = "9";
	t.signature = strstr(query.data, "&signature=") + strlen("&signature=");
	must(try(&t));
	buf_finish(&query);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct file_url_text t = { "", "", "", "", "", "" };
	const char **const to[] = { &t.method, &t.owner, &t.box, &t.path, &t.until, &t.signature };
	char *text = strndup((const char *)data, len), *at = text;

	for (size_t i = 0; i < sizeof(to) / sizeof(*to) && at; i++)
		*to[i] = strsep(&at, "\n");
	try(&t);
	if (!strpbrk(t.owner, "&") && !strstr(t.box, "&signature="))
		try_signed(t);
	free(text);
	return 0;
}
