/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what a resolver answered, along its CNAMEs, and keeps the records with their names written out. */
#include <string.h>
#include <strings.h>

#include "net/dns.h"
#include "net/dns_wire.h"

#define MAX_WALKED 256 /* records that are looked at */
#define MAX_HOPS   8   /* CNAMEs */

/* What stands before the name in the data of a record; -1: there is no name. */
static int bytes_before_name(uint16_t type)
{
	switch (type) {
	case DNS_CNAME:
	case DNS_PTR:
	case DNS_NS:
		return 0;
	case DNS_MX:
		return 2;
	case DNS_SRV:
		return 6;
	default:
		return -1;
	}
}

static bool is_text(const uint8_t *data, size_t len)
{
	size_t at = 0;

	while (at < len)
		at += 1u + data[at];
	return len && at == len;
}

static bool is_well_formed(uint16_t type, const uint8_t *data, size_t len)
{
	return type == DNS_A      ? len == 4
	       : type == DNS_AAAA ? len == 16
				  : type == DNS_TXT && is_text(data, len);
}

/* Keeps data in the reply's own room; NULL when it is full. */
static uint8_t *keep(struct dns_reply *r, const void *data, size_t len)
{
	uint8_t *to = r->room + r->used;

	if (sizeof(r->room) - r->used < len)
		return NULL;
	memcpy(to, data, len);
	r->used += len;
	return to;
}

/* The data with their name written out. 1: kept; 0: no room left; -1: broken. */
static int data_read(const struct dns_wire *whole, const struct dns_wire_head *h, struct dns_reply *reply,
		     struct dns_record *ret)
{
	int before = bytes_before_name(h->type);
	struct dns_wire p = { .data = whole->data, .len = whole->at + h->len, .at = whole->at };
	const uint8_t *data = p.data + p.at;
	struct dns_wire_name n;

	if (before < 0) {
		if (!is_well_formed(h->type, data, h->len))
			return -1;
		ret->len = h->len;
		ret->data = keep(reply, data, h->len);
		return ret->data ? 1 : 0;
	}
	p.at += (size_t)before;
	if (h->len <= before || !dns_wire_name(&p, true, &n) || p.at != p.len)
		return -1;
	dns_wire_lower(&n);
	memcpy(ret->target, n.text, sizeof(ret->target));
	ret->odd = n.odd;
	ret->len = (uint16_t)((size_t)before + n.wire_len);
	if (sizeof(reply->room) - reply->used < ret->len)
		return 0;
	ret->data = keep(reply, data, (size_t)before);
	keep(reply, n.wire, n.wire_len);
	return 1;
}

/* What is being looked for in an answer: records of a type at the name that CNAMEs led to. */
struct search {
	uint16_t type;
	uint32_t ttl; /* the smallest so far */
	size_t first, count;
	struct dns_reply *reply;
};

/* Keeps a record that was looked for. */
static bool record_keep(const struct dns_wire *p, const struct dns_wire_head *h, const struct search *s)
{
	struct dns_reply *r = s->reply;
	struct dns_record record = { .type = h->type, .ttl = h->ttl < s->ttl ? h->ttl : s->ttl };
	int kept = r->n < DNS_MAX_RECORDS ? data_read(p, h, r, &record) : 0;

	if (kept < 0)
		return false;
	if (kept)
		r->records[r->n++] = record;
	else
		r->truncated = true;
	return true;
}

static bool cname_read(const struct dns_wire *whole, const struct dns_wire_head *h, struct dns_wire_name *ret)
{
	struct dns_wire p = { .data = whole->data, .len = whole->at + h->len, .at = whole->at };

	if (!dns_wire_name(&p, true, ret) || p.at != p.len || ret->odd)
		return false;
	dns_wire_lower(ret);
	return true;
}

/* Goes through all answers once. 1: a CNAME leads on to reply->name; 0: there is none; -1: broken. */
static int hop(const struct dns_wire *whole, struct search *s)
{
	struct dns_wire p = { .data = whole->data, .len = whole->len, .at = s->first };
	struct dns_wire_name owner, next;
	struct dns_wire_head h;
	bool led = false;

	for (size_t i = 0; i < s->count; i++, p.at += h.len) {
		if (!dns_wire_record(&p, &owner, &h))
			return -1;
		if (owner.odd || h.class != DNS_IN || strcasecmp(owner.text, s->reply->name) != 0)
			continue;
		if (h.type == s->type) {
			if (!record_keep(&p, &h, s))
				return -1;
		} else if (h.type == DNS_CNAME) {
			if (led || !cname_read(&p, &h, &next)) /* a name has one alias */
				return -1;
			led = true;
			s->ttl = h.ttl < s->ttl ? h.ttl : s->ttl;
		}
	}
	if (!led || s->reply->n)
		return 0;
	memcpy(s->reply->name, next.text, sizeof(s->reply->name));
	s->reply->aliases++;
	return 1;
}

static bool is_asked(struct dns_wire *p, const char *name, uint16_t type)
{
	struct dns_query q = { 0 };

	return dns_wire_question(p, &q) && !q.odd && q.type == type && q.class == DNS_IN &&
	       !strcasecmp(q.name, name);
}

bool dns_reply_read(const uint8_t *packet, size_t len, const char *name, uint16_t type, struct dns_reply *ret)
{
	struct dns_wire p = { .data = packet, .len = len, .at = DNS_HEADER_LEN };
	struct search s = { .type = type, .ttl = UINT32_MAX, .reply = ret };
	size_t name_len = strlen(name);
	uint16_t flags;
	int led = 1;

	ret->n = ret->used = 0;
	ret->aliases = 0;
	if (len < DNS_HEADER_LEN || name_len >= DNS_NAME_MAX)
		return false;
	flags = dns_get16(packet + 2);
	if (!(flags & DNS_BIT_QR) || flags >> 11 & 0xf || dns_get16(packet + 4) != 1 ||
	    !is_asked(&p, name, type))
		return false;
	ret->rcode = flags & 0xf;
	ret->truncated = flags & DNS_BIT_TC;
	memset(ret->name, 0, sizeof(ret->name));
	for (size_t i = 0; i < name_len; i++)
		ret->name[i] = dns_lower(name[i]);
	s.first = p.at;
	s.count = dns_get16(packet + 6);
	if (s.count > MAX_WALKED) {
		s.count = MAX_WALKED;
		ret->truncated = true;
	}
	for (int hops = 0; led > 0 && hops <= MAX_HOPS; hops++)
		led = hop(&p, &s);
	if (led)
		ret->n = 0; /* broken, or without an end */
	return led == 0;
}
