/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key of a tenant, and what is named and sealed by it. Chunks are named by BLAKE3 with a key, so that
 * nobody without it can tell whether two tenants have the same content, or whether one has a known file.
 */
#ifndef FLEET_CONTENT_KEY_H
#define FLEET_CONTENT_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"

#define CONTENT_ID  32u                   /* bytes of a name */
#define CONTENT_HEX (2 * CONTENT_ID + 1u) /* the same as text, with its NUL */

#define CONTENT_CHUNK_MOST (2u << 20) /* bytes of a chunk */
#define CONTENT_HOLE_MOST  (1u << 30) /* bytes of a hole */

/* Keys made of the tenant's, one for each use, so that a name of one kind is never one of another. */
struct content_key {
	uint8_t chunk[CONTENT_ID];
	uint8_t tree[CONTENT_ID];
	uint8_t seal[CONTENT_ID];
	char peer[CONTENT_HEX]; /* what a machine of the tenant shows to another */
	char name[33];          /* for directories on this machine; tells nothing about the key */
};

/* A chunk, or with an id of zeros a hole: LEN bytes 0 that are stored nowhere. */
struct content_ref {
	uint8_t id[CONTENT_ID];
	uint32_t len;
};

/* Lower case letters, digits, '.', '_' and '-', at most 63, the first one a letter or digit. */
bool content_tenant_is_good(const char *tenant);

/* From 32 bytes in a file that only its owner, who is this user or root, can read. */
int content_key_load(const char *path, const char *tenant, struct content_key *ret, struct aisbx_error *e);
/* From the bytes themselves. */
void content_key_init(const uint8_t secret[CONTENT_ID], const char *tenant, struct content_key *ret);
void content_key_finish(struct content_key *k);

/* What DATA is called by KEY, one of the keys above. */
void content_name(const uint8_t key[CONTENT_ID], const void *data, size_t len, uint8_t ret[CONTENT_ID]);

void content_id_write(const uint8_t id[CONTENT_ID], char ret[CONTENT_HEX]);
/* Exactly 64 digits, lower case. */
bool content_id_read(const char *text, uint8_t ret[CONTENT_ID]);

bool content_ref_is_hole(const struct content_ref *r);

#endif
