/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes jail_plan_decode: whatever it accepts is then read the way the jail reads it, so that a byte outside
 * of the plan is an error AddressSanitizer sees and a byte outside of its section one that `must` sees.
 */
#include <linux/filter.h>
#include <string.h>

#include "base/path.h"
#include "jail/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max_len, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t max_len);

static volatile uint64_t sink; /* keeps the reads */

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

static void read_bytes(const void *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		sink += ((const uint8_t *)data)[i];
}

static const char *read_string(const struct jail_plan *p, uint32_t at)
{
	const char *s = jail_plan_string(p, at);

	must(at < p->head->strings_len && strlen(s) < p->head->strings_len - at);
	read_bytes(s, strlen(s));
	return s;
}

static void read_op(const struct jail_plan *p, const struct jail_plan_op *op)
{
	must(op->kind > 0 && op->kind < JAIL_PLAN_OP_KINDS && path_is_clean(read_string(p, op->dst)));
	/* The jail's outer process takes the source of every operation with shifted ids. */
	if (op->kind == JAIL_PLAN_CLONE || op->kind == JAIL_PLAN_BIND || (op->flags & JAIL_PLAN_IDMAP))
		must(path_is_clean(read_string(p, op->src)));
	if (op->kind == JAIL_PLAN_LINK)
		must(*read_string(p, op->src));
	if (op->kind == JAIL_PLAN_FILE) {
		must((uint64_t)op->data + op->data_len <= p->head->strings_len);
		read_bytes(p->strings + op->data, op->data_len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct jail_plan p;
	int r = jail_plan_decode(data, len, &p, &e);

	if (r < 0) {
		must(e.code == r && e.text[0] && strlen(e.text) < sizeof(e.text));
		return 0;
	}
	must(strlen(read_string(&p, p.head->hostname)) <= 64 && path_is_clean(read_string(&p, p.head->cwd)));
	for (uint32_t i = 0; i < p.head->n_args; i++)
		read_string(&p, p.args[i]);
	for (uint32_t i = 0; i < p.head->n_env; i++)
		must(strchr(read_string(&p, p.env[i]), '=') != NULL);
	for (uint32_t i = 0; i < p.head->n_rules; i++)
		must(p.rules[i].kind > 0 && p.rules[i].kind < JAIL_PLAN_RULE_KINDS &&
		     path_is_clean(read_string(&p, p.rules[i].path)));
	for (uint32_t i = 0; i < p.head->n_ops; i++)
		read_op(&p, &p.ops[i]);
	read_bytes(p.filter, p.head->n_filter * sizeof(*p.filter));
	must(p.head->n_more == 0 || p.head->n_more < p.head->n_filter);
	must(p.head->n_more <= JAIL_PLAN_MAX_FILTER &&
	     p.head->n_filter - p.head->n_more <= JAIL_PLAN_MAX_FILTER);
	for (enum wall w = 0; w < WALL_COUNT; w++)
		if (p.head->order.walls & (1u << w))
			must(wall_by_name(wall_name(w)) == w);
	return 0;
}

#ifdef FUZZING
/* Most mutants keep a true head: random bytes alone would hardly get past its first check. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t max_len, unsigned int seed)
{
	struct jail_plan_head head;

	len = LLVMFuzzerMutate(data, len, max_len);
	if (seed % 16 == 0 || len < sizeof(head))
		return len;
	memcpy(&head, data, sizeof(head));
	head.magic = JAIL_PLAN_MAGIC;
	head.version = JAIL_PLAN_VERSION;
	head.size = (uint32_t)len;
	memcpy(data, &head, sizeof(head));
	return len;
}
#endif
