/* SPDX-License-Identifier: Apache-2.0 */
/* Digests, the names of blobs: "sha256:HEX". "sha512:HEX" is understood where somebody wrote it. */
#ifndef IMAGE_DIGEST_H
#define IMAGE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"

#define DIGEST_SHA256_LEN 71u                      /* of "sha256:" and 64 digits */
#define DIGEST_CAP        (DIGEST_SHA256_LEN + 1u) /* room for a sha256 digest and its NUL */

/* Lower-case digits, as many as the algorithm has: sha256 or sha512. */
bool digest_is_valid(const char *text);
bool digest_is_sha256(const char *text);
/* The digits. TEXT is valid. */
const char *digest_hex(const char *text);

void digest_write(const uint8_t sum[SHA256_BYTES], char ret[DIGEST_CAP]);
/* "sha256:..." of LEN bytes. */
void digest_of(const void *data, size_t len, char ret[DIGEST_CAP]);

/* The ChainID of a layer: DIFF_ID itself for the first one (PARENT is NULL or ""), or else the digest of
 * "PARENT DIFF_ID". Equal chains are equal trees. RET may be PARENT. False: one of them is no sha256. */
bool digest_chain(const char *parent, const char *diff_id, char ret[DIGEST_CAP]);

#endif
