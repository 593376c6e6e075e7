/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first message of a TLS client: the name it asks for, and what hides one. Pure: no system calls, no
 * allocation. Not seen: a second ClientHello after a server's HelloRetryRequest, a resumed session,
 * renegotiation.
 */
#ifndef NET_HELLO_H
#define NET_HELLO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HELLO_MAX         65536 /* bytes, with the headers of records */
#define HELLO_MAX_RECORDS 64
#define HELLO_NAME_MAX    254 /* with its NUL */

enum hello_verdict {
	HELLO_MORE, /* not yet complete; need is set */
	HELLO_OK,
	HELLO_NOT_TLS, /* begins like no TLS; known by the first bytes */
	HELLO_BAD,     /* TLS or SSLv2, but not as it has to be, or longer than HELLO_MAX */
};

enum hello_ech {
	HELLO_ECH_NONE,
	HELLO_ECH_OUTER, /* an encrypted name, or noise that looks like one (GREASE): nobody but the server
			    can tell */
	HELLO_ECH_INNER, /* a marker that only a client behind another server sends */
};

struct hello {
	size_t need; /* HELLO_MORE: as many bytes from the beginning are needed at least; never beyond
			HELLO_MAX */
	size_t len;  /* HELLO_OK: bytes of the records that it takes */
	uint16_t record_version, version; /* as in the records and in the old place; 0x0303 is TLS 1.2 */
	uint16_t newest;                  /* the newest that is offered: 0x0304 is TLS 1.3 */
	char sni[HELLO_NAME_MAX];         /* "" if there is none; visible ASCII, not lower case: judge with
					     egress_name */
	size_t sni_len;
	/*
	 * Browsers send GREASE ECH with every hello: the same extension full of noise, made so that it cannot
	 * be told from a real one, by its length neither. So HELLO_ECH_OUTER does not say that a name is
	 * hidden, and refusing it refuses browsers. With a real one SNI is the name of the server that
	 * decrypts it, and what is inside reaches only names that this server answers for: as much as a Host
	 * that differs inside of TLS does.
	 */
	enum hello_ech ech;
	uint8_t ech_config;       /* HELLO_ECH_OUTER: id of the server's configuration; random with GREASE */
	uint16_t ech_key_len;     /* of its key: 32 with X25519 */
	uint16_t ech_payload_len; /* of what is encrypted */
	bool esni;                /* 0xffce, the forerunner of ECH; nobody sends it as noise */
	unsigned int n_alpn;
	bool alpn_h2, alpn_http11, alpn_other;
	bool early_data; /* TLS 1.3: data for a resumed session follow at once */
};

/*
 * Looks at the bytes that a client sent so far, from the first one. Call it again when there are ret->need
 * bytes: sooner it cannot be HELLO_OK. A name that is not exactly one host name, or that has bytes which none
 * has, is HELLO_BAD; so is an extension that is there twice.
 */
enum hello_verdict hello_read(const uint8_t *data, size_t len, struct hello *ret);

#endif
