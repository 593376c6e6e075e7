/* SPDX-License-Identifier: Apache-2.0 */
/* Showing a registry who asks: finds the person's password, and answers what the registry wants. */
#ifndef HELPERS_IMAGE_AUTH_H
#define HELPERS_IMAGE_AUTH_H

#include "aisbx/error.h"
#include "helpers/image/auth_file.h"
#include "helpers/image/challenge.h"
#include "helpers/image/http.h"

/*
 * Looks for HOST's password in FILE (NULL: $DOCKER_CONFIG/config.json or ~/.docker/config.json), then in
 * $XDG_RUNTIME_DIR/containers/auth.json. May start a credential helper: call it before the walls are up. RET
 * stays empty when there is none.
 */
int auth_find(const char *file, const char *host, const char *repository, struct credentials *ret,
	      struct aisbx_error *e);

/* The registry O answered 401 with C: sets what is sent from now on, by asking its token server where
 * it wants that. */
int auth_answer(struct http_client *client, struct origin *o, const struct challenge *c,
		struct aisbx_error *e);

#endif
