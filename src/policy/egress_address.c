/* SPDX-License-Identifier: Apache-2.0 */
/* Names and addresses in their one true form, and what an address is, whatever it is wrapped in. */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "policy/egress.h"

#define LABEL_MAX 63u

static bool is_letter(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
	       c == '_';
}

/* "12", "0x7f", "0x": programs take a name that ends so for an address. */
static bool is_numeric(const char *label, size_t len)
{
	bool hex = len >= 2 && label[0] == '0' && label[1] == 'x';

	for (size_t i = hex ? 2 : 0; i < len; i++)
		if (!(hex ? isxdigit((unsigned char)label[i]) : isdigit((unsigned char)label[i])))
			return false;
	return true;
}

bool egress_name(const char *text, size_t len, char ret[EGRESS_NAME_MAX])
{
	char name[EGRESS_NAME_MAX];
	size_t label = 0; /* where the last one begins */

	if (len && text[len - 1] == '.')
		len--;
	if (!len || len >= EGRESS_NAME_MAX)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		name[i] = (char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
		if (c == '.') {
			if (i == label || name[i - 1] == '-')
				return false;
			label = i + 1;
		} else if (!is_letter(c) || (c == '-' && i == label) || i - label >= LABEL_MAX) {
			return false;
		}
	}
	if (label == len || name[len - 1] == '-' || is_numeric(name + label, len - label))
		return false;
	memcpy(ret, name, len);
	ret[len] = '\0';
	return true;
}

static void set_v4(struct egress_address *a, const uint8_t *bytes)
{
	struct egress_address v4 = { .family = 4 };

	memcpy(v4.bytes, bytes, 4);
	*a = v4;
}

static bool is_mapped(const struct egress_address *a)
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	return a->family == 6 && !memcmp(a->bytes, prefix, sizeof(prefix));
}

bool egress_address_read(const char *text, size_t len, struct egress_address *ret)
{
	struct egress_address a = { 0 };
	char plain[48];
	bool brackets = len >= 2 && text[0] == '[' && text[len - 1] == ']';

	if (brackets) {
		text++;
		len -= 2;
	}
	if (!len || len >= sizeof(plain) || memchr(text, '\0', len))
		return false;
	memcpy(plain, text, len);
	plain[len] = '\0';
	if (!brackets && inet_pton(AF_INET, plain, a.bytes) == 1)
		a.family = 4;
	else if (inet_pton(AF_INET6, plain, a.bytes) == 1)
		a.family = 6;
	else
		return false;
	if (is_mapped(&a))
		set_v4(&a, a.bytes + 12);
	*ret = a;
	return true;
}

void egress_address_text(const struct egress_address *a, char *ret, size_t cap)
{
	if (!cap)
		return;
	ret[0] = '\0';
	if (a->family)
		inet_ntop(a->family == 4 ? AF_INET : AF_INET6, a->bytes, ret, (socklen_t)cap);
}

bool egress_address_same(const struct egress_address *a, const struct egress_address *b)
{
	struct egress_address x = *a, y = *b;

	if (is_mapped(&x))
		set_v4(&x, a->bytes + 12);
	if (is_mapped(&y))
		set_v4(&y, b->bytes + 12);
	return x.family && x.family == y.family && !memcmp(x.bytes, y.bytes, x.family == 4 ? 4 : 16);
}

bool egress_address_within(const struct egress_address *a, const struct egress_address *from,
			   unsigned int prefix)
{
	unsigned int whole = prefix / 8, rest = prefix % 8;
	uint8_t mask = (uint8_t)(0xff00u >> rest);

	return a->family == from->family && prefix <= (a->family == 4 ? 32u : 128u) &&
	       !memcmp(a->bytes, from->bytes, whole) &&
	       (!rest || !((a->bytes[whole] ^ from->bytes[whole]) & mask));
}

/* Blocks of addresses; the first row that has an address says what it is. */
struct block {
	uint8_t prefix;
	enum egress_class class;
	uint8_t bytes[16];
};

static const struct block v4_blocks[] = {
	{ 32, EGRESS_METADATA, { 169, 254, 169, 254 } }, /* most clouds */
	{ 32, EGRESS_METADATA, { 169, 254, 169, 253 } }, /* resolver of AWS */
	{ 32, EGRESS_METADATA, { 169, 254, 170, 2 } },   /* credentials of AWS containers */
	{ 32, EGRESS_METADATA, { 169, 254, 170, 23 } },  /* credentials of AWS pods */
	{ 32, EGRESS_METADATA, { 169, 254, 0, 23 } },    /* Tencent */
	{ 32, EGRESS_METADATA, { 169, 254, 42, 42 } },   /* Scaleway */
	{ 32, EGRESS_METADATA, { 100, 100, 100, 200 } }, /* Alibaba */
	{ 32, EGRESS_METADATA, { 168, 63, 129, 16 } },   /* Azure */
	{ 32, EGRESS_METADATA, { 192, 0, 0, 192 } },     /* Oracle */
	{ 32, EGRESS_LOOPBACK, { 0 } },
	{ 8, EGRESS_RESERVED, { 0 } },
	{ 8, EGRESS_LOOPBACK, { 127 } },
	{ 8, EGRESS_PRIVATE, { 10 } },
	{ 10, EGRESS_PRIVATE, { 100, 64 } },
	{ 12, EGRESS_PRIVATE, { 172, 16 } },
	{ 16, EGRESS_PRIVATE, { 192, 168 } },
	{ 16, EGRESS_LINK, { 169, 254 } },
	{ 24, EGRESS_RESERVED, { 192, 0, 0 } },
	{ 24, EGRESS_RESERVED, { 192, 88, 99 } }, /* relays of 6to4 */
	{ 15, EGRESS_RESERVED, { 198, 18 } },
	{ 4, EGRESS_MULTICAST, { 224 } },
	{ 4, EGRESS_RESERVED, { 240 } },
	{ 0, EGRESS_PUBLIC, { 0 } },
};

static const struct block v6_blocks[] = {
	{ 128, EGRESS_METADATA, { 0xfd, 0, 0x0e, 0xc2, [14] = 0x02, 0x54 } }, /* AWS */
	{ 128, EGRESS_METADATA, { 0xfd, 0, 0x0e, 0xc2, [14] = 0x02, 0x53 } }, /* its resolver */
	{ 128, EGRESS_METADATA, { 0xfd, 0, 0x0e, 0xc2, [15] = 0x23 } },       /* credentials of its pods */
	{ 128, EGRESS_METADATA, { 0xfd, 0x20, 0, 0xce, [14] = 0x02, 0x54 } }, /* Google */
	{ 128, EGRESS_METADATA, { 0xfd, 0, 0, 0xc1, [12] = 0xa9, 0xfe, 0xa9, 0xfe } }, /* Oracle */
	{ 128, EGRESS_METADATA, { 0xfd, 0, 0, 0x42, [15] = 0x42 } },                   /* Scaleway */
	{ 128, EGRESS_METADATA, { 0xfe, 0x80, [12] = 0xa9, 0xfe, 0xa9, 0xfe } },       /* OpenStack */
	{ 128, EGRESS_LOOPBACK, { 0 } },
	{ 128, EGRESS_LOOPBACK, { [15] = 1 } },
	{ 7, EGRESS_PRIVATE, { 0xfc } },
	{ 10, EGRESS_LINK, { 0xfe, 0x80 } },
	{ 10, EGRESS_PRIVATE, { 0xfe, 0xc0 } }, /* site-local, as it once was */
	{ 8, EGRESS_MULTICAST, { 0xff } },
	{ 96, EGRESS_PUBLIC, { 0, 0x64, 0xff, 0x9b } },           /* NAT64: by what is inside */
	{ 48, EGRESS_PRIVATE, { 0, 0x64, 0xff, 0x9b, 0, 0x01 } }, /* NAT64 of the local network */
	{ 32, EGRESS_PUBLIC, { 0x20, 0x01 } },                    /* Teredo: by what is inside */
	{ 32, EGRESS_PUBLIC, { 0x20, 0x01, 0x0d, 0xb8 } },        /* documentation: leads nowhere */
	{ 23, EGRESS_RESERVED, { 0x20, 0x01 } },                  /* of protocols: benchmarks, identifiers */
	{ 3, EGRESS_PUBLIC, { 0x20 } },
	{ 0, EGRESS_RESERVED, { 0 } }, /* not given to anybody */
};

static const struct block *find_block(const struct egress_address *a)
{
	const struct block *b = a->family == 4 ? v4_blocks : v6_blocks;

	for (;; b++) { /* the last row has every address */
		struct egress_address from = { .family = a->family };

		memcpy(from.bytes, b->bytes, sizeof(from.bytes));
		if (egress_address_within(a, &from, b->prefix))
			return b;
	}
}

/* Where an address of 6 has one of 4 inside: the first that is not public counts. */
static const struct wrap {
	uint8_t from, prefix; /* PREFIX bits of BYTES, found at FROM */
	uint8_t at;           /* where it is */
	uint8_t flip;         /* what its bytes are turned over with */
	uint8_t bytes[12];
} wraps[] = {
	{ 0, 96, 12, 0, { [10] = 0xff, 0xff } },         /* mapped */
	{ 0, 96, 12, 0, { [8] = 0xff, 0xff } },          /* translated */
	{ 0, 96, 12, 0, { 0 } },                         /* compatible */
	{ 0, 96, 12, 0, { 0, 0x64, 0xff, 0x9b } },       /* NAT64 */
	{ 0, 48, 12, 0, { 0, 0x64, 0xff, 0x9b, 0, 1 } }, /* NAT64 of the local network */
	{ 0, 16, 2, 0, { 0x20, 0x02 } },                 /* 6to4 */
	{ 0, 32, 4, 0, { 0x20, 0x01, 0, 0 } },           /* Teredo: its server */
	{ 0, 32, 12, 0xff, { 0x20, 0x01, 0, 0 } },       /* Teredo: its client */
	{ 8, 32, 12, 0, { 0, 0, 0x5e, 0xfe } },          /* ISATAP */
	{ 8, 32, 12, 0, { 0x02, 0, 0x5e, 0xfe } },       /* ISATAP, of a public address */
};

static bool unwrap(const struct egress_address *a, const struct wrap *w, struct egress_address *ret)
{
	if (memcmp(a->bytes + w->from, w->bytes, w->prefix / 8) != 0)
		return false;
	set_v4(ret, a->bytes + w->at);
	for (size_t i = 0; i < 4; i++)
		ret->bytes[i] ^= w->flip;
	return true;
}

enum egress_class egress_classify(const struct egress_address *a)
{
	struct egress_address in;
	enum egress_class c;

	if (a->family != 4 && a->family != 6)
		return EGRESS_RESERVED;
	c = find_block(a)->class;
	/* :: and ::1 are what they are, not an address of 4 with nothing before it. */
	if (a->family == 4 || (c != EGRESS_PUBLIC && c != EGRESS_RESERVED && c != EGRESS_PRIVATE))
		return c;
	if (is_mapped(a)) {
		set_v4(&in, a->bytes + 12);
		return find_block(&in)->class;
	}
	for (size_t i = 0; i < sizeof(wraps) / sizeof(*wraps); i++)
		if (unwrap(a, &wraps[i], &in) && find_block(&in)->class != EGRESS_PUBLIC)
			return find_block(&in)->class;
	return c;
}

bool egress_range_has(const struct egress_address *from, unsigned int prefix, const struct egress_address *a)
{
	struct egress_address in = *a;
	enum egress_class c;

	if (is_mapped(a))
		set_v4(&in, a->bytes + 12);
	if (!egress_address_within(&in, from, prefix))
		return false;
	c = egress_classify(&in);
	if (c == EGRESS_PUBLIC)
		return true;
	/* Not public: only by a range that has nothing else, so that 0.0.0.0/0 is no way to what is near. */
	return c == find_block(&in)->class && prefix >= find_block(&in)->prefix && c != EGRESS_LOOPBACK &&
	       c != EGRESS_METADATA && c != EGRESS_MULTICAST;
}

const char *egress_class_name(enum egress_class c)
{
	static const char *const names[] = {
		[EGRESS_PUBLIC] = "public",     [EGRESS_LOOPBACK] = "loopback",
		[EGRESS_PRIVATE] = "private",   [EGRESS_LINK] = "link-local",
		[EGRESS_METADATA] = "metadata", [EGRESS_MULTICAST] = "multicast",
		[EGRESS_RESERVED] = "reserved",
	};

	return names[c];
}
