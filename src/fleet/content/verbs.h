/* SPDX-License-Identifier: Apache-2.0 */
/* The verbs: what each needs, and what it tells. */
#ifndef FLEET_CONTENT_VERBS_H
#define FLEET_CONTENT_VERBS_H

#include <jansson.h>

#include "fleet/content/cache.h"
#include "fleet/content/key.h"
#include "fleet/content/tree.h"
#include "fleet/content/walk.h"

#define CONTENT_SOURCES_MOST 8u
#define CONTENT_WITHOUT_MOST 128u

struct content_request {
	struct content_key key;
	struct content_cache cache;
	const char *tenant;                       /* borrowed, as all that follows */
	const char *stores[CONTENT_SOURCES_MOST]; /* where to, or where from: in the order they are tried */
	size_t n_stores;
	const char *dir; /* what is pushed, or where it is pulled to */
	uint8_t id[CONTENT_ID];
	const char *without[CONTENT_WITHOUT_MOST]; /* push: paths in DIR that stay here */
	size_t n_without;
	const char *over[CONTENT_OVER_MOST]; /* push: layers of a box over DIR, oldest first */
	size_t n_over;
	const char *layer;  /* pull: only what this layer of a box changes; NULL: everything */
	uint64_t keep;      /* gc: generations */
	const char *listen; /* serve: address and port */
	bool is_exact;      /* pull: owners, set-user-id bits and strong attributes as well */
	bool is_condemned;  /* verify: packs with damage are given up */
};

int content_push(struct content_request *q, json_t **ret, struct aisbx_error *e);
int content_pull(struct content_request *q, json_t **ret, struct aisbx_error *e);
int content_verify(struct content_request *q, json_t **ret, struct aisbx_error *e);
int content_serve(struct content_request *q, json_t **ret, struct aisbx_error *e);
int content_gc(struct content_request *q, json_t **ret, struct aisbx_error *e);

#endif
