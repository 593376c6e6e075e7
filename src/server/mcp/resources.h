/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be read by an address: boxes, changes, files of a box, output and results of runs, artifacts. Each
 * is an operation with arguments, so whoever may not call that cannot read it here either; a path goes to the
 * box, never to the host.
 */
#ifndef SERVER_MCP_RESOURCES_H
#define SERVER_MCP_RESOURCES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "op/op.h"

struct resource_kind;

/* One that is being read. */
struct resource {
	const struct resource_kind *kind;
	const struct op *op;
	json_t *args;    /* owned */
	char *uri;       /* owned */
	struct buf text; /* of what the operation reports */
	uint64_t from;   /* what is before that is skipped */
	uint64_t passed; /* so much of it was */
	bool full;       /* and more came than fits into one answer */
};

/*
 * Operations whose results make up resources_list(), one after the other; NULL: no more. They take no
 * arguments.
 */
const struct op *resources_source(size_t i);
/*
 * All resources; RESULTS in the order of the sources, NULL for one that failed. An array, which the caller
 * splits into pages.
 */
json_t *resources_list(const json_t *const *results, size_t n);
json_t *resource_templates(void);

/* -ENOENT: no such kind. RET is freed by the caller, also after an error. */
int resource_open(const char *uri, struct resource *ret, struct aisbx_error *e);
void resource_finish(struct resource *r);
/* What its operation reports before the result; false: enough, the call can be cancelled. */
bool resource_item(struct resource *r, const json_t *item);
/* "contents" of resources/read, an array. RESULT may be NULL after resource_item() had enough. */
int resource_contents(struct resource *r, const json_t *result, json_t **ret_contents, struct aisbx_error *e);

/*
 * For subscriptions: an operation that reports each change of the resource, and ends when there will be no
 * more. -EOPNOTSUPP: there is none; then use resource_touched() after each call.
 */
int resource_watch(const char *uri, const struct op **ret_op, json_t **ret_args, struct aisbx_error *e);
/* Whether that call may have changed the content of URI. */
bool resource_touched(const char *uri, const struct op *op, const json_t *args);
/* Whether it may have changed resources_list(). */
bool resources_touched(const struct op *op);

#endif
