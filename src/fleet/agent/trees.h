/* SPDX-License-Identifier: Apache-2.0 */
/* Projects that are on this node, each once, however many jobs use it: fetched when a job needs one, and kept
 * for a while. Boxes write beside them, never to them. */
#ifndef FLEET_AGENT_TREES_H
#define FLEET_AGENT_TREES_H

#include <limits.h>

#include "fleet/agent/content.h"
#include "fleet/agent/loop.h"

struct trees;

struct trees_options {
	struct loop *loop; /* borrowed, as all here */
	const char *dir;   /* of the node */
	const char *store; /* NULL: there is none */
	const char *keys;  /* a directory with TENANT.key */
	const char *boxes; /* how names of this node's boxes begin since it was started */
	void *ctx;
	/* TREE has come; or it has not, WHY says. IS_BAD: nor will it, here or elsewhere. */
	void (*ready)(void *ctx, const char *tenant, const char *tree, const char *why, bool is_bad);
};

struct trees *trees_create(const struct trees_options *options);
void trees_destroy(struct trees *t); /* NULL is allowed */

/* 1: it is there; 0: READY is called when it is, but not in this call; negative: it cannot be had. Where it
 * is not negative, trees_release is due. */
int trees_want(struct trees *t, const char *tenant, const char *tree, struct aisbx_error *e);
void trees_release(struct trees *t, const char *tenant, const char *tree);
/* Where TREE is, or will be. */
void trees_path(const struct trees *t, const char *tenant, const char *tree, char ret[PATH_MAX]);
/* The store of a tenant; RET borrows from KEY and CACHE. */
int trees_place(const struct trees *t, const char *tenant, char key[PATH_MAX], char cache[PATH_MAX],
		struct content_place *ret, struct aisbx_error *e);

#endif
