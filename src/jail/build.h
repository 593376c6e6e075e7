/* SPDX-License-Identifier: Apache-2.0 */
/* Building a plan: the counterpart of jail/plan.h. Not part of aisbx-jail. */
#ifndef JAIL_BUILD_H
#define JAIL_BUILD_H

#include "base/buf.h"
#include "jail/plan.h"

/* Fill the plain fields of the header directly; ops, rules, words and filters through the functions. */
struct jail_plan_builder {
	struct jail_plan_head head;
	struct buf ops, rules, args, env, filter, strings;
	struct {
		const char *from, *to; /* borrowed */
	} moves[2];
	size_t n_moves;
};

/*
 * From now on everything that is to be at FROM or below it is put to TO instead, where a link at FROM leads;
 * both are borrowed. At most twice. The jail itself follows no link.
 */
void jail_plan_move(struct jail_plan_builder *b, const char *from, const char *to);
void jail_plan_builder_finish(struct jail_plan_builder *b);
uint32_t jail_plan_add_string(struct jail_plan_builder *b, const char *s);
void jail_plan_add_op(struct jail_plan_builder *b, enum jail_plan_op_kind kind, int flags, uint32_t mode,
		      const char *src, const char *dst);
void jail_plan_add_file(struct jail_plan_builder *b, int flags, uint32_t mode, const char *dst,
			const void *data, size_t len);
/* Over the file DST, if it exists: one with these LEN bytes. */
void jail_plan_add_cover(struct jail_plan_builder *b, int flags, const char *dst, const void *data,
			 size_t len);
/* As jail_plan_add_op with JAIL_PLAN_CLONE; LAYERS is as plan.h describes, LEN bytes. */
/* The device HOST, which has these numbers, at GUEST. */
void jail_plan_add_device(struct jail_plan_builder *b, const char *host, const char *guest,
			  const struct jail_plan_device *numbers);
void jail_plan_add_clone(struct jail_plan_builder *b, int flags, const char *src, const char *dst,
			 const void *layers, size_t len);
void jail_plan_add_rule(struct jail_plan_builder *b, enum jail_plan_rule_kind kind, const char *path);
void jail_plan_add_arg(struct jail_plan_builder *b, const char *arg);
/* "NAME=VALUE"; a later one of the same name wins. */
void jail_plan_add_env(struct jail_plan_builder *b, const char *assignment);
void jail_plan_set_filter(struct jail_plan_builder *b, const struct sock_filter *code, size_t count);
/* A second filter, around commands only, behind the first, which has to be set before. COUNT 0: none. */
void jail_plan_add_filter(struct jail_plan_builder *b, const struct sock_filter *code, size_t count);
/* WORDS: its arguments, NUL-terminated, one after the other; CONFIG: the text of its config.json. */
void jail_plan_set_runtime(struct jail_plan_builder *b, const char *words, size_t words_len,
			   const char *config, size_t config_len);
void jail_plan_set_rlimit(struct jail_plan_builder *b, int resource, uint64_t soft, uint64_t hard);

/* The finished plan in a sealed memfd. Checks it with jail_plan_decode first. */
int jail_plan_seal(struct jail_plan_builder *b, int *ret_fd, struct aisbx_error *e);
/* The same as bytes, for tests. */
int jail_plan_encode(struct jail_plan_builder *b, struct buf *ret_bytes, struct aisbx_error *e);

#endif
