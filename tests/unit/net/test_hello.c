/* SPDX-License-Identifier: Apache-2.0 */
/* ClientHellos of real clients are read, however they are cut; whatever differs from them in a way that could
 * hide a name is refused. */
#include "support/test.h"

#include "net/hello.h"
#include "unit/net/hellos.h"

#define ROOM 70000

struct bytes {
	uint8_t *data; /* owned */
	size_t len;
};

static int digit(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

static struct bytes unhex(const char *hex)
{
	struct bytes b = { calloc(1, ROOM), strlen(hex) / 2 };

	assert_non_null(b.data);
	for (size_t i = 0; i < b.len; i++)
		b.data[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
	return b;
}

/* In a block of the very size, so that a sanitizer sees one byte too many. */
static enum hello_verdict read_exact(const uint8_t *data, size_t len, struct hello *ret)
{
	uint8_t *exact = malloc(len ? len : 1);
	enum hello_verdict v;

	assert_non_null(exact);
	memcpy(exact, data, len);
	v = hello_read(exact, len, ret);
	free(exact);
	return v;
}

/* Nothing shorter than the whole is ever complete, and what is needed is neither less than that nor too much.
 */
static void check_prefixes(const struct bytes *b)
{
	struct hello h;

	for (size_t n = 0; n < b->len; n++) {
		assert_int_equal(read_exact(b->data, n, &h), HELLO_MORE);
		assert_true(h.need > n && h.need <= b->len);
	}
}

static void real_clients(void **state)
{
	static const struct {
		const char *hex, *sni;
		uint16_t newest;
		bool h2, http11;
	} rows[] = {
		{ hello_go, "proxy.example", 0x304, true, true },
		{ hello_java, "maven.example", 0x304, false, false },
		{ hello_node, "registry.example", 0x304, true, true },
		{ hello_openssl_tls1, "old.example", 0x301, false, false },
		{ hello_openssl_tls13, "Registry.Example.ORG", 0x304, false, false },
		{ hello_openssl_split, "example.org", 0x304, false, false },
		{ hello_python_tls12, "files.example.org", 0x303, false, true },
		{ hello_python_no_sni, "", 0x304, false, false },
		{ hello_curl, "pypi.example", 0x304, true, true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct bytes b = unhex(rows[i].hex);
		struct hello h;

		assert_int_equal(read_exact(b.data, b.len, &h), HELLO_OK);
		assert_string_equal(h.sni, rows[i].sni);
		assert_int_equal(h.sni_len, strlen(rows[i].sni));
		assert_int_equal(h.newest, rows[i].newest);
		assert_true(h.record_version == 0x301 || h.record_version == 0x303);
		assert_int_equal(h.alpn_h2, rows[i].h2);
		assert_int_equal(h.alpn_http11, rows[i].http11);
		assert_int_equal(h.len, b.len);
		assert_false(h.esni || h.early_data);
		assert_int_equal(h.ech, HELLO_ECH_NONE);
		check_prefixes(&b);
		free(b.data);
	}
}

/* A hello made of parts. */
static void add(struct bytes *b, const void *data, size_t len)
{
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void add16(struct bytes *b, size_t v)
{
	add(b, (uint8_t[]){ (uint8_t)(v >> 8), (uint8_t)v }, 2);
}

static void add_extension(struct bytes *b, unsigned int type, const void *data, size_t len)
{
	add16(b, type);
	add16(b, len);
	add(b, data, len);
}

static void add_sni(struct bytes *b, const char *name, size_t len)
{
	add16(b, 0);
	add16(b, len + 5);
	add16(b, len + 3);
	add(b, "", 1);
	add16(b, len);
	add(b, name, len);
}

/* A message with these extensions, in records of at most CUT bytes. */
static struct bytes hello_of(const struct bytes *extensions, size_t cut)
{
	struct bytes m = { calloc(1, ROOM), 4 }, out = { calloc(1, 2 * ROOM), 0 };
	size_t body;

	assert_true(m.data && out.data);
	add16(&m, 0x303);
	m.len += 32;
	add(&m, "\0\0\2\x13\1\1\0", 7);
	if (extensions) {
		add16(&m, extensions->len);
		add(&m, extensions->data, extensions->len);
	}
	body = m.len - 4;
	memcpy(m.data, (uint8_t[]){ 1, (uint8_t)(body >> 16), (uint8_t)(body >> 8), (uint8_t)body }, 4);
	for (size_t at = 0; at < m.len; at += cut) {
		size_t n = m.len - at < cut ? m.len - at : cut;

		add(&out, "\x16\3\1", 3);
		add16(&out, n);
		add(&out, m.data + at, n);
	}
	free(m.data);
	return out;
}

static enum hello_verdict read_extensions(struct bytes *e, struct hello *ret)
{
	struct bytes b = hello_of(e, 16384);
	enum hello_verdict v = read_exact(b.data, b.len, ret);

	free(b.data);
	free(e->data);
	return v;
}

static struct bytes nothing(void)
{
	struct bytes b = { calloc(1, ROOM), 0 };

	assert_non_null(b.data);
	return b;
}

static void names_that_are_none(void **state)
{
	static const struct {
		const char *data;
		size_t len;
	} rows[] = {
		{ "", 0 },                     /* nothing at all, as servers send it */
		{ "\0\0", 2 },                 /* an empty list */
		{ "\0\4\0\0\1", 5 },           /* a list longer than what is there */
		{ "\0\3\0\0\0", 5 },           /* an empty name */
		{ "\0\4\1\0\1a", 6 },          /* not a host name */
		{ "\0\4\0\0\2a", 6 },          /* a name longer than its list */
		{ "\0\4\0\0\1a\0", 7 },        /* something behind the list */
		{ "\0\5\0\0\1ab", 7 },         /* something behind the name */
		{ "\0\x8\0\0\1a\0\0\1b", 10 }, /* two names */
		{ "\0\x8\0\0\1a\1\0\1b", 10 }, /* one of an unknown type */
		{ "\0\x6\0\0\3a\0b", 8 },      /* a NUL */
		{ "\0\x6\0\0\3a b", 8 },       /* a space */
		{ "\0\x6\0\0\3a\xc3\xa4", 8 }, /* beyond ASCII */
		{ "\0\x6\0\0\3a\x7f"
		  "b",
		  8 }, /* a control character */
	};
	struct hello h;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct bytes e = nothing();

		add_extension(&e, 0, rows[i].data, rows[i].len);
		if (read_extensions(&e, &h) != HELLO_BAD)
			fail_msg("row %zu is not bad", i);
	}
}

static void a_name_has_a_longest(void **state)
{
	char name[300];
	struct hello h;

	(void)state;
	memset(name, 'a', sizeof(name));
	for (size_t n = 1; n < sizeof(name); n++) {
		struct bytes e = nothing();

		add_sni(&e, name, n);
		assert_int_equal(read_extensions(&e, &h), n < HELLO_NAME_MAX ? HELLO_OK : HELLO_BAD);
		if (n < HELLO_NAME_MAX)
			assert_int_equal(h.sni_len, n);
	}
}

static void nothing_is_there_twice(void **state)
{
	static const unsigned int types[] = { 0, 16, 43, 0xfe0d, 0xffce, 10, 0x1a1a };
	struct hello h;

	(void)state;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct bytes e = nothing();

		add_extension(&e, 99, "", 0);
		for (int times = 0; times < 2; times++) {
			if (types[i] == 0)
				add_sni(&e, times ? "b.example" : "a.example", 9);
			else if (types[i] == 16)
				add_extension(&e, 16, "\0\3\2h2", 5);
			else if (types[i] == 43)
				add_extension(&e, 43, "\2\3\4", 3);
			else if (types[i] == 0xfe0d)
				add_extension(&e, 0xfe0d, "\1", 1);
			else
				add_extension(&e, types[i], "", 0);
		}
		assert_int_equal(read_extensions(&e, &h), HELLO_BAD);
	}
}

static void encrypted_names(void **state)
{
	/* As Chromium sends it: HKDF-SHA256, AES-128-GCM, a key of 32 bytes, 144 bytes of noise or of a name.
	 */
	uint8_t outer[8 + 32 + 2 + 144] = { 0, 0, 1, 0, 1, 0x5c, 0, 32 };
	struct hello h;
	struct bytes e = nothing();

	(void)state;
	outer[8 + 32 + 1] = 144;
	add_sni(&e, "public.example", 14);
	add_extension(&e, 0xfe0d, outer, sizeof(outer));
	assert_int_equal(read_extensions(&e, &h), HELLO_OK);
	assert_int_equal(h.ech, HELLO_ECH_OUTER);
	assert_int_equal(h.ech_config, 0x5c);
	assert_int_equal(h.ech_key_len, 32);
	assert_int_equal(h.ech_payload_len, 144);
	assert_string_equal(h.sni, "public.example");
	for (size_t n = 0; n < sizeof(outer); n++) {
		e = nothing();
		add_extension(&e, 0xfe0d, outer, n);
		assert_int_equal(read_extensions(&e, &h), HELLO_BAD);
	}
	e = nothing();
	add_extension(&e, 0xfe0d, "\1", 1);
	assert_int_equal(read_extensions(&e, &h), HELLO_OK);
	assert_int_equal(h.ech, HELLO_ECH_INNER);
	e = nothing();
	add_extension(&e, 0xfe0d, "\2", 1);
	assert_int_equal(read_extensions(&e, &h), HELLO_BAD);
	e = nothing();
	add_extension(&e, 0xffce, "whatever", 8);
	assert_int_equal(read_extensions(&e, &h), HELLO_OK);
	assert_true(h.esni);
}

static void other_extensions(void **state)
{
	struct bytes e = nothing();
	struct hello h;

	(void)state;
	add_extension(&e, 0x0a0a, "", 0);
	add_extension(&e, 16, "\0\x10\2h2\3foo\x8http/1.1", 18);
	add_extension(&e, 43, "\6\x9a\x9a\3\4\3\3", 7); /* GREASE is no version */
	add_extension(&e, 42, "", 0);
	assert_int_equal(read_extensions(&e, &h), HELLO_OK);
	assert_true(h.alpn_h2 && h.alpn_http11 && h.alpn_other && h.early_data);
	assert_int_equal(h.n_alpn, 3);
	assert_int_equal(h.newest, 0x304);
	e = nothing();
	add_extension(&e, 16, "\0\0", 2);
	assert_int_equal(read_extensions(&e, &h), HELLO_BAD);
	e = nothing();
	add_extension(&e, 16, "\0\1\0", 3);
	assert_int_equal(read_extensions(&e, &h), HELLO_BAD);
	e = nothing();
	add_extension(&e, 43, "\3\3\4\3", 4);
	assert_int_equal(read_extensions(&e, &h), HELLO_BAD);
	e = nothing();
	add(&e, "\0\5\0", 3); /* half an extension */
	assert_int_equal(read_extensions(&e, &h), HELLO_BAD);
}

/* However the records are cut: the same, as long as there are not too many. */
static void spread_over_records(void **state)
{
	(void)state;
	for (size_t cut = 1; cut < 200; cut++) {
		struct bytes e = nothing(), b;
		struct hello h;
		size_t records;

		add_sni(&e, "spread.example", 14);
		add_extension(&e, 21, "0123456789012345678901234567890123456789", 40);
		b = hello_of(&e, cut);
		records = (b.len + cut + 4) / (cut + 5);
		assert_int_equal(read_exact(b.data, b.len, &h),
				 records <= HELLO_MAX_RECORDS ? HELLO_OK : HELLO_BAD);
		if (records <= HELLO_MAX_RECORDS) {
			assert_string_equal(h.sni, "spread.example");
			assert_int_equal(h.len, b.len);
			check_prefixes(&b);
			add(&b, "what follows", 12); /* is not of it */
			assert_int_equal(read_exact(b.data, b.len, &h), HELLO_OK);
			assert_int_equal(h.len, b.len - 12);
		}
		free(e.data);
		free(b.data);
	}
}

static void a_hello_has_a_longest(void **state)
{
	static const size_t sizes[] = { 16384, 40000, 65000, 65400, 65535 };
	uint8_t *much = calloc(1, 65536);

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct bytes e = nothing(), b;
		struct hello h;

		add_extension(&e, 21, much, sizes[i] - 4 - 23);
		add_sni(&e, "large.example", 13);
		b = hello_of(&e, 16384);
		assert_int_equal(read_exact(b.data, b.len, &h), b.len <= HELLO_MAX ? HELLO_OK : HELLO_BAD);
		if (b.len <= HELLO_MAX)
			assert_string_equal(h.sni, "large.example");
		free(e.data);
		free(b.data);
	}
	free(much);
}

static void known_by_the_first_bytes(void **state)
{
	static const struct {
		const char *data;
		size_t len;
		enum hello_verdict v;
	} rows[] = {
		{ "GET / HTTP/1.1\r\n", 16, HELLO_NOT_TLS },
		{ "SSH-2.0-x\r\n", 11, HELLO_NOT_TLS },
		{ "G", 1, HELLO_NOT_TLS },
		{ "\0\0\0\x8\4\xd2\x16\x2f", 8, HELLO_NOT_TLS }, /* PostgreSQL asks for TLS */
		{ "\x80\x2e\1\0\2", 5, HELLO_BAD },              /* SSLv2 */
		{ "\x80\x2e\1\3\1", 5, HELLO_BAD },              /* the same, that offers TLS */
		{ "\x80\x2e\1\3", 4, HELLO_MORE },
		{ "\x80\x2e\2", 3, HELLO_NOT_TLS },
		{ "\x80\x2e\1\7\1", 5, HELLO_NOT_TLS },
		{ "\x16", 1, HELLO_MORE },
		{ "\x16\2", 2, HELLO_BAD }, /* Go's server would take it */
		{ "\x16\3\5", 3, HELLO_BAD },
		{ "\x16\3\1\0\0", 5, HELLO_BAD },                  /* an empty record */
		{ "\x16\3\1\x40\1", 5, HELLO_BAD },                /* too long a record */
		{ "\x16\3\1\0\5\2", 6, HELLO_BAD },                /* a ServerHello */
		{ "\x16\3\1\0\5\1\1\0\0\0", 10, HELLO_BAD },       /* a message of 64 KiB */
		{ "\x16\3\1\0\5\1\0\0\0\0", 10, HELLO_BAD },       /* more in a record than the message */
		{ "\x16\3\1\0\4\1\0\0\0", 9, HELLO_BAD },          /* an empty message */
		{ "\x16\3\1\0\1\1\x14\3\1\0\1\1", 12, HELLO_BAD }, /* something else in between */
		{ "\x14\3\1\0\1\1", 6, HELLO_BAD },                /* or before */
		{ "\x15\3\1\0\2\1\0", 7, HELLO_BAD },
		{ "\x17\3\3", 3, HELLO_BAD },
		{ "\x17", 1, HELLO_MORE },
		{ "\x17zz", 3, HELLO_NOT_TLS },
	};
	struct hello h;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (read_exact((const uint8_t *)rows[i].data, rows[i].len, &h) != rows[i].v)
			fail_msg("row %zu", i);
	assert_int_equal(hello_read(NULL, 0, &h), HELLO_MORE);
}

/* One byte at a time changed, a hello is read or refused, but its name is never one that is not in it. */
static void changed_bytes(void **state)
{
	struct bytes b = unhex(hello_openssl_tls13);
	struct hello h;

	(void)state;
	for (size_t i = 0; i < b.len; i++) {
		uint8_t was = b.data[i];

		for (unsigned int v = 0; v < 256; v++) {
			b.data[i] = (uint8_t)v;
			if (read_exact(b.data, b.len, &h) != HELLO_OK)
				continue;
			assert_int_equal(strlen(h.sni), h.sni_len);
			assert_true(!h.sni_len || memmem(b.data, b.len, h.sni, h.sni_len));
		}
		b.data[i] = was;
	}
	free(b.data);
}

static void before_extensions(void **state)
{
	struct bytes b = hello_of(NULL, 16384);
	struct hello h;

	(void)state;
	assert_int_equal(read_exact(b.data, b.len, &h), HELLO_OK);
	assert_string_equal(h.sni, "");
	assert_int_equal(h.newest, 0x303);
	free(b.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_clients),
		cmocka_unit_test(names_that_are_none),
		cmocka_unit_test(a_name_has_a_longest),
		cmocka_unit_test(nothing_is_there_twice),
		cmocka_unit_test(encrypted_names),
		cmocka_unit_test(other_extensions),
		cmocka_unit_test(spread_over_records),
		cmocka_unit_test(a_hello_has_a_longest),
		cmocka_unit_test(known_by_the_first_bytes),
		cmocka_unit_test(changed_bytes),
		cmocka_unit_test(before_extensions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
