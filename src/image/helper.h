/* SPDX-License-Identifier: Apache-2.0 */
/* Asks aisbx-image: starts it, gives it a request and reads its answers (image/wire.h). */
#ifndef IMAGE_HELPER_H
#define IMAGE_HELPER_H

#include <jansson.h>

#include "aisbx/error.h"

/* Called for each line of progress; PROGRESS is borrowed. Not 0: the helper is ended, and the request fails
 * with it. */
typedef int image_progress_fn(void *ctx, const json_t *progress);

/* RET: the object of "ok"; the caller's. PROGRESS may be NULL. */
int image_ask(const json_t *request, image_progress_fn *progress, void *ctx, json_t **ret,
	      struct aisbx_error *e);

#endif
