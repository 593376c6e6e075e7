/* SPDX-License-Identifier: Apache-2.0 */
/* Signed addresses of files, as texts: written, and read by whoever comes with one. */
#include "box/file_url.h"

#include <string.h>

#include "base/io.h"
#include "base/str.h"

#define HEX (2 * SHA256_BYTES)

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-._~/:", c));
}

static void add_escaped(struct buf *out, const char *text)
{
	for (; *text; text++)
		if (is_plain(*text))
			buf_add(out, text, 1);
		else
			buf_addf(out, "%%%02X", (unsigned char)*text);
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* As it is written, and in no other way: of one file there is one address. */
static bool unescape(const char *text, struct buf *out)
{
	for (; *text; text++) {
		char c = *text;

		if (c == '%') {
			const int high = digit(text[1]), low = high < 0 ? -1 : digit(text[2]);

			if (low < 0)
				return false;
			c = (char)(high << 4 | low);
			if (is_plain(c) || !c)
				return false;
			text += 2;
		} else if (!is_plain(c)) {
			return false;
		}
		buf_add(out, &c, 1);
	}
	return buf_str(out);
}

/* No part but the last can hold a newline. */
static bool sign(const struct file_url *u, const uint8_t key[SHA256_BYTES], char ret[HEX + 1])
{
	struct buf text = { 0 };
	uint8_t sum[SHA256_BYTES];
	bool whole;

	buf_addf(&text, "file of a box\n%s\n%s\n%s\n%llu\n%s", u->writes ? "PUT" : "GET", u->owner, u->box,
		 (unsigned long long)u->until, u->path);
	whole = !text.failed;
	if (whole) {
		sha256_hmac(key, text.data, text.len, sum);
		io_hex(sum, sizeof(sum), ret);
	}
	buf_finish(&text);
	return whole;
}

bool file_url_write(const struct file_url *u, const uint8_t key[SHA256_BYTES], struct buf *out)
{
	char signature[HEX + 1];

	if (!sign(u, key, signature))
		return false;
	buf_addf(out, "box=%s&owner=%s&until=%llu&path=", u->box, u->owner, (unsigned long long)u->until);
	add_escaped(out, u->path);
	buf_addf(out, "&signature=%s", signature);
	return !out->failed;
}

/* As long as what is right, however much of it is. */
static bool is_same(const char *right, const char *given)
{
	const size_t n = strlen(given);
	unsigned int differ = n != HEX;

	for (size_t i = 0; i < HEX; i++)
		differ |= (unsigned int)(unsigned char)right[i] ^ (unsigned char)given[i < n ? i : 0];
	return !differ;
}

bool file_url_read(const struct file_url_text *t, const uint8_t key[SHA256_BYTES], uint64_t now,
		   struct buf *path, struct file_url *ret)
{
	struct file_url u = { .writes = !strcmp(t->method, "PUT"), .owner = t->owner, .box = t->box };
	char right[HEX + 1];

	if (strpbrk(t->owner, "\n") || strpbrk(t->box, "\n") || !str_to_u64(t->until, &u.until) ||
	    t->until[0] == '0' || !unescape(t->path, path) || !*path->data)
		return false;
	u.path = path->data;
	if (!sign(&u, key, right) || !is_same(right, t->signature) || u.until < now)
		return false;
	*ret = u;
	return true;
}
