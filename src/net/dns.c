/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a box's questions and writes the answers to them (RFC 1035, 2308, 6891). */
#include "net/dns.h"

#include <string.h>

#include "net/dns_wire.h"

#define OPT_LEN    11
#define SOA_LEN    (1 + 10 + 22)
#define MAX_EXTRAS 16 /* records behind a question; OPT and a signature are usual */

/* What follows the question: at most one OPT counts, everything else is only stepped over. */
static bool extras_read(struct dns_wire *p, size_t count, struct dns_query *ret)
{
	for (size_t i = 0; i < count; i++) {
		struct dns_wire_name owner;
		struct dns_wire_head h;

		if (!dns_wire_record(p, &owner, &h))
			return false;
		p->at += h.len;
		if (h.type != DNS_OPT)
			continue;
		if (ret->edns || owner.wire_len != 1)
			return false;
		ret->edns = true;
		ret->udp_size = h.class;
		ret->edns_version = (uint8_t)(h.ttl >> 16);
		ret->dnssec_ok = h.ttl & 0x8000;
	}
	return p->at == p->len;
}

enum dns_verdict dns_query_read(const uint8_t *packet, size_t len, struct dns_query *ret)
{
	struct dns_wire p = { .data = packet, .len = len, .at = DNS_HEADER_LEN };
	uint16_t flags, extras;

	if (len < DNS_HEADER_LEN || dns_get16(packet + 2) & DNS_BIT_QR)
		return DNS_DROP;
	memset(ret, 0, sizeof(*ret));
	flags = dns_get16(packet + 2);
	ret->id = dns_get16(packet);
	ret->opcode = flags >> 11 & 0xf;
	ret->rd = flags & DNS_BIT_RD;
	ret->cd = flags & DNS_BIT_CD;
	if (ret->opcode)
		return DNS_NOTIMP;
	extras = dns_get16(packet + 10);
	if (flags & DNS_BIT_TC || dns_get16(packet + 4) != 1 || dns_get16(packet + 6) ||
	    dns_get16(packet + 8) || extras > MAX_EXTRAS)
		return DNS_FORMERR;
	if (!dns_wire_question(&p, ret) || !extras_read(&p, extras, ret))
		return DNS_FORMERR;
	return ret->edns_version ? DNS_BADVERS : DNS_OK;
}

uint16_t dns_verdict_rcode(enum dns_verdict v)
{
	switch (v) {
	case DNS_OK:
		return DNS_RCODE_NOERROR;
	case DNS_FORMERR:
		return DNS_RCODE_FORMERR;
	case DNS_NOTIMP:
		return DNS_RCODE_NOTIMP;
	case DNS_BADVERS:
		return DNS_RCODE_BADVERS;
	case DNS_DROP:
		break;
	}
	return DNS_RCODE_SERVFAIL;
}

/* What is being written. Nothing goes beyond cap, which leaves room for what has to follow. */
struct writer {
	uint8_t *out; /* borrowed */
	size_t len, cap;
};

static void put16(struct writer *w, unsigned int v)
{
	w->out[w->len++] = (uint8_t)(v >> 8);
	w->out[w->len++] = (uint8_t)v;
}

static void put32(struct writer *w, uint32_t v)
{
	put16(w, v >> 16);
	put16(w, v & 0xffff);
}

static void put(struct writer *w, const void *data, size_t len)
{
	memcpy(w->out + w->len, data, len);
	w->len += len;
}

/* A record of the name that was asked for; false if it does not fit. */
static bool put_record(struct writer *w, uint16_t type, uint32_t ttl, const uint8_t *data, size_t len)
{
	if (w->cap - w->len < 12 + len)
		return false;
	put16(w, 0xc000 | DNS_HEADER_LEN); /* the question's name is always there */
	put16(w, type);
	put16(w, DNS_IN);
	put32(w, ttl);
	put16(w, (unsigned int)len);
	put(w, data, len);
	return true;
}

static bool put_answers(struct writer *w, const struct dns_query *q, const struct dns_answer *a,
			unsigned int *ret_n)
{
	for (size_t i = 0; i < a->n_addresses; i++) {
		const struct egress_address *to = &a->addresses[i];
		bool four = to->family == 4;

		if (q->type != (four ? DNS_A : DNS_AAAA) || (!four && to->family != 6))
			continue;
		if (*ret_n >= DNS_MAX_RECORDS || !put_record(w, q->type, a->ttl, to->bytes, four ? 4 : 16))
			return false;
		++*ret_n;
	}
	for (size_t i = 0; i < a->n_records; i++) {
		const struct dns_record *r = &a->records[i];

		if (*ret_n >= DNS_MAX_RECORDS || !put_record(w, r->type, r->ttl, r->data, r->len))
			return false;
		++*ret_n;
	}
	return true;
}

/* RFC 2308: without it clients ask again at once. */
static bool put_soa(struct writer *w, uint32_t ttl)
{
	if (w->cap - w->len < SOA_LEN)
		return false;
	put(w, "", 1); /* the root, as if it had said so */
	put16(w, DNS_SOA);
	put16(w, DNS_IN);
	put32(w, ttl);
	put16(w, 22);
	put(w, "\0", 2); /* its server and its person: the root */
	put32(w, 1);
	put32(w, 3600);
	put32(w, 600);
	put32(w, 86400);
	put32(w, ttl);
	return true;
}

static void put_opt(struct writer *w, const struct dns_query *q, uint16_t rcode)
{
	put(w, "", 1);
	put16(w, DNS_OPT);
	put16(w, DNS_UDP_MAX);
	put32(w, (uint32_t)(rcode >> 4) << 24 | (q->dnssec_ok ? 0x8000 : 0));
	put16(w, 0);
}

static size_t room_for(const struct dns_query *q, size_t cap, bool udp)
{
	size_t most = DNS_PACKET_MAX;

	if (udp) {
		most = q->edns ? q->udp_size : DNS_UDP_MIN;
		most = most < DNS_UDP_MIN ? DNS_UDP_MIN : most > DNS_UDP_MAX ? DNS_UDP_MAX : most;
	}
	return cap < most ? cap : most;
}

/* What goes into the header of an answer. */
struct told {
	uint16_t rcode;
	bool cut; /* not everything fitted */
	unsigned int questions, answers, authorities, extras;
};

static void put_header(struct writer *w, const struct dns_query *q, const struct told *t)
{
	unsigned int flags =
		DNS_BIT_QR | DNS_BIT_RA | (unsigned int)(q->opcode & 0xf) << 11 | (t->rcode & 0xf);

	flags |= t->cut ? DNS_BIT_TC : 0;
	flags |= q->rd ? DNS_BIT_RD : 0;
	flags |= q->cd ? DNS_BIT_CD : 0;
	put16(w, q->id);
	put16(w, flags);
	put16(w, t->questions);
	put16(w, t->answers);
	put16(w, t->authorities);
	put16(w, t->extras);
}

/* The question again, and what is answered to it. */
static void put_sections(struct writer *w, const struct dns_query *q, const struct dns_answer *a,
			 struct told *t)
{
	put(w, q->raw, q->raw_len);
	put16(w, q->type);
	put16(w, q->class);
	t->questions = 1;
	if (t->rcode == DNS_RCODE_NOERROR)
		t->cut = !put_answers(w, q, a, &t->answers);
	else if (t->rcode != DNS_RCODE_NXDOMAIN)
		return;
	if (!t->cut && !t->answers && put_soa(w, a->ttl))
		t->authorities = 1;
}

size_t dns_answer_write(const struct dns_query *q, const struct dns_answer *a, uint8_t *out, size_t cap,
			bool udp)
{
	struct writer w = { .out = out, .len = DNS_HEADER_LEN, .cap = room_for(q, cap, udp) };
	struct told t = { .rcode = a->rcode > 15 && !q->edns ? DNS_RCODE_SERVFAIL : a->rcode };
	size_t asked = q->raw_len ? q->raw_len + 4 : 0, opt = q->edns ? OPT_LEN : 0, len;

	if (w.cap < DNS_HEADER_LEN + asked + opt)
		return 0;
	w.cap -= opt;
	if (asked)
		put_sections(&w, q, a, &t);
	if (q->edns) {
		put_opt(&w, q, t.rcode);
		t.extras = 1;
	}
	len = w.len;
	w.len = 0;
	put_header(&w, q, &t);
	return len;
}
