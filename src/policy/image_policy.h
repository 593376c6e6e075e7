/* SPDX-License-Identifier: Apache-2.0 */
/* The file images.yaml of a person or of the system: where images may come from, and who must have signed
 * them. */
#ifndef POLICY_IMAGE_POLICY_H
#define POLICY_IMAGE_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "base/str.h"

/* Another place for a registry's images. */
struct image_mirror {
	char *host;          /* owned; the registry */
	struct strlist urls; /* owned; asked before it, in this order */
};

struct image_policy {
	bool require_signature;       /* by one of `keys`; without it, keys are not looked at */
	struct strlist keys;          /* owned; files with public keys; as written */
	struct strlist plain_http;    /* owned; registries that are spoken to without TLS: "host:port" */
	struct strlist token_hosts;   /* owned; token servers of other domains that may be told a password */
	struct image_mirror *mirrors; /* owned */
	size_t n_mirrors;
};

void image_policy_finish(struct image_policy *p);
/*
 * Adds what the text of FILE says: lists grow, and a signature that any file requires is required. An unknown
 * key is an error.
 */
int image_policy_parse(const char *text, size_t len, const char *file, struct image_policy *p,
		       struct aisbx_error *e);

#endif
