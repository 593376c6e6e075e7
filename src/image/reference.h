/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of images, as people write them: [registry[:port]/]repository[:tag][@digest]. The grammar is that of
 * the distribution project, and so are the defaults: no registry is docker.io, one word there is
 * library/WORD.
 */
#ifndef IMAGE_REFERENCE_H
#define IMAGE_REFERENCE_H

#include "aisbx/error.h"

#define REFERENCE_DOCKER      "docker.io"
#define REFERENCE_DEFAULT_TAG "latest"
#define REFERENCE_MAX         1024u /* bytes of a whole reference; the grammar allows less than that */

struct reference {
	char *host;       /* owned; with its port: "docker.io", "localhost:5000", "[::1]:5000" */
	char *repository; /* owned: "library/busybox" */
	char *tag;        /* owned; NULL: none was given */
	char *digest;     /* owned; NULL: none was given; "sha256:HEX" or "sha512:HEX" */
};

/* Refuses what is no reference and says why. A tag is not filled in: reference_full does that. */
int reference_parse(const char *text, struct reference *ret, struct aisbx_error *e);
void reference_finish(struct reference *r);

/* "docker.io/library/busybox:latest": everything written out; the tag "latest" if there is neither tag nor
 * digest. Heap, or NULL if memory ran out. */
char *reference_full(const struct reference *r);
/* "busybox", "me/tool:2": without what is understood by itself (docker.io, library/, :latest). Heap, or NULL.
 * Parsed again it is the same image. */
char *reference_familiar(const struct reference *r);
/* What a registry is asked for: the digest if there is one, or else the tag, or else "latest". Borrowed. */
const char *reference_version(const struct reference *r);

#endif
