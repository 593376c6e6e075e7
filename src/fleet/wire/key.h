/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of hubs and nodes (Ed25519): a hub signs what it claims, a node what came out of it, and secrets are
 * sealed so that one node alone can read them. Who may use which key is not decided here. */
#ifndef FLEET_WIRE_KEY_H
#define FLEET_WIRE_KEY_H

#include "aisbx/error.h"
#include "base/buf.h"
#include "fleet/core/message.h"

/* A public key as text, with its NUL: 32 bytes in base64. */
#define KEY_TEXT FLEET_PUBLIC

struct key_public {
	uint8_t bytes[32];
};

struct key {
	struct key_public public;
	uint8_t secret[64];
};

/* Makes a key and keeps it in a new file at PATH, which this user alone can read. -EEXIST: there is a file
 * already. */
int key_make(const char *path, struct key *ret, struct aisbx_error *e);
/* One that nobody keeps: for what is sealed during one run. RET needs key_finish. */
int key_make_once(struct key *ret);
/* Refused if others can read or change the file; root's group may read what root gave to this user, as with
 * credentials of systemd and secrets of Kubernetes. -ENOENT: there is none. RET needs key_finish. */
int key_load(const char *path, struct key *ret, struct aisbx_error *e);
/* Forgets the secret. */
void key_finish(struct key *key);

void key_public_write(const struct key_public *public, char ret[KEY_TEXT]);
int key_public_read(const char *text, struct key_public *ret, struct aisbx_error *e);

/* What a hub says when it gives a job to a node. */
struct key_claim {
	const char *job, *tenant, *node; /* borrowed */
	uint64_t incarnation;            /* of the node */
	uint64_t epoch;                  /* of the hub */
	unsigned attempt;
};

/* The seal of a claim: the public key of its node, and the hub's signature under both. -EINVAL: a name is
 * none. */
int key_sign_claim(const struct key *hub, const struct key_claim *claim, const struct key_public *node,
		   char ret[FLEET_SEAL]);
/* Whether one of the N keys of HUBS signed it; then RET_NODE is the key of its node. */
bool key_verify_claim(const struct key_public *hubs, size_t n, const struct key_claim *claim,
		      const char *seal, struct key_public *ret_node);
/* The node's key as SEAL says it, which may be anybody's, or none. */
bool key_of_seal(const char *seal, struct key_public *ret_node);

/* The signature of a result: over the job, its token, attempt, phase and result in RECORD. */
int key_sign_result(const struct key *node, const char *job, const char *tenant,
		    const struct fleet_record *record, char ret[FLEET_SIGNATURE]);
/* The same, of RECORD.signature. */
bool key_verify_result(const struct key_public *node, const char *job, const char *tenant,
		       const struct fleet_record *record);

/* Of an OFFER, by its hub, over all of the job and the beat that it answers; or of a MAY_I, by its node.
 * -EINVAL: it is neither. */
int key_sign_message(const struct key *key, const struct fleet_message *m, char ret[FLEET_SIGNATURE]);
/* The same, of M.signature. */
bool key_verify_message(const struct key_public *key, const struct fleet_message *m);

/* Adds to RET, as text, what only the node can read. */
int key_seal(const struct key_public *node, const void *data, size_t len, struct buf *ret);
/* Adds to RET what was sealed to this node; the caller wipes it. -EBADMSG: it was sealed to another, or
 * changed. */
int key_unseal(const struct key *node, const char *text, size_t len, struct buf *ret);

#endif
