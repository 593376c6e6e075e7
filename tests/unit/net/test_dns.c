/* SPDX-License-Identifier: Apache-2.0 */
/* DNS packets: questions of glibc, dig and worse, our answers to the byte, and answers of resolvers. */
#include "support/test.h"

#include "net/dns.h"

struct packet {
	uint8_t data[4096];
	size_t len;
};

static void add(struct packet *p, const void *data, size_t len)
{
	assert_true(p->len + len <= sizeof(p->data));
	memcpy(p->data + p->len, data, len);
	p->len += len;
}

static void add16(struct packet *p, unsigned int v)
{
	add(p, (uint8_t[]){ (uint8_t)(v >> 8), (uint8_t)v }, 2);
}

/* "www.example.org", without escapes. */
static void add_name(struct packet *p, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, ".");

		add(p, (uint8_t[]){ (uint8_t)n }, 1);
		add(p, text, n);
		text += n + (text[n] == '.');
	}
	add(p, "", 1);
}

static struct packet header(unsigned int flags, unsigned int qd, unsigned int an, unsigned int ns,
			    unsigned int ar)
{
	struct packet p = { .len = 0 };

	add16(&p, 0xbeef);
	add16(&p, flags);
	add16(&p, qd);
	add16(&p, an);
	add16(&p, ns);
	add16(&p, ar);
	return p;
}

static void add_question(struct packet *p, const char *name, unsigned int type)
{
	add_name(p, name);
	add16(p, type);
	add16(p, DNS_IN);
}

static struct packet question(const char *name, unsigned int type)
{
	struct packet p = header(0x0100, 1, 0, 0, 0);

	add_question(&p, name, type);
	return p;
}

static void add_opt(struct packet *p, unsigned int size, unsigned int version, unsigned int flags)
{
	add(p, "\0\0\x29", 3);
	add16(p, size);
	add(p, (uint8_t[]){ 0, (uint8_t)version }, 2);
	add16(p, flags);
	add16(p, 0);
	p->data[11]++;
}

/* In a block of the very size, so that a sanitizer sees one byte too many. */
static enum dns_verdict ask(const struct packet *p, size_t len, struct dns_query *q)
{
	uint8_t *exact = malloc(len ? len : 1);
	enum dns_verdict v;

	assert_non_null(exact);
	memcpy(exact, p->data, len);
	v = dns_query_read(exact, len, q);
	free(exact);
	return v;
}

static void a_question(void **state)
{
	/* As dig sends it: recursion, AD, a cookie. */
	static const uint8_t dig[] = "\x1f\x2e\x01\x20\0\1\0\0\0\0\0\1\3wWw\7Example\3oRg\0\0\x1c\0\1"
				     "\0\0\x29\x04\xd0\0\0\x80\0\0\x0c\0\x0a\0\x08\1\2\3\4\5\6\7\x08";
	struct packet p = { .len = 0 };
	struct dns_query q;

	(void)state;
	add(&p, dig, sizeof(dig) - 1);
	assert_int_equal(ask(&p, p.len, &q), DNS_OK);
	assert_int_equal(q.id, 0x1f2e);
	assert_true(q.rd && !q.cd && !q.opcode && !q.odd);
	assert_string_equal(q.name, "wWw.Example.oRg");
	assert_int_equal(q.name_len, 15);
	assert_int_equal(q.raw_len, 17);
	assert_memory_equal(q.raw, dig + 12, 17);
	assert_int_equal(q.type, DNS_AAAA);
	assert_int_equal(q.class, DNS_IN);
	assert_true(q.edns && q.dnssec_ok && q.udp_size == 1232 && !q.edns_version);
	for (size_t n = 0; n < p.len; n++)
		assert_int_equal(ask(&p, n, &q), n < 12 ? DNS_DROP : DNS_FORMERR);
	p = question("", DNS_NS);
	assert_int_equal(ask(&p, p.len, &q), DNS_OK);
	assert_string_equal(q.name, "");
	assert_int_equal(q.raw_len, 1);
}

static void what_is_no_question(void **state)
{
	struct packet p = header(0x8180, 1, 0, 0, 0);
	struct dns_query q;

	(void)state;
	add_question(&p, "a.b", DNS_A);
	assert_int_equal(ask(&p, p.len, &q), DNS_DROP); /* an answer: two servers could talk forever */
	for (unsigned int opcode = 1; opcode < 16; opcode++) {
		p = header(opcode << 11, 1, 0, 0, 0);
		add_question(&p, "a.b", DNS_A);
		assert_int_equal(ask(&p, p.len, &q), DNS_NOTIMP);
		assert_int_equal(q.opcode, opcode);
	}
	static const unsigned int counts[][4] = { { 0, 0, 0, 0 },     { 2, 0, 0, 0 }, { 1, 1, 0, 0 },
						  { 1, 0, 1, 0 },     { 1, 0, 0, 1 }, { 1, 0, 0, 0xffff },
						  { 0xffff, 0, 0, 0 } };

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		p = header(0x100, counts[i][0], counts[i][1], counts[i][2], counts[i][3]);
		add_question(&p, "a.b", DNS_A);
		assert_int_equal(ask(&p, p.len, &q), DNS_FORMERR);
	}
	p = header(0x300, 1, 0, 0, 0); /* cut off */
	add_question(&p, "a.b", DNS_A);
	assert_int_equal(ask(&p, p.len, &q), DNS_FORMERR);
	p = question("a.b", DNS_A);
	add(&p, "x", 1); /* and more */
	assert_int_equal(ask(&p, p.len, &q), DNS_FORMERR);
	p = question("a.b", DNS_A);
	add_opt(&p, 512, 0, 0);
	add_opt(&p, 512, 0, 0);
	assert_int_equal(ask(&p, p.len, &q), DNS_FORMERR);
	p = question("a.b", DNS_A);
	add_opt(&p, 512, 1, 0);
	assert_int_equal(ask(&p, p.len, &q), DNS_BADVERS);
	assert_int_equal(dns_verdict_rcode(DNS_BADVERS), 16);
}

static void names(void **state)
{
	static const struct {
		const char *wire;
		size_t len;
		enum dns_verdict v;
		bool odd;
	} rows[] = {
		{ "\1a\1b\0", 5, DNS_OK, false },
		{ "\3a.b\1c\0", 7, DNS_OK, true },
		{ "\3a\0b\1c\0", 7, DNS_OK, true },
		{ "\3a b\1c\0", 7, DNS_OK, true },
		{ "\2\xc3\xa4\1c\0", 6, DNS_OK, true },
		{ "\2a\x7f\0", 4, DNS_OK, true },
		{ "\2a\n\0", 4, DNS_OK, true },
		{ "\xc0\x0c", 2, DNS_FORMERR, false }, /* to itself */
		{ "\1a\xc0\x0c", 4, DNS_FORMERR, false },
		{ "\xc0\0", 2, DNS_FORMERR, false }, /* into the header */
		{ "\x41"
		  "a\0",
		  3, DNS_FORMERR, false },
		{ "\x81"
		  "a\0",
		  3, DNS_FORMERR, false },
		{ "\x3f"
		  "a\0",
		  3, DNS_FORMERR, false },        /* longer than what is there */
		{ "\1a", 2, DNS_FORMERR, false }, /* no end: the type is taken for a label */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct packet p = header(0x100, 1, 0, 0, 0);
		struct dns_query q;

		add(&p, rows[i].wire, rows[i].len);
		add16(&p, DNS_A);
		add16(&p, DNS_IN);
		if (ask(&p, p.len, &q) != rows[i].v)
			fail_msg("row %zu", i);
		if (rows[i].v != DNS_OK)
			continue;
		assert_int_equal(q.odd, rows[i].odd);
		assert_int_equal(q.name_len, rows[i].len - 2);
		assert_int_equal(q.raw_len, rows[i].len);
	}
}

static void a_name_has_a_longest(void **state)
{
	(void)state;
	for (size_t last = 1; last <= 63; last++) {
		struct packet p = header(0x100, 1, 0, 0, 0);
		size_t wire = 3 * 64 + 1 + last + 1;
		char label[64];
		struct dns_query q;

		memset(label, 'x', sizeof(label));
		for (int i = 0; i < 4; i++) {
			uint8_t n = (uint8_t)(i == 3 ? last : 63);

			add(&p, &n, 1);
			add(&p, label, n);
		}
		add(&p, "\0\0\1\0\1", 5);
		assert_int_equal(ask(&p, p.len, &q), wire <= DNS_WIRE_MAX ? DNS_OK : DNS_FORMERR);
		if (wire <= DNS_WIRE_MAX)
			assert_int_equal(q.name_len, wire - 2);
	}
}

static size_t answer(const struct packet *p, const struct dns_answer *a, uint8_t *out, size_t cap, bool udp)
{
	struct dns_query q;
	enum dns_verdict v = ask(p, p->len, &q);
	uint8_t *exact = malloc(cap ? cap : 1);
	struct dns_answer told = a ? *a : (struct dns_answer){ .rcode = dns_verdict_rcode(v) };
	size_t len;

	assert_non_null(exact);
	len = dns_answer_write(&q, &told, exact, cap, udp);
	assert_true(len <= cap);
	memcpy(out, exact, len);
	free(exact);
	return len;
}

static void addresses_are_told(void **state)
{
	static const struct egress_address list[] = { { 4, { 192, 0, 2, 1 } },
						      { 6, { 0x20, 1, 0xd, 0xb8, [15] = 1 } },
						      { 0, { 0 } },
						      { 4, { 192, 0, 2, 2 } } };
	static const uint8_t want[] = "\xbe\xef\x81\x80\0\1\0\2\0\0\0\0\1A\1b\0\0\1\0\1"
				      "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc0\0\2\1"
				      "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc0\0\2\2";
	static const uint8_t want6[] =
		"\xbe\xef\x81\x80\0\1\0\1\0\0\0\1\1A\1b\0\0\x1c\0\1"
		"\xc0\x0c\0\x1c\0\1\0\0\0\x3c\0\x10\x20\1\xd\xb8\0\0\0\0\0\0\0\0\0\0\0\1"
		"\0\0\x29\x04\xd0\0\0\x80\0\0\0";
	struct dns_answer a = { .ttl = 60, .addresses = list, .n_addresses = 4 };
	struct packet p = question("A.b", DNS_A);
	uint8_t out[1500];

	(void)state;
	assert_int_equal(answer(&p, &a, out, sizeof(out), true), sizeof(want) - 1);
	assert_memory_equal(out, want, sizeof(want) - 1);
	p = question("A.b", DNS_AAAA);
	add_opt(&p, 4096, 0, 0x8000);
	assert_int_equal(answer(&p, &a, out, sizeof(out), true), sizeof(want6) - 1);
	assert_memory_equal(out, want6, sizeof(want6) - 1);
}

static void a_no_can_be_remembered(void **state)
{
	static const uint8_t want[] =
		"\xbe\xef\x81\x83\0\1\0\0\0\1\0\0\1A\1b\0\0\1\0\1"
		"\0\0\6\0\1\0\0\0\5\0\x16\0\0\0\0\0\1\0\0\xe\x10\0\0\2\x58\0\1\x51\x80\0\0\0\5";
	struct dns_answer a = { .rcode = DNS_RCODE_NXDOMAIN, .ttl = 5 };
	struct packet p = question("A.b", DNS_A);
	uint8_t out[1500];

	(void)state;
	assert_int_equal(answer(&p, &a, out, sizeof(out), true), sizeof(want) - 1);
	assert_memory_equal(out, want, sizeof(want) - 1);
	p = question("A.b", DNS_HTTPS); /* there is none, but the name is there */
	a.rcode = DNS_RCODE_NOERROR;
	assert_int_equal(answer(&p, &a, out, sizeof(out), true), sizeof(want) - 1);
	assert_int_equal(out[3], 0x80);
	a.rcode = DNS_RCODE_REFUSED;
	assert_int_equal(answer(&p, &a, out, sizeof(out), true), 12 + 5 + 4);
	assert_int_equal(out[3], 0x85);
}

static void errors_are_told(void **state)
{
	struct packet p = header(0x0100, 3, 0, 0, 0);
	uint8_t out[1500];

	(void)state;
	assert_int_equal(answer(&p, NULL, out, sizeof(out), true), 12); /* no question is repeated */
	assert_memory_equal(out, "\xbe\xef\x81\x81\0\0\0\0\0\0\0\0", 12);
	p = header(0x2800, 1, 0, 0, 0);
	assert_int_equal(answer(&p, NULL, out, sizeof(out), true), 12);
	assert_memory_equal(out, "\xbe\xef\xa8\x84", 4);
	p = question("a.b", DNS_A);
	add_opt(&p, 512, 7, 0);
	assert_int_equal(answer(&p, NULL, out, sizeof(out), true), 12 + 9 + 11);
	assert_memory_equal(out, "\xbe\xef\x81\x80\0\1\0\0\0\0\0\1", 12);
	assert_memory_equal(out + 21, "\0\0\x29\x04\xd0\1\0\0\0\0\0", 11);
	assert_int_equal(answer(&p, NULL, out, 31, true), 0);
	assert_int_equal(answer(&p, NULL, out, 0, true), 0);
}

static void what_does_not_fit(void **state)
{
	struct egress_address list[100];
	struct dns_answer a = { .ttl = 1, .addresses = list, .n_addresses = 40 };
	struct packet p = question("a.b", DNS_A);
	uint8_t out[4096];

	(void)state;
	for (size_t i = 0; i < 100; i++)
		list[i] = (struct egress_address){ 4, { 192, 0, 2, (uint8_t)i } };
	assert_int_equal(answer(&p, &a, out, sizeof(out), true), 21 + 30 * 16); /* of 512 */
	assert_int_equal(out[2], 0x83);
	assert_int_equal(out[7], 30);
	assert_int_equal(answer(&p, &a, out, sizeof(out), false), 21 + 40 * 16);
	assert_int_equal(out[2], 0x81);
	add_opt(&p, 65535, 0, 0);
	a.n_addresses = 100;
	assert_int_equal(answer(&p, &a, out, sizeof(out), false), 21 + DNS_MAX_RECORDS * 16 + 11);
	assert_int_equal(out[2], 0x83);
	p = question("a.b", DNS_A);
	add_opt(&p, 0, 0, 0); /* nobody takes less than 512 */
	assert_int_equal(answer(&p, &a, out, sizeof(out), true), 21 + 30 * 16 + 11);
	for (size_t cap = 0; cap < 700; cap++)
		answer(&p, &a, out, cap, false);
}

/* Records: an answer with them, as a resolver would send it. */
static void add_record(struct packet *p, const char *owner, unsigned int type, uint32_t ttl, const void *data,
		       size_t len)
{
	if (owner)
		add_name(p, owner);
	else
		add16(p, 0xc00c);
	add16(p, type);
	add16(p, DNS_IN);
	add16(p, ttl >> 16);
	add16(p, ttl & 0xffff);
	add16(p, (unsigned int)len);
	add(p, data, len);
	p->data[7]++;
}

static struct packet reply(const char *name, unsigned int type)
{
	struct packet p = header(0x8180, 1, 0, 0, 0);

	add_question(&p, name, type);
	return p;
}

static bool hear(const struct packet *p, size_t len, const char *name, uint16_t type, struct dns_reply *ret)
{
	uint8_t *exact = malloc(len ? len : 1);
	bool good;

	assert_non_null(exact);
	memcpy(exact, p->data, len);
	good = dns_reply_read(exact, len, name, type, ret);
	free(exact);
	return good;
}

static void records_of_a_resolver(void **state)
{
	static struct dns_reply r;
	struct packet p = reply("_sip._tcp.Example.org", DNS_SRV);
	struct dns_query q;
	uint8_t out[600];

	(void)state;
	/* SRV 0 5 5060 sip.example.org, with a pointer to "Example.org" at 22. */
	add_record(&p, NULL, DNS_SRV, 300, "\0\0\0\5\x13\xc4\3Sip\xc0\x16", 12);
	add_record(&p, NULL, 99, 300, "xx", 2); /* something else */
	add_record(&p, "other.example", DNS_SRV, 300, "\0\0\0\5\x13\xc4\1x\0", 9);
	assert_true(hear(&p, p.len, "_sip._tcp.example.ORG", DNS_SRV, &r));
	assert_int_equal(r.n, 1);
	assert_int_equal(r.aliases, 0);
	assert_string_equal(r.name, "_sip._tcp.example.org");
	assert_string_equal(r.records[0].target, "sip.example.org");
	assert_int_equal(r.records[0].len, 6 + 17);
	assert_memory_equal(r.records[0].data, "\0\0\0\5\x13\xc4\3Sip\7Example\3org\0", 23);
	assert_int_equal(r.records[0].ttl, 300);
	for (size_t n = 0; n < p.len; n++)
		assert_false(hear(&p, n, "_sip._tcp.example.org", DNS_SRV, &r));
	assert_false(hear(&p, p.len, "example.org", DNS_SRV, &r));
	assert_false(hear(&p, p.len, "_sip._tcp.example.org", DNS_TXT, &r));
	/* And on to the box. */
	assert_true(hear(&p, p.len, "_sip._tcp.example.org", DNS_SRV, &r));
	p = question("_sip._tcp.example.org", DNS_SRV);
	assert_int_equal(ask(&p, p.len, &q), DNS_OK);
	assert_int_equal(dns_answer_write(&q, &(struct dns_answer){ .records = r.records, .n_records = r.n },
					  out, sizeof(out), true),
			 p.len + 12 + 23);
}

static void aliases_are_followed(void **state)
{
	static struct dns_reply r;
	struct packet p = reply("a.example", DNS_TXT);

	(void)state;
	add_record(&p, "c.example", DNS_TXT, 100, "\2hi\1x", 5); /* in any order */
	add_record(&p, "B.example", DNS_CNAME, 7, "\1c\7example\0", 11);
	add_record(&p, NULL, DNS_CNAME, 50, "\1b\7example\0", 11);
	assert_true(hear(&p, p.len, "a.example", DNS_TXT, &r));
	assert_int_equal(r.n, 1);
	assert_int_equal(r.aliases, 2);
	assert_string_equal(r.name, "c.example");
	assert_int_equal(r.records[0].ttl, 7);
	p = reply("a.example", DNS_CNAME);
	add_record(&p, NULL, DNS_CNAME, 50, "\1b\xc0\x0e", 4);
	assert_true(hear(&p, p.len, "a.example", DNS_CNAME, &r));
	assert_int_equal(r.n, 1);
	assert_string_equal(r.records[0].target, "b.example");
	p = reply("a.example", DNS_TXT); /* in a circle */
	add_record(&p, NULL, DNS_CNAME, 50, "\1b\7example\0", 11);
	add_record(&p, "b.example", DNS_CNAME, 50, "\xc0\x0c", 2);
	assert_false(hear(&p, p.len, "a.example", DNS_TXT, &r));
	p = reply("a.example", DNS_TXT); /* two at once */
	add_record(&p, NULL, DNS_CNAME, 50, "\1b\7example\0", 11);
	add_record(&p, NULL, DNS_CNAME, 50, "\1c\7example\0", 11);
	assert_false(hear(&p, p.len, "a.example", DNS_TXT, &r));
}

static void broken_records(void **state)
{
	static const struct {
		uint16_t type;
		const char *data;
		size_t len;
	} rows[] = {
		{ DNS_A, "\1\2\3", 3 },
		{ DNS_A, "\1\2\3\4\5", 5 },
		{ DNS_AAAA, "\1\2\3\4", 4 },
		{ DNS_TXT, "", 0 },
		{ DNS_TXT, "\5hi", 3 },
		{ DNS_CNAME, "", 0 },
		{ DNS_CNAME, "\1b", 2 },
		{ DNS_CNAME, "\1b\0x", 4 },
		{ DNS_CNAME, "\xc0", 1 },
		{ DNS_CNAME, "\xc0\xff", 2 }, /* forwards */
		{ DNS_CNAME, "\xc0\x21", 2 }, /* to itself */
		{ DNS_CNAME, "\1a\xc0\x21", 4 },
		{ DNS_MX, "\0\1", 2 },
		{ DNS_MX, "\0", 1 },
		{ DNS_SRV, "\0\1\0\1\0\1", 6 },
		{ DNS_SRV, "\1a\0", 3 },
		{ DNS_SOA, "\0", 1 }, /* cannot be asked for */
	};
	static struct dns_reply r;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct packet p = reply("a.b", rows[i].type);

		add_record(&p, NULL, rows[i].type, 1, rows[i].data, rows[i].len);
		if (hear(&p, p.len, "a.b", rows[i].type, &r))
			fail_msg("row %zu", i);
		assert_int_equal(r.n, 0);
	}
}

/* Pointers to pointers: each leads backwards, so there is an end; but not after thousands. */
static void chains_of_pointers(void **state)
{
	static struct dns_reply r;
	struct packet p = reply("a.b", DNS_TXT);
	size_t at = p.len + 12;
	uint8_t chain[2000] = { 0, 0 };

	(void)state;
	for (size_t i = 2; i + 1 < sizeof(chain); i += 2) {
		chain[i] = (uint8_t)(0xc0 | (at + i - 2) >> 8);
		chain[i + 1] = (uint8_t)(at + i - 2);
	}
	add_record(&p, NULL, 99, 1, chain, sizeof(chain));
	add16(&p, 0xc000 | (unsigned int)(at + 40));
	add(&p, "\0\x10\0\1\0\0\0\1\0\0", 10);
	p.data[7]++;
	assert_true(hear(&p, p.len, "a.b", DNS_TXT, &r)); /* a record of the root: not ours */
	assert_int_equal(r.n, 0);
	p.data[p.len - 12] = (uint8_t)(0xc0 | (at + 1998) >> 8);
	p.data[p.len - 11] = (uint8_t)(at + 1998);
	assert_false(hear(&p, p.len, "a.b", DNS_TXT, &r));
}

static void too_many_records(void **state)
{
	static struct dns_reply r;
	struct packet p = reply("a.b", DNS_TXT);

	(void)state;
	for (int i = 0; i < 100; i++)
		add_record(&p, NULL, DNS_TXT, 0x80000000u, "\1x", 2);
	assert_true(hear(&p, p.len, "a.b", DNS_TXT, &r));
	assert_int_equal(r.n, DNS_MAX_RECORDS);
	assert_true(r.truncated);
	assert_int_equal(r.records[0].ttl, 0);
	p = header(0x8183, 1, 0, 1, 0); /* a "no", whose SOA is not read */
	add_question(&p, "a.b", DNS_TXT);
	add(&p, "garbage", 7);
	assert_true(hear(&p, p.len, "a.b", DNS_TXT, &r));
	assert_int_equal(r.rcode, DNS_RCODE_NXDOMAIN);
	assert_int_equal(r.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_question),
		cmocka_unit_test(what_is_no_question),
		cmocka_unit_test(names),
		cmocka_unit_test(a_name_has_a_longest),
		cmocka_unit_test(addresses_are_told),
		cmocka_unit_test(a_no_can_be_remembered),
		cmocka_unit_test(errors_are_told),
		cmocka_unit_test(what_does_not_fit),
		cmocka_unit_test(records_of_a_resolver),
		cmocka_unit_test(aliases_are_followed),
		cmocka_unit_test(broken_records),
		cmocka_unit_test(chains_of_pointers),
		cmocka_unit_test(too_many_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
