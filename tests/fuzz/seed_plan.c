/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the first inputs of the plan corpus into a directory: real plans, and each with one field of its
 * head set to a value that must be refused. Run by hand, and again when the format of plans has changed:
 * seed-plan tests/fuzz/corpus/plan. The files "found-*" beside them are what the fuzzer added.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/scope.h"
#include "support/sample_plan.h"

#include "seccomp_filters.h"

static int write_input(const char *dir, const char *name, const void *data, size_t len)
{
	char path[4096];
	scoped(drop_file) FILE *f = NULL;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "we");
	return f && fwrite(data, 1, len, f) == len ? 0 : -1;
}

#define FIELD(name)                                          \
	{                                                    \
#name, offsetof(struct jail_plan_head, name) \
	}

static const struct {
	const char *name;
	size_t at;
} fields[] = {
	FIELD(magic),       FIELD(version),   FIELD(size),           FIELD(order.flags),
	FIELD(order.walls), FIELD(order.uid), FIELD(order.uid_host), FIELD(order.id_count),
	FIELD(n_ops),       FIELD(ops_at),    FIELD(n_rules),        FIELD(rules_at),
	FIELD(n_args),      FIELD(args_at),   FIELD(n_env),          FIELD(env_at),
	FIELD(n_filter),    FIELD(filter_at), FIELD(strings_len),    FIELD(strings_at),
	FIELD(hostname),    FIELD(cwd),       FIELD(user.set),       FIELD(user.n_groups),
	FIELD(n_more),
};

/* Once accepted: the process outside takes the source of what wants shifted ids, here far outside of the
 * plan. */
static int write_idmap_without_source(const char *dir, const struct buf *bytes)
{
	struct jail_plan_head *h = (void *)bytes->data;
	struct jail_plan_op *op = (void *)(bytes->data + h->ops_at);

	while (op->kind != JAIL_PLAN_PROC)
		op++;
	op->flags |= JAIL_PLAN_IDMAP;
	op->src = 0x7ffffff0;
	return write_input(dir, "root-idmap-without-source", bytes->data, bytes->len);
}

static int write_family(const char *dir, bool shift)
{
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { 0 };
	scoped(buf_finish) struct buf bytes = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	const char *family = shift ? "root" : "user";
	char name[64];
	int r;

	sample_plan(&b, shift);
	if (shift)
		jail_plan_set_filter(&b, seccomp_presets[0].code, seccomp_presets[0].count);
	if (shift)
		jail_plan_add_filter(&b, seccomp_presets[1].code, seccomp_presets[1].count);
	if (jail_plan_encode(&b, &bytes, &e) < 0) {
		fprintf(stderr, "seed-plan: %s\n", e.text);
		return -1;
	}
	snprintf(name, sizeof(name), "%s-plan", family);
	r = write_input(dir, name, bytes.data, bytes.len);
	for (size_t i = 0; r == 0 && !shift && i < sizeof(fields) / sizeof(*fields); i++) {
		const uint32_t bad = i % 2 ? 0xffffffffu : 0x7ffffff8u;
		uint32_t good;

		memcpy(&good, bytes.data + fields[i].at, sizeof(good));
		memcpy(bytes.data + fields[i].at, &bad, sizeof(bad));
		snprintf(name, sizeof(name), "%s-%s", family, fields[i].name);
		r = write_input(dir, name, bytes.data, bytes.len);
		memcpy(bytes.data + fields[i].at, &good, sizeof(good));
	}
	return r == 0 && shift ? write_idmap_without_source(dir, &bytes) : r;
}

int main(int argc, char **argv)
{
	if (argc != 2 || write_family(argv[1], false) < 0 || write_family(argv[1], true) < 0) {
		fprintf(stderr, "seed-plan: could not write into %s\n", argc == 2 ? argv[1] : "DIRECTORY");
		return 1;
	}
	return 0;
}
