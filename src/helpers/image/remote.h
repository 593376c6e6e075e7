/* SPDX-License-Identifier: Apache-2.0 */
/* A registry that is talked to: its mirrors and itself, who asks, and which repository it is about. */
#ifndef HELPERS_IMAGE_REMOTE_H
#define HELPERS_IMAGE_REMOTE_H

#include <jansson.h>

#include "aisbx/error.h"
#include "helpers/image/http.h"
#include "image/oci.h"
#include "image/reference.h"

#define REMOTE_MAX_MIRRORS 8u
#define REMOTE_AT_ONCE     3u /* layers side by side */

struct source {
	struct origin origin;
	char *repository; /* owned; there */
};

struct remote {
	struct http_client client;
	struct reference ref;
	struct source *sources; /* owned; mirrors first, the registry itself last */
	size_t n_sources;
	const char **lists[2]; /* owned; of borrowed texts: plain_http, token_hosts */
};

enum remote_use { REMOTE_PULL, REMOTE_PUSH };

/*
 * Reads what REQUEST says about registries (auth, mirrors, plain_http, token_hosts, patience_s, pause_ms) and
 * looks for passwords, which may start a credential helper. Mirrors only pull. MOUNT_FROM: another repository
 * that blobs are taken from, or NULL.
 */
int remote_open(const json_t *request, const char *reference, enum remote_use use, const char *mount_from,
		struct remote *ret, struct aisbx_error *e);
void remote_close(struct remote *r);

/* Asks at loopback whether it speaks TLS. After it nothing is known about passwords; call it first. */
int remote_greet(struct remote *r, struct aisbx_error *e);

/* The call METHOD to "/v2/REPOSITORY/" PATH of the source S. */
int remote_call(struct remote *r, size_t s, const char *method, const char *path, struct http_call *ret,
		struct aisbx_error *e);

/* The document of a manifest, by tag or digest, from the first source that has it; a digest is verified.
 * RET: media type ("" if not known), digest and size. */
int remote_manifest(struct remote *r, const char *version, struct oci_descriptor *ret, struct buf *ret_text,
		    struct aisbx_error *e);

/* The digest that a tag has now, without the document; "" when nobody says. */
int remote_digest(struct remote *r, const char *tag, char ret[DIGEST_CAP], struct aisbx_error *e);

/* A small blob, verified, into memory. */
int remote_small_blob(struct remote *r, const struct oci_descriptor *d, size_t most, struct buf *ret,
		      struct aisbx_error *e);

#endif
