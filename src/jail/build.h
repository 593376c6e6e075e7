/* SPDX-License-Identifier: Apache-2.0 */
/* Building a plan: the counterpart of jail/plan.h. Not part of aisbx-jail. */
#ifndef JAIL_BUILD_H
#define JAIL_BUILD_H

#include "base/buf.h"
#include "jail/plan.h"

/* Fill the plain fields of the header directly; ops, rules, words and filters through the functions. */
struct plan_builder {
	struct plan_head head;
	struct buf ops, rules, args, env, filter, strings;
};

void plan_builder_finish(struct plan_builder *b);
uint32_t plan_add_string(struct plan_builder *b, const char *s);
void plan_add_op(struct plan_builder *b, enum plan_op_kind kind, int flags, uint32_t mode, const char *src,
		 const char *dst);
void plan_add_file(struct plan_builder *b, int flags, uint32_t mode, const char *dst, const void *data,
		   size_t len);
/* As plan_add_op with PLAN_CLONE; LAYERS is as plan.h describes, LEN bytes. */
void plan_add_clone(struct plan_builder *b, int flags, const char *src, const char *dst, const void *layers,
		    size_t len);
void plan_add_rule(struct plan_builder *b, enum plan_rule_kind kind, const char *path);
void plan_add_arg(struct plan_builder *b, const char *arg);
/* "NAME=VALUE"; a later one of the same name wins. */
void plan_add_env(struct plan_builder *b, const char *assignment);
void plan_set_filter(struct plan_builder *b, const struct sock_filter *code, size_t count);
void plan_set_rlimit(struct plan_builder *b, int resource, uint64_t soft, uint64_t hard);

/* The finished plan in a sealed memfd. Checks it with plan_decode first. */
int plan_seal(struct plan_builder *b, int *ret_fd, struct aisbx_error *e);
/* The same as bytes, for tests. */
int plan_encode(struct plan_builder *b, struct buf *ret_bytes, struct aisbx_error *e);

#endif
