/* SPDX-License-Identifier: Apache-2.0 */
/* Names, questions and records as they lie in a DNS packet; what readers of queries and of replies have in
 * common. */
#ifndef NET_DNS_WIRE_H
#define NET_DNS_WIRE_H

#include "net/dns.h"

#define DNS_HEADER_LEN 12

enum dns_header_bit {
	DNS_BIT_QR = 0x8000,
	DNS_BIT_TC = 0x0200,
	DNS_BIT_RD = 0x0100,
	DNS_BIT_RA = 0x0080,
	DNS_BIT_CD = 0x0010,
};

/* A packet, and where it is being read. */
struct dns_wire {
	const uint8_t *data; /* borrowed */
	size_t len, at;
};

/* A name in both its forms. */
struct dns_wire_name {
	uint8_t wire[DNS_WIRE_MAX];
	size_t wire_len;
	char text[DNS_NAME_MAX];
	size_t text_len;
	bool odd;
};

/* What stands before the data of a record. */
struct dns_wire_head {
	uint16_t type, class, len;
	uint32_t ttl;
};

uint16_t dns_get16(const uint8_t *p);
uint32_t dns_get32(const uint8_t *p);
char dns_lower(char c);

/* Reads the name at p->at and moves behind it. Without POINTERS there may be none. */
bool dns_wire_name(struct dns_wire *p, bool pointers, struct dns_wire_name *ret);
/* Makes the text lower case. */
void dns_wire_lower(struct dns_wire_name *n);
/* Reads name and head of the record at p->at; its data lie at p->at then, and are all there. */
bool dns_wire_record(struct dns_wire *p, struct dns_wire_name *ret_owner, struct dns_wire_head *ret);
/* Reads the question at p->at: name, type and class of *ret. */
bool dns_wire_question(struct dns_wire *p, struct dns_query *ret);

#endif
