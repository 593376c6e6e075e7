/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The roots once more, as a key store of Java: its programs read no PEM. The format has been the same since
 * Java 1.2; who gives no password, as every JVM does for the store it trusts, is not told a digest, either.
 */
#include <endian.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/scope.h"
#include "driver/trust.h"

#define MAGIC   0xfeedfeedu
#define VERSION 2u
#define TRUSTED 2u /* tag of a certificate that is trusted */
#define DIGEST  20u

static const char *const begin = "-----BEGIN CERTIFICATE-----", *const end = "-----END CERTIFICATE-----";

static void add_u32(struct buf *b, uint32_t value)
{
	uint32_t wire = htobe32(value);

	buf_add(b, &wire, sizeof(wire));
}

static void add_text(struct buf *b, const char *text)
{
	uint16_t len = htobe16((uint16_t)strlen(text));

	buf_add(b, &len, sizeof(len));
	buf_add(b, text, strlen(text));
}

/* The bytes of one certificate between its two lines; false: it is none. */
static bool decode(const char *at, const char *stop, struct buf *ret)
{
	scoped(buf_finish) struct buf text = { 0 };

	for (; at < stop; at++)
		if (*at > ' ')
			buf_add(&text, at, 1);
	return !text.failed && text.len && base64_read(ret, text.data, text.len);
}

static void add_entry(struct buf *store, uint32_t number, const struct buf *der)
{
	char alias[24];

	snprintf(alias, sizeof(alias), "root-%u", number);
	add_u32(store, TRUSTED);
	add_text(store, alias);
	buf_add(store, "\0\0\0\0\0\0\0", 8); /* when it was made: nobody asks */
	add_text(store, "X.509");
	add_u32(store, (uint32_t)der->len);
	buf_add(store, der->data, der->len);
}

void trust_write_java(const struct buf *roots, struct buf *ret)
{
	scoped(buf_finish) struct buf entries = { 0 };
	static const char none[DIGEST];
	uint32_t n = 0;

	for (const char *at = roots->data;
	     at && (at = memmem(at, (size_t)(roots->data + roots->len - at), begin, strlen(begin)));) {
		scoped(buf_finish) struct buf der = { 0 };
		const char *from = at + strlen(begin),
			   *stop = memmem(from, (size_t)(roots->data + roots->len - from), end, strlen(end));

		if (!stop)
			break;
		if (decode(from, stop, &der))
			add_entry(&entries, ++n, &der);
		at = stop;
	}
	add_u32(ret, MAGIC);
	add_u32(ret, VERSION);
	add_u32(ret, n);
	buf_add(ret, entries.data, entries.len);
	buf_add(ret, none, sizeof(none));
	ret->failed = ret->failed || entries.failed;
}
