/* SPDX-License-Identifier: Apache-2.0 */
/* The person's passwords for registries, as docker and podman write them (config.json, auth.json). */
#ifndef HELPERS_IMAGE_AUTH_FILE_H
#define HELPERS_IMAGE_AUTH_FILE_H

#include <jansson.h>

#include "aisbx/error.h"

#define AUTH_FILE_MAX (1u << 20) /* bytes */

/* Secret: never in an error, a log or an answer. */
struct credentials {
	char *user;           /* owned; NULL: nobody */
	char *password;       /* owned */
	char *identity_token; /* owned; instead of both: the token server takes it */
	char *registry_token; /* owned; instead of all: the registry takes it */
};

/* Overwrites them as well. */
void credentials_finish(struct credentials *c);

/* The name under which the file keeps HOST: as it is, but for Docker Hub. */
const char *auth_file_key(const char *host);

/*
 * The part after "docker-credential-" of the program that keeps HOST's password; "" when there is none.
 * Refuses a name that is not made of a-z, 0-9, "-" and "_".
 */
int auth_file_helper(const json_t *file, const char *host, char *ret, size_t cap, struct aisbx_error *e);

/* What the file itself says about HOST, or about its repository REPOSITORY, which goes first. RET stays empty
 * when it says nothing. */
int auth_file_find(const json_t *file, const char *host, const char *repository, struct credentials *ret,
		   struct aisbx_error *e);

/* What a credential helper answered. */
int auth_file_answer(const char *text, size_t len, struct credentials *ret, struct aisbx_error *e);

#endif
