/* SPDX-License-Identifier: Apache-2.0 */
/* Takes DNS packets apart (RFC 1035). Pointers in names only ever lead backwards, and not too often, so none
 * loops. */
#include "net/dns_wire.h"

#include <string.h>

#define MAX_JUMPS 64 /* pointers of one name */

uint16_t dns_get16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

uint32_t dns_get32(const uint8_t *p)
{
	return (uint32_t)dns_get16(p) << 16 | dns_get16(p + 2);
}

char dns_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_plain(uint8_t c)
{
	return c > ' ' && c < 0x7f && c != '.';
}

/* Adds the label at P, with its length byte, which may be that of the root. */
static bool name_add(struct dns_wire_name *n, const uint8_t *p)
{
	size_t len = p[0];

	if (n->wire_len + 1 + len > DNS_WIRE_MAX)
		return false;
	memcpy(n->wire + n->wire_len, p, 1 + len);
	n->wire_len += 1 + len;
	if (!len)
		return true;
	/* A root must follow, so dot, label and NUL fit into the text; not relied upon. */
	if (n->text_len + 1 + len + 1 > DNS_NAME_MAX)
		return false;
	if (n->text_len)
		n->text[n->text_len++] = '.';
	for (size_t i = 1; i <= len; i++) {
		n->odd |= !is_plain(p[i]);
		n->text[n->text_len++] = (char)p[i];
	}
	return true;
}

bool dns_wire_name(struct dns_wire *p, bool pointers, struct dns_wire_name *ret)
{
	size_t at = p->at, end = 0, limit = p->at; /* a pointer has to lead to before limit */
	unsigned int jumps = 0;

	memset(ret, 0, sizeof(*ret));
	while (at < p->len) {
		uint8_t c = p->data[at];

		if ((c & 0xc0) == 0xc0) {
			size_t to = at + 1 < p->len ? dns_get16(p->data + at) & 0x3fffu : limit;

			if (!pointers || to >= limit || ++jumps > MAX_JUMPS)
				return false;
			end = end ? end : at + 2;
			at = limit = to;
			continue;
		}
		if (c & 0xc0 || at + 1 + c > p->len || !name_add(ret, p->data + at))
			return false;
		at += 1u + c;
		if (c)
			continue;
		p->at = end ? end : at;
		return true;
	}
	return false;
}

void dns_wire_lower(struct dns_wire_name *n)
{
	for (size_t i = 0; i < n->text_len; i++)
		n->text[i] = dns_lower(n->text[i]);
}

bool dns_wire_record(struct dns_wire *p, struct dns_wire_name *owner, struct dns_wire_head *ret)
{
	const uint8_t *b;

	if (!dns_wire_name(p, true, owner) || p->len - p->at < 10)
		return false;
	b = p->data + p->at;
	*ret = (struct dns_wire_head){ .type = dns_get16(b),
				       .class = dns_get16(b + 2),
				       .ttl = dns_get32(b + 4),
				       .len = dns_get16(b + 8) };
	if (ret->ttl > INT32_MAX)
		ret->ttl = ret->type == DNS_OPT ? ret->ttl : 0; /* RFC 2181, 8 */
	p->at += 10;
	return p->len - p->at >= ret->len;
}

bool dns_wire_question(struct dns_wire *p, struct dns_query *ret)
{
	struct dns_wire_name n;

	if (!dns_wire_name(p, false, &n) || p->len - p->at < 4)
		return false;
	memcpy(ret->raw, n.wire, n.wire_len);
	memcpy(ret->name, n.text, sizeof(ret->name));
	ret->raw_len = n.wire_len;
	ret->name_len = n.text_len;
	ret->odd = n.odd;
	ret->type = dns_get16(p->data + p->at);
	ret->class = dns_get16(p->data + p->at + 2);
	p->at += 4;
	return true;
}
