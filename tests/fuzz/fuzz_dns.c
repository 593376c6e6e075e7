/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes the reader of a box's DNS questions and of a resolver's answers: what was read can be written, fits,
 * and is read again as the same. The first byte says which of the two, and how much room there is.
 */
#include <stdlib.h>
#include <string.h>

#include "net/dns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

/* A block of the very size, so that a sanitizer sees one byte too many. */
static size_t write_answer(const struct dns_query *q, const struct dns_answer *a, size_t cap, bool udp,
			   uint8_t **ret)
{
	size_t len;

	*ret = malloc(cap ? cap : 1);
	must(*ret != NULL);
	len = dns_answer_write(q, a, *ret, cap, udp);
	must(len <= cap);
	if (len)
		must(len >= 12 && (*ret)[2] & 0x80 && !((*ret)[3] & 0x20));
	return len;
}

static void check_query(const uint8_t *data, size_t len, size_t cap)
{
	static const struct egress_address list[] = { { 4, { 192, 0, 2, 1 } },
						      { 6, { 0x20, 1 } },
						      { 4, { 192, 0, 2, 2 } } };
	struct dns_answer a = { .ttl = 60, .addresses = list, .n_addresses = 3 };
	struct dns_query q;
	enum dns_verdict v = dns_query_read(data, len, &q);
	struct dns_reply *reply;
	uint8_t *out;
	size_t n;

	if (v == DNS_DROP)
		return;
	a.rcode = dns_verdict_rcode(v);
	must(q.name_len < DNS_NAME_MAX && q.raw_len <= DNS_WIRE_MAX && q.name[q.name_len] == '\0');
	must(v != DNS_OK || (q.raw_len && (q.odd || strlen(q.name) == q.name_len)));
	n = write_answer(&q, &a, cap, true, &out);
	must(n <= DNS_UDP_MAX);
	free(out);
	n = write_answer(&q, &a, 4096, false, &out);
	must(n > 0);
	reply = malloc(sizeof(*reply));
	must(reply != NULL);
	if (v == DNS_OK && !q.odd && q.class == DNS_IN && (q.type == DNS_A || q.type == DNS_AAAA)) {
		must(dns_reply_read(out, n, q.name, q.type, reply));
		must(reply->n == (q.type == DNS_A ? 2 : 1) && reply->records[0].ttl == 60);
	}
	free(reply);
	free(out);
}

static void check_reply(const uint8_t *data, size_t len)
{
	static const uint16_t types[] = { DNS_A, DNS_CNAME, DNS_MX, DNS_TXT, DNS_SRV };
	struct dns_reply *r = malloc(sizeof(*r)), *again = malloc(sizeof(*again));
	struct dns_query q = { .raw = "\1a\7example", .raw_len = 11, .class = DNS_IN };

	must(r && again);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct dns_answer a = { .records = r->records };
		uint8_t *out;
		size_t n;

		if (!dns_reply_read(data, len, "a.example", types[i], r))
			continue;
		must(r->n <= DNS_MAX_RECORDS && r->used <= sizeof(r->room));
		for (size_t k = 0; k < r->n; k++) {
			must(r->records[k].data >= r->room && r->records[k].type == types[i]);
			must(r->records[k].data + r->records[k].len <= r->room + r->used);
			must(memchr(r->records[k].target, '\0', DNS_NAME_MAX) != NULL);
		}
		q.type = types[i];
		a.n_records = r->n;
		n = write_answer(&q, &a, DNS_PACKET_MAX, false, &out);
		must(dns_reply_read(out, n, "a.example", types[i], again) && again->n == r->n &&
		     again->used == r->used);
		must(!memcmp(again->room, r->room, r->used));
		free(out);
	}
	free(r);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	if (!len)
		return 0;
	if (data[0] & 1)
		check_reply(data + 1, len - 1);
	else
		check_query(data + 1, len - 1, (size_t)data[0] * 4);
	return 0;
}
