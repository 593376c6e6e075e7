/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DNS packets: questions of a box, our answers to them, and what the host's resolver answered. Pure: no
 * system calls, no allocation, work bounded by the packet. Names are not judged here; that is
 * policy/egress.h.
 */
#ifndef NET_DNS_H
#define NET_DNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/egress.h"

#define DNS_NAME_MAX    254   /* of a name as text, with its NUL */
#define DNS_WIRE_MAX    255   /* of a name in a packet */
#define DNS_PACKET_MAX  65535 /* by TCP */
#define DNS_UDP_MIN     512
#define DNS_UDP_MAX     1232 /* we never send more in a datagram, whatever the client can take */
#define DNS_MAX_RECORDS 64   /* of an answer */

enum dns_type {
	DNS_A = 1,
	DNS_NS = 2,
	DNS_CNAME = 5,
	DNS_SOA = 6,
	DNS_PTR = 12,
	DNS_MX = 15,
	DNS_TXT = 16,
	DNS_AAAA = 28,
	DNS_SRV = 33,
	DNS_OPT = 41,
	DNS_SVCB = 64,
	DNS_HTTPS = 65,
	DNS_ANY = 255,
};

enum dns_class { DNS_IN = 1 };

enum dns_rcode {
	DNS_RCODE_NOERROR = 0,
	DNS_RCODE_FORMERR = 1,
	DNS_RCODE_SERVFAIL = 2,
	DNS_RCODE_NXDOMAIN = 3,
	DNS_RCODE_NOTIMP = 4,
	DNS_RCODE_REFUSED = 5,
	DNS_RCODE_BADVERS = 16, /* only with EDNS; SERVFAIL to who did not send it */
};

enum dns_verdict {
	DNS_OK,
	DNS_DROP,    /* no query at all: say nothing; nothing of *ret is set */
	DNS_FORMERR, /* for these three: answer with dns_verdict_rcode */
	DNS_NOTIMP,
	DNS_BADVERS,
};

struct dns_query {
	uint16_t id;
	uint8_t opcode;
	bool rd, cd;
	/* The question; raw_len 0: it could not be read, and is not repeated in the answer. */
	uint8_t raw[DNS_WIRE_MAX]; /* as it was sent, letters of either case */
	size_t raw_len;
	char name[DNS_NAME_MAX]; /* with dots between labels, none at the end; "" is the root. Not lower case.
				  */
	size_t name_len;         /* exact: an odd name may have a NUL in it */
	bool odd; /* a label has a dot, a NUL, a control character, a space or a byte beyond ASCII */
	uint16_t type, class;
	bool edns, dnssec_ok;
	uint16_t udp_size;
	uint8_t edns_version;
};

/* One record. Of what was asked for, unless said otherwise: the owner is the name of the question. */
struct dns_record {
	uint16_t type;
	uint16_t len;
	uint32_t ttl;
	const uint8_t *data;       /* borrowed; names in it are not compressed */
	char target[DNS_NAME_MAX]; /* of CNAME, PTR, NS, MX and SRV: the name in it, lower case; "" is the
				      root */
	bool odd;                  /* target: as in struct dns_query */
};

struct dns_answer {
	uint16_t rcode;
	uint32_t ttl;                           /* of addresses, and of a "no" */
	const struct egress_address *addresses; /* borrowed; those of the asked type are told */
	size_t n_addresses;
	const struct dns_record *records; /* borrowed */
	size_t n_records;
};

/* Reads a query of a box. A verdict other than DNS_OK and DNS_DROP leaves in *ret what an answer needs. */
enum dns_verdict dns_query_read(const uint8_t *packet, size_t len, struct dns_query *ret);
uint16_t dns_verdict_rcode(enum dns_verdict v);

/*
 * Writes an answer and returns its length; 0: CAP does not even hold the question. By UDP what does not fit
 * is left out and the client told to come back by TCP; by TCP the same happens at CAP. An answer without
 * records has an SOA of the root that lets clients remember the "no" for TTL. Never says that anything was
 * verified (AD).
 */
size_t dns_answer_write(const struct dns_query *q, const struct dns_answer *a, uint8_t *out, size_t cap,
			bool udp);

/* What an upstream resolver answered, as far as it was asked for. Large: 40 KiB. Records point into it. */
struct dns_reply {
	uint16_t rcode;
	bool truncated;          /* it, or there was more than fits here */
	char name[DNS_NAME_MAX]; /* where CNAMEs led; lower case; the name itself if there was none */
	unsigned int aliases;    /* how many CNAMEs there were on the way */
	size_t n;
	struct dns_record records[DNS_MAX_RECORDS]; /* with the smallest TTL on the way */
	size_t used;
	uint8_t room[16384];
};

/*
 * Reads the answer to a question about NAME (as text, any case, no dot at the end) and TYPE: A, AAAA, SRV,
 * TXT, CNAME, MX, PTR or NS. False: it is no answer to that, or broken. Follows CNAMEs in it, up to 8, unless
 * TYPE is CNAME.
 */
bool dns_reply_read(const uint8_t *packet, size_t len, const char *name, uint16_t type,
		    struct dns_reply *ret);

#endif
