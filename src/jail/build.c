/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes a plan as one block and seals it. */
#include "jail/build.h"

#include <errno.h>
#include <linux/filter.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "sys/sys.h"

void jail_plan_builder_finish(struct jail_plan_builder *b)
{
	buf_finish(&b->ops);
	buf_finish(&b->rules);
	buf_finish(&b->args);
	buf_finish(&b->env);
	buf_finish(&b->filter);
	buf_finish(&b->strings);
}

static uint32_t add_bytes(struct jail_plan_builder *b, const void *data, size_t len)
{
	uint32_t at = (uint32_t)b->strings.len;

	buf_add(&b->strings, data, len);
	return at;
}

uint32_t jail_plan_add_string(struct jail_plan_builder *b, const char *s)
{
	return add_bytes(b, s, strlen(s) + 1);
}

void jail_plan_move(struct jail_plan_builder *b, const char *from, const char *to)
{
	b->moves[b->n_moves].from = from;
	b->moves[b->n_moves++].to = to;
}

/* A path of the box. */
static uint32_t add_place(struct jail_plan_builder *b, const char *path)
{
	for (size_t i = 0; i < b->n_moves; i++) {
		size_t n = strlen(b->moves[i].from);
		uint32_t at;

		if (strncmp(path, b->moves[i].from, n) != 0 || (path[n] && path[n] != '/'))
			continue;
		at = add_bytes(b, b->moves[i].to, strlen(b->moves[i].to));
		jail_plan_add_string(b, path + n);
		return at;
	}
	return jail_plan_add_string(b, path);
}

void jail_plan_add_op(struct jail_plan_builder *b, enum jail_plan_op_kind kind, int flags, uint32_t mode,
		      const char *src, const char *dst)
{
	struct jail_plan_op op = { .kind = (uint16_t)kind, .flags = (uint16_t)flags, .mode = mode };

	op.dst = add_place(b, dst);
	op.src = src ? jail_plan_add_string(b, src) : op.dst;
	buf_add(&b->ops, &op, sizeof(op));
}

void jail_plan_add_file(struct jail_plan_builder *b, int flags, uint32_t mode, const char *dst,
			const void *data, size_t len)
{
	struct jail_plan_op op = { .kind = JAIL_PLAN_FILE, .flags = (uint16_t)flags, .mode = mode };

	op.dst = op.src = add_place(b, dst);
	op.data = add_bytes(b, data, len);
	op.data_len = (uint32_t)len;
	buf_add(&b->ops, &op, sizeof(op));
}

void jail_plan_add_cover(struct jail_plan_builder *b, int flags, const char *dst, const void *data,
			 size_t len)
{
	struct jail_plan_op op = { .kind = JAIL_PLAN_MASK, .flags = (uint16_t)flags };

	op.dst = op.src = add_place(b, dst);
	op.data = add_bytes(b, data, len);
	op.data_len = (uint32_t)len;
	buf_add(&b->ops, &op, sizeof(op));
}

void jail_plan_add_device(struct jail_plan_builder *b, const char *host, const char *guest,
			  const struct jail_plan_device *numbers)
{
	struct jail_plan_op op = { .kind = JAIL_PLAN_DEVICE };

	op.dst = add_place(b, guest);
	op.src = jail_plan_add_string(b, host);
	op.data = add_bytes(b, numbers, sizeof(*numbers));
	op.data_len = sizeof(*numbers);
	buf_add(&b->ops, &op, sizeof(op));
}

void jail_plan_add_clone(struct jail_plan_builder *b, int flags, const char *src, const char *dst,
			 const void *layers, size_t len)
{
	struct jail_plan_op op = { .kind = JAIL_PLAN_CLONE, .flags = (uint16_t)flags };

	op.dst = add_place(b, dst);
	op.src = jail_plan_add_string(b, src);
	op.data = add_bytes(b, layers, len);
	op.data_len = (uint32_t)len;
	buf_add(&b->ops, &op, sizeof(op));
}

void jail_plan_add_rule(struct jail_plan_builder *b, enum jail_plan_rule_kind kind, const char *path)
{
	struct jail_plan_rule rule = { .kind = kind, .path = add_place(b, path) };

	buf_add(&b->rules, &rule, sizeof(rule));
}

void jail_plan_add_arg(struct jail_plan_builder *b, const char *arg)
{
	uint32_t at = jail_plan_add_string(b, arg);

	buf_add(&b->args, &at, sizeof(at));
}

void jail_plan_add_env(struct jail_plan_builder *b, const char *assignment)
{
	size_t name = strcspn(assignment, "=") + 1;
	size_t n = b->env.len / sizeof(uint32_t);
	uint32_t at = jail_plan_add_string(b, assignment);

	if (b->strings.failed)
		return;
	for (size_t i = 0; i < n; i++) {
		uint32_t old;

		memcpy(&old, b->env.data + i * sizeof(old), sizeof(old));
		if (!strncmp(b->strings.data + old, assignment, name)) {
			memcpy(b->env.data + i * sizeof(at), &at, sizeof(at));
			return;
		}
	}
	buf_add(&b->env, &at, sizeof(at));
}

void jail_plan_set_filter(struct jail_plan_builder *b, const struct sock_filter *code, size_t count)
{
	b->filter.len = 0;
	b->head.n_more = 0;
	buf_add(&b->filter, code, count * sizeof(*code));
}

void jail_plan_add_filter(struct jail_plan_builder *b, const struct sock_filter *code, size_t count)
{
	buf_add(&b->filter, code, count * sizeof(*code));
	b->head.n_more = count;
}

void jail_plan_set_runtime(struct jail_plan_builder *b, const char *words, size_t words_len,
			   const char *config, size_t config_len)
{
	b->head.runtime = add_bytes(b, words, words_len);
	b->head.runtime_len = (uint32_t)words_len;
	b->head.config = add_bytes(b, config, config_len);
	b->head.config_len = (uint32_t)config_len;
	add_bytes(b, "", 1); /* whatever comes last among the strings ends in NUL */
}

void jail_plan_set_rlimit(struct jail_plan_builder *b, int resource, uint64_t soft, uint64_t hard)
{
	b->head.rlimits[resource] = (struct jail_plan_rlimit){ .set = 1, .soft = soft, .hard = hard };
}

static void place(struct buf *out, const struct buf *section, size_t size, uint32_t *ret_n, uint32_t *ret_at)
{
	static const char zeros[8];

	buf_add(out, zeros, -out->len % 8);
	*ret_at = (uint32_t)out->len;
	*ret_n = (uint32_t)(section->len / size);
	buf_add(out, section->data, section->len);
}

int jail_plan_encode(struct jail_plan_builder *b, struct buf *ret_bytes, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf out = { 0 };
	struct jail_plan_head *h = &b->head;
	struct jail_plan p;
	bool failed;
	int r;

	if (!h->layers) /* 0 is where some other string lies: the builder puts it where it must */
		h->layers = jail_plan_add_string(b, "");
	buf_add(&out, h, sizeof(*h));
	place(&out, &b->ops, sizeof(struct jail_plan_op), &h->n_ops, &h->ops_at);
	place(&out, &b->rules, sizeof(struct jail_plan_rule), &h->n_rules, &h->rules_at);
	place(&out, &b->args, sizeof(uint32_t), &h->n_args, &h->args_at);
	place(&out, &b->env, sizeof(uint32_t), &h->n_env, &h->env_at);
	place(&out, &b->filter, sizeof(struct sock_filter), &h->n_filter, &h->filter_at);
	place(&out, &b->strings, 1, &h->strings_len, &h->strings_at);
	failed = out.failed || b->ops.failed || b->rules.failed || b->args.failed || b->env.failed ||
		 b->filter.failed || b->strings.failed;
	if (failed)
		return aisbx_fail(e, AISBX_AREA_PLAN, ENOMEM, "build the plan");
	if (out.len > JAIL_PLAN_MAX_SIZE)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_PLAN, E2BIG,
				    "command line and environment have %zu bytes, at most %u are allowed",
				    out.len, JAIL_PLAN_MAX_SIZE);
	h->magic = JAIL_PLAN_MAGIC;
	h->version = JAIL_PLAN_VERSION;
	h->size = (uint32_t)out.len;
	memcpy(out.data, h, sizeof(*h));
	r = jail_plan_decode(out.data, out.len, &p, e);
	if (r < 0)
		return r;
	*ret_bytes = out;
	out = (struct buf){ 0 };
	return 0;
}

int jail_plan_seal(struct jail_plan_builder *b, int *ret_fd, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf bytes = { 0 };
	scoped(drop_fd) int fd = -1;
	int r = jail_plan_encode(b, &bytes, e);

	if (r < 0)
		return r;
	fd = sys_memfd("aisbx-plan");
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_PLAN, -fd, "create a memfd for the plan");
	r = sys_write_all(fd, bytes.data, bytes.len);
	if (r == 0)
		r = sys_memfd_seal(fd);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_PLAN, -r, "write and seal the plan");
	*ret_fd = take_fd(&fd);
	return 0;
}
