/* SPDX-License-Identifier: Apache-2.0 */
/* What a registry wants before it answers: the header WWW-Authenticate (RFC 9110, 11.6.1). */
#ifndef HELPERS_IMAGE_CHALLENGE_H
#define HELPERS_IMAGE_CHALLENGE_H

#include <stdbool.h>
#include <stddef.h>

enum challenge_scheme {
	CHALLENGE_NONE, /* nothing that we can answer */
	CHALLENGE_BASIC,
	CHALLENGE_BEARER,
};

struct challenge {
	enum challenge_scheme scheme;
	char realm[1024]; /* of Bearer: the URL of the token server */
	char service[512];
};

/*
 * Reads one header's value into C, which holds what earlier headers of the same answer asked for: Bearer goes
 * before Basic, and the first of a scheme counts. False: the header is malformed, and C is unchanged.
 */
bool challenge_read(const char *text, size_t len, struct challenge *c);

#endif
