/* SPDX-License-Identifier: Apache-2.0 */
/* What the person and the system say about images: images.yaml, and the logins of ~/.docker/config.json. */
#ifndef BOX_IMAGE_SETTINGS_H
#define BOX_IMAGE_SETTINGS_H

#include <jansson.h>

#include "aisbx/error.h"
#include "box/caller.h"

/*
 * Adds to a request for aisbx-image: auth, mirrors, plain_http and, where a signature is required, keys.
 * FROM: what kind of source an image comes from, as image/wire.h has it, or NULL where it is sent away. An
 * image from a source that cannot carry a signature is refused if one is required.
 */
int image_settings_add(const struct caller *by, const char *from, json_t *request, struct aisbx_error *e);

#endif
