/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures in the manner of cosign: a small JSON text that names an image by its digest ("simple signing"),
 * and a signature of that text. Nothing here reads files or the network. */
#ifndef HELPERS_IMAGE_SIGNATURE_H
#define HELPERS_IMAGE_SIGNATURE_H

#include <stddef.h>

#include <jansson.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "image/oci.h"

#define SIGNATURE_ANNOTATION  "dev.cosignproject.cosign/signature"
#define SIGNATURE_MEDIA_TYPE  "application/vnd.dev.cosign.simplesigning.v1+json"
#define SIGNATURE_MAX_PAYLOAD 65536u
#define SIGNATURE_MAX         64u /* that are looked at for one image */

struct signature_want {
	const json_t *keys;     /* borrowed: array of PEM texts; public keys: ECDSA (P-256), RSA, Ed25519 */
	const char *digest;     /* of the manifest that was asked for */
	const char *repository; /* "HOST/REPOSITORY" the signature must speak of; NULL: any */
};

/* Whether a request has keys. Keys that are not what they should be are refused later, not ignored. */
bool signature_wanted(const json_t *keys);

/* One signature, base64, of PAYLOAD. 0: by one of the keys, and the payload names this very image. */
int signature_check(const char *payload, size_t len, const char *signature, const struct signature_want *want,
		    struct aisbx_error *e);

/* The tag that a signature of an image has: "sha256-HEX.sig". */
#define SIGNATURE_TAG_CAP 80u
void signature_tag(const char *digest, char ret[SIGNATURE_TAG_CAP]);

/* TEXT: the manifest found under that tag. LOAD gives the payloads that it names. 0: one of its signatures is
 * good. */
int signature_check_manifest(const char *text, size_t len, oci_load_fn *load, void *ctx,
			     const struct signature_want *want, struct aisbx_error *e);
/* The refusal for an image without any signature, with what to do. */
int signature_missing(const char *digest, struct aisbx_error *e);

#endif
