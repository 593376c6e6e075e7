/* SPDX-License-Identifier: Apache-2.0 */
/* Every reason for which the jail refuses a plan, one at a time, each on a plan that is otherwise good. */
#include "support/test.h"

#include "base/scope.h"
#include "support/sample_plan.h"

struct fixture {
	struct buf bytes;
	struct jail_plan_head *head; /* in bytes, as are the rest */
	struct jail_plan_op *ops;
	struct jail_plan_rule *rules;
	uint32_t *args, *env;
	char *strings;
};

static struct fixture sample(bool shift)
{
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fixture f = { 0 };

	sample_plan(&b, shift);
	if (jail_plan_encode(&b, &f.bytes, &e) < 0)
		fail_msg("%s", e.text);
	f.head = (void *)f.bytes.data;
	f.ops = (void *)(f.bytes.data + f.head->ops_at);
	f.rules = (void *)(f.bytes.data + f.head->rules_at);
	f.args = (void *)(f.bytes.data + f.head->args_at);
	f.env = (void *)(f.bytes.data + f.head->env_at);
	f.strings = f.bytes.data + f.head->strings_at;
	return f;
}

static struct jail_plan_op *layered(struct fixture *f)
{
	for (uint32_t i = 0; i < f->head->n_ops; i++)
		if (f->ops[i].kind == JAIL_PLAN_CLONE && f->ops[i].data_len)
			return &f->ops[i];
	fail_msg("the sample has no clone with layers");
	return NULL;
}

static struct jail_plan_op *op_of(struct fixture *f, enum jail_plan_op_kind kind)
{
	for (uint32_t i = 0; i < f->head->n_ops; i++)
		if (f->ops[i].kind == kind)
			return &f->ops[i];
	fail_msg("the sample has no operation of kind %d", kind);
	return NULL;
}

/* Where TEXT, NUL included, lies among the strings. */
static uint32_t string_at(const struct fixture *f, const char *text)
{
	const char *at = memmem(f->strings, f->head->strings_len, text, strlen(text) + 1);

	assert_non_null(at);
	return (uint32_t)(at - f->strings);
}

static void good_plans_are_read_back(void **state)
{
	(void)state;
	for (int shift = 0; shift < 2; shift++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct fixture f = sample(shift);
		struct jail_plan p;

		assert_int_equal(jail_plan_decode(f.bytes.data, f.bytes.len, &p, &e), 0);
		assert_int_equal(p.head->n_ops, 12);
		assert_int_equal(p.head->n_rules, 3);
		assert_int_equal(p.head->n_filter, 2);
		assert_int_equal(p.head->n_more, 1);
		assert_string_equal(jail_plan_string(&p, p.head->cwd), "/work");
		assert_string_equal(jail_plan_string(&p, p.args[0]), "sh");
		assert_string_equal(jail_plan_string(&p, p.args[1]), "");
		assert_string_equal(jail_plan_string(&p, p.env[1]), "EMPTY=");
		assert_string_equal(jail_plan_string(&p, p.rules[1].path), "/work");
		assert_memory_equal(p.strings + p.ops[10].data, "a\0b", 3);
		assert_int_equal(p.head->rlimits[RLIMIT_NOFILE].hard, 4096);
		buf_finish(&f.bytes);
	}
}

/* Each spoils one thing; the plan is as an ordinary user's, or as root's where the table says so. */
typedef void spoil(struct fixture *f);

#define SPOIL(name, code)                   \
	static void name(struct fixture *f) \
	{                                   \
		code;                       \
	}

SPOIL(magic, f->head->magic++)
SPOIL(version, f->head->version++)
SPOIL(size_less, f->head->size--)
SPOIL(size_more, f->head->size++)
SPOIL(flags, f->head->order.flags |= 1u << 31)
SPOIL(walls_unknown, f->head->order.walls |= 1u << WALL_COUNT)
SPOIL(walls_no_userns, f->head->order.walls &= ~WALL_BIT(USERNS))
SPOIL(walls_no_mount, f->head->order.walls &= ~WALL_BIT(MOUNT))
SPOIL(walls_no_pid, f->head->order.walls &= ~WALL_BIT(PID))
SPOIL(walls_no_root, f->head->order.walls &= ~WALL_BIT(ROOT))
SPOIL(ids_none, f->head->order.id_count = 0)
SPOIL(uid_host_wraps, f->head->order.uid_host = UINT32_MAX)
SPOIL(gid_host_wraps, f->head->order.gid_host = UINT32_MAX)
SPOIL(ids_many, f->head->order.id_count = 2)
SPOIL(uid_outside, f->head->order.uid = f->head->order.id_count)
SPOIL(gid_outside, f->head->order.gid = f->head->order.id_count)
SPOIL(uid_host_root, f->head->order.uid_host = 0)
SPOIL(gid_host_root, f->head->order.gid_host = 0)
SPOIL(filter_missing, f->head->n_filter = 0)
SPOIL(filter_unasked, f->head->order.walls &= ~WALL_BIT(SECCOMP))
SPOIL(ops_many, f->head->n_ops = JAIL_PLAN_MAX_OPS + 1)
SPOIL(ops_long, f->head->n_ops = JAIL_PLAN_MAX_OPS)
SPOIL(ops_in_head, f->head->ops_at = 8)
SPOIL(ops_odd, f->head->ops_at += 4)
SPOIL(ops_far, f->head->ops_at = 0xfffffff8u)
SPOIL(rules_many, f->head->n_rules = JAIL_PLAN_MAX_RULES + 1)
SPOIL(rules_far, f->head->rules_at = f->head->size & ~7u)
SPOIL(args_none, f->head->n_args = 0)
SPOIL(args_many, f->head->n_args = JAIL_PLAN_MAX_STRINGS + 1)
SPOIL(args_odd, f->head->args_at += 4)
SPOIL(env_many, f->head->n_env = UINT32_MAX)
SPOIL(env_odd, f->head->env_at += 1)
SPOIL(filter_many, f->head->n_filter = 2 * JAIL_PLAN_MAX_FILTER + 1)
SPOIL(filter_second_alone, f->head->n_more = 2)
SPOIL(filter_second_longer, f->head->n_more = UINT64_MAX)
SPOIL(filter_in_head, f->head->filter_at = 0)
SPOIL(strings_none, f->head->strings_len = 0)
SPOIL(strings_long, f->head->strings_len++)
SPOIL(strings_huge, f->head->strings_len = UINT32_MAX)
SPOIL(strings_open, f->strings[f->head->strings_len - 1] = 'x')
SPOIL(hostname_outside, f->head->hostname = f->head->strings_len)
SPOIL(hostname_long, memset(f->strings, 'h', 65))
SPOIL(cwd_outside, f->head->cwd = UINT32_MAX)
SPOIL(cwd_relative, f->head->cwd++)
SPOIL(cwd_unclean, f->strings[f->head->cwd + 1] = '/')
SPOIL(arg_outside, f->args[1] = f->head->strings_len)
SPOIL(command_empty, f->args[0] = f->args[1])
SPOIL(env_outside, f->env[1] = f->head->strings_len)
SPOIL(env_no_value, f->env[0] = f->args[0])
SPOIL(rule_none, f->rules[0].kind = 0)
SPOIL(rule_unknown, f->rules[0].kind = JAIL_PLAN_RULE_KINDS)
SPOIL(rule_outside, f->rules[2].path = f->head->strings_len)
SPOIL(rule_unclean, f->rules[2].path++)
SPOIL(op_none, f->ops[1].kind = 0)
SPOIL(op_unknown, f->ops[1].kind = JAIL_PLAN_OP_KINDS)
SPOIL(op_flags, f->ops[1].flags = JAIL_PLAN_OP_FLAGS + 1)
SPOIL(op_mode, f->ops[1].mode = 010000)
SPOIL(op_idmap, f->ops[0].flags |= JAIL_PLAN_IDMAP)
SPOIL(op_dst_outside, f->ops[9].dst = f->head->strings_len)
SPOIL(op_dst_unclean, f->ops[9].dst++)
SPOIL(op_root_late, f->ops[3].dst = f->ops[0].dst)
SPOIL(op_root_not_clone, f->ops[0].kind = JAIL_PLAN_SCRATCH)
SPOIL(clone_no_source, op_of(f, JAIL_PLAN_CLONE)->src = UINT32_MAX)
SPOIL(clone_unclean, op_of(f, JAIL_PLAN_CLONE)->src = string_at(f, "usr/bin"))
SPOIL(bind_unclean, op_of(f, JAIL_PLAN_BIND)->src = string_at(f, "usr/bin"))
SPOIL(link_outside, op_of(f, JAIL_PLAN_LINK)->src = f->head->strings_len)
SPOIL(link_empty, op_of(f, JAIL_PLAN_LINK)->src = string_at(f, ""))
SPOIL(file_long, op_of(f, JAIL_PLAN_FILE)->data_len = f->head->strings_len)
SPOIL(file_outside, op_of(f, JAIL_PLAN_FILE)->data = f->head->strings_len - 2)
SPOIL(file_wraps, op_of(f, JAIL_PLAN_FILE)->data = UINT32_MAX - 1)
SPOIL(device_source, op_of(f, JAIL_PLAN_DEVICE)->src = string_at(f, "/work"))
SPOIL(device_place, op_of(f, JAIL_PLAN_DEVICE)->dst = string_at(f, "/work"))
SPOIL(device_no_numbers, op_of(f, JAIL_PLAN_DEVICE)->data_len = 4)
SPOIL(device_outside, op_of(f, JAIL_PLAN_DEVICE)->data = f->head->strings_len - 4)
SPOIL(device_idmap, op_of(f, JAIL_PLAN_DEVICE)->flags |= JAIL_PLAN_IDMAP)
SPOIL(layers_nowhere, f->head->layers = string_at(f, ""))
SPOIL(layers_read_only, layered(f)->flags &= (uint16_t)~JAIL_PLAN_WRITABLE)
SPOIL(layers_without_end, layered(f)->data_len--)
SPOIL(layers_too_few, layered(f)->data_len = 8)
SPOIL(layers_outside, f->strings[layered(f)->data + 1] = '.'; f->strings[layered(f)->data + 2] = '.';
      f->strings[layered(f)->data + 3] = '/')
SPOIL(layers_dir_unclean, f->strings[f->head->layers] = '.')
SPOIL(idmap_dir, f->ops[1].flags |= JAIL_PLAN_IDMAP)
SPOIL(idmap_proc, op_of(f, JAIL_PLAN_PROC)->flags |= JAIL_PLAN_IDMAP;
      op_of(f, JAIL_PLAN_PROC)->src = UINT32_MAX)

#define CASE(fn, shift, err, word)        \
	{                                 \
#fn, fn, shift, err, word \
	}

static const struct {
	const char *name;
	spoil *spoil;
	bool shift;
	int err;
	const char *word;
} cases[] = {
	CASE(magic, 0, EBADMSG, "magic"),
	CASE(version, 0, EPROTO, "different versions"),
	CASE(size_less, 0, EBADMSG, "size"),
	CASE(size_more, 0, EBADMSG, "size"),
	CASE(flags, 0, EBADMSG, "flags"),
	CASE(walls_unknown, 0, EBADMSG, "walls"),
	CASE(walls_no_userns, 0, EBADMSG, "walls"),
	CASE(walls_no_mount, 0, EBADMSG, "walls"),
	CASE(walls_no_pid, 0, EBADMSG, "walls"),
	CASE(walls_no_root, 0, EBADMSG, "walls"),
	CASE(ids_none, 0, EBADMSG, "ids"),
	CASE(uid_host_wraps, 0, EBADMSG, "ids"),
	CASE(gid_host_wraps, 0, EBADMSG, "ids"),
	CASE(ids_many, 0, EBADMSG, "ids"),
	CASE(uid_outside, 1, EBADMSG, "ids"),
	CASE(gid_outside, 1, EBADMSG, "ids"),
	CASE(uid_host_root, 1, EBADMSG, "ids"),
	CASE(gid_host_root, 1, EBADMSG, "ids"),
	CASE(filter_missing, 0, EBADMSG, "filter"),
	CASE(filter_unasked, 0, EBADMSG, "filter"),
	CASE(ops_many, 0, EBADMSG, "operations"),
	CASE(ops_long, 0, EBADMSG, "operations"),
	CASE(ops_in_head, 0, EBADMSG, "operations"),
	CASE(ops_odd, 0, EBADMSG, "operations"),
	CASE(ops_far, 0, EBADMSG, "operations"),
	CASE(rules_many, 0, EBADMSG, "rules"),
	CASE(rules_far, 0, EBADMSG, "rules"),
	CASE(args_none, 0, EBADMSG, "arguments"),
	CASE(args_many, 0, EBADMSG, "arguments"),
	CASE(args_odd, 0, EBADMSG, "arguments"),
	CASE(env_many, 0, EBADMSG, "environment"),
	CASE(env_odd, 0, EBADMSG, "environment"),
	CASE(filter_many, 0, EBADMSG, "filter"),
	CASE(filter_second_alone, 0, EBADMSG, "second filter"),
	CASE(filter_second_longer, 0, EBADMSG, "second filter"),
	CASE(filter_in_head, 0, EBADMSG, "filter"),
	CASE(strings_none, 0, EBADMSG, "strings"),
	CASE(strings_long, 0, EBADMSG, "strings"),
	CASE(strings_huge, 0, EBADMSG, "strings"),
	CASE(strings_open, 0, EBADMSG, "strings"),
	CASE(hostname_outside, 0, EBADMSG, "host name"),
	CASE(hostname_long, 0, EBADMSG, "host name"),
	CASE(cwd_outside, 0, EBADMSG, "working directory"),
	CASE(cwd_relative, 0, EBADMSG, "working directory"),
	CASE(cwd_unclean, 0, EBADMSG, "working directory"),
	CASE(arg_outside, 0, EBADMSG, "arguments"),
	CASE(command_empty, 0, EBADMSG, "empty command"),
	CASE(env_outside, 0, EBADMSG, "environment"),
	CASE(env_no_value, 0, EBADMSG, "environment"),
	CASE(rule_none, 0, EBADMSG, "rule"),
	CASE(rule_unknown, 0, EBADMSG, "rule"),
	CASE(rule_outside, 0, EBADMSG, "rule"),
	CASE(rule_unclean, 0, EBADMSG, "rule"),
	CASE(op_none, 0, EBADMSG, "operation"),
	CASE(op_unknown, 0, EBADMSG, "operation"),
	CASE(op_flags, 0, EBADMSG, "operation"),
	CASE(op_mode, 0, EBADMSG, "operation"),
	CASE(op_idmap, 0, EBADMSG, "shifted ids"),
	CASE(op_dst_outside, 0, EBADMSG, "operation's path"),
	CASE(op_dst_unclean, 0, EBADMSG, "operation's path"),
	CASE(op_root_late, 0, EBADMSG, "root"),
	CASE(op_root_not_clone, 0, EBADMSG, "root"),
	CASE(clone_no_source, 0, EBADMSG, "source"),
	CASE(clone_unclean, 0, EBADMSG, "source"),
	CASE(bind_unclean, 0, EBADMSG, "source"),
	CASE(link_outside, 0, EBADMSG, "link"),
	CASE(link_empty, 0, EBADMSG, "link"),
	CASE(file_long, 0, EBADMSG, "data"),
	CASE(file_outside, 0, EBADMSG, "data"),
	CASE(file_wraps, 0, EBADMSG, "data"),
	CASE(device_source, 0, EBADMSG, "device"),
	CASE(device_place, 0, EBADMSG, "device"),
	CASE(device_no_numbers, 0, EBADMSG, "device"),
	CASE(device_outside, 0, EBADMSG, "data"),
	CASE(device_idmap, 1, EBADMSG, "shifted"),
	CASE(layers_nowhere, 0, EBADMSG, "layers"),
	CASE(layers_read_only, 0, EBADMSG, "layers"),
	CASE(layers_without_end, 0, EBADMSG, "layers"),
	CASE(layers_too_few, 0, EBADMSG, "layers"),
	CASE(layers_outside, 0, EBADMSG, "layers"),
	CASE(layers_dir_unclean, 0, EBADMSG, "layers"),
	/* The process outside takes the source of whatever wants shifted ids: only what has one may want
	   them. */
	CASE(idmap_dir, 1, EBADMSG, "shifted ids"),
	CASE(idmap_proc, 1, EBADMSG, "shifted ids"),
};

static void each_flaw_is_refused(void **state)
{
	unsigned int accepted = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct fixture f = sample(cases[i].shift);
		struct jail_plan untouched = { 0 };
		int r;

		cases[i].spoil(&f);
		r = jail_plan_decode(f.bytes.data, f.bytes.len, &untouched, &e);
		if (r != -cases[i].err || e.code != r || e.area != AISBX_AREA_PLAN ||
		    !strstr(e.text, cases[i].word) || untouched.head) {
			print_error("%s: %d, '%s'\n", cases[i].name, r, e.text);
			accepted++;
		}
		buf_finish(&f.bytes);
	}
	assert_int_equal(accepted, 0);
}

static void lengths_that_hold_no_plan(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fixture f = sample(false);
	struct jail_plan p;

	(void)state;
	assert_failed(jail_plan_decode(f.bytes.data, 0, &p, &e), EBADMSG, e, "size");
	assert_failed(jail_plan_decode(f.bytes.data, sizeof(struct jail_plan_head) - 1, &p, &e), EBADMSG, e,
		      "size");
	assert_failed(jail_plan_decode(f.bytes.data, f.bytes.len - 1, &p, &e), EBADMSG, e, "size");
	assert_failed(jail_plan_decode(f.bytes.data, JAIL_PLAN_MAX_SIZE + 1, &p, &e), EBADMSG, e, "size");
	buf_finish(&f.bytes);
}

static void decoys_have_a_limit(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	for (unsigned int n = JAIL_PLAN_MAX_WATCHED; n <= JAIL_PLAN_MAX_WATCHED + 1; n++) {
		scoped(jail_plan_builder_finish) struct jail_plan_builder b = { 0 };
		scoped(buf_finish) struct buf bytes = { 0 };

		sample_plan(&b, false);
		b.ops.len = 0;
		for (unsigned int i = 0; i < n; i++)
			jail_plan_add_op(&b, JAIL_PLAN_MASK, JAIL_PLAN_WATCH, 0, NULL, "/etc/secret");
		if (n == JAIL_PLAN_MAX_WATCHED)
			assert_int_equal(jail_plan_encode(&b, &bytes, &e), 0);
		else
			assert_failed(jail_plan_encode(&b, &bytes, &e), EBADMSG, e, "decoys");
	}
}

/* Only for root as it is, who keeps no right. */
static void no_user_namespace_is_for_root_only(void **state)
{
	struct jail_plan_order good = { .walls = WALL_ALL & ~WALL_BIT(USERNS), .id_count = 1 }, bad[12];
	struct aisbx_error e = AISBX_ERROR_INIT;
	size_t n = sizeof(bad) / sizeof(*bad);

	(void)state;
	assert_int_equal(jail_plan_check_order(&good, &e), 0);
	for (size_t i = 0; i < n; i++)
		bad[i] = good;
	bad[0].uid = bad[1].gid = bad[2].uid_host = bad[3].gid_host = bad[4].group = 1000;
	bad[5].flags = JAIL_PLAN_SHIFT;
	bad[6].flags = JAIL_PLAN_SUB;
	bad[7].flags = JAIL_PLAN_RUNTIME;
	bad[8].walls &= ~WALL_BIT(CAPS);
	bad[9].walls &= ~WALL_BIT(NNP);
	bad[10].walls &= ~WALL_BIT(PID);
	bad[11].id_count = 2;
	for (size_t i = 0; i < n; i++)
		if (jail_plan_check_order(&bad[i], &e) != -EBADMSG)
			fail_msg("case %zu is taken", i);
}

static void subordinate_ids_are_checked(void **state)
{
	struct fixture f = sample(false);
	struct jail_plan_order good = f.head->order, o;
	struct aisbx_error e = AISBX_ERROR_INIT;
	/* Each one of these alone is wrong. */
	const struct {
		size_t at;
		uint32_t value;
	} bad[] = {
#define BAD(field, value) { offsetof(struct jail_plan_order, field), value }
		BAD(sub_uid, 0),
		BAD(sub_gid, 0),
		BAD(sub_uid, UINT32_MAX - 10),
		BAD(sub_gid, UINT32_MAX - 10),
		BAD(sub_uid, 1000), /* the user would be there twice */
		BAD(sub_gid, 940),
		BAD(uid, 1),
		BAD(gid, 1),
		BAD(uid_host, 0),
		BAD(id_count, 1),
		BAD(id_count, 65537),
		BAD(group, 50),
		BAD(flags, JAIL_PLAN_SUB | JAIL_PLAN_SHIFT),
		BAD(flags, JAIL_PLAN_SUB | JAIL_PLAN_RUNTIME),
		BAD(flags, 0),
#undef BAD
	};

	(void)state;
	good.flags = JAIL_PLAN_SUB;
	good.uid = good.gid = good.group = 0;
	good.uid_host = good.gid_host = 1000;
	good.id_count = 65536;
	good.sub_uid = good.sub_gid = 100000;
	assert_int_equal(jail_plan_check_order(&good, &e), 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		o = good;
		memcpy((char *)&o + bad[i].at, &bad[i].value, sizeof(bad[i].value));
		e = (struct aisbx_error)AISBX_ERROR_INIT;
		if (jail_plan_check_order(&o, &e) != -EBADMSG)
			fail_msg("case %zu is taken", i);
	}
	o = good; /* what is not asked for is not given either */
	o.flags = 0;
	o.id_count = 1;
	assert_int_equal(jail_plan_check_order(&o, &e), -EBADMSG);
	buf_finish(&f.bytes);
}

static void an_order_is_checked_alone(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fixture f = sample(true);

	(void)state;
	assert_int_equal(jail_plan_check_order(&f.head->order, &e), 0);
	f.head->order.uid_host = 0;
	assert_failed(jail_plan_check_order(&f.head->order, &e), EBADMSG, e, "ids");
	buf_finish(&f.bytes);
}

static void walls_have_names(void **state)
{
	(void)state;
	for (enum wall w = 0; w < WALL_COUNT; w++) {
		assert_int_equal(wall_by_name(wall_name(w)), w);
		assert_true(strlen(wall_what(w)) > 0);
	}
	assert_int_equal(wall_by_name("moat"), WALL_COUNT);
	assert_int_equal(wall_by_name(""), WALL_COUNT);
}

static void the_nearer_end_counts(void **state)
{
	uint64_t limits[LIMIT_COUNT] = { 0 };

	(void)state;
	assert_int_equal(limits[limit_of_time(limits)], 0);
	limits[LIMIT_LIFETIME] = 5;
	assert_int_equal(limit_of_time(limits), LIMIT_LIFETIME);
	limits[LIMIT_WALL_TIME] = 5;
	assert_int_equal(limit_of_time(limits), LIMIT_WALL_TIME);
	limits[LIMIT_WALL_TIME] = 6;
	assert_int_equal(limit_of_time(limits), LIMIT_LIFETIME);
	limits[LIMIT_LIFETIME] = 0;
	assert_int_equal(limit_of_time(limits), LIMIT_WALL_TIME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_plans_are_read_back),
		cmocka_unit_test(each_flaw_is_refused),
		cmocka_unit_test(lengths_that_hold_no_plan),
		cmocka_unit_test(decoys_have_a_limit),
		cmocka_unit_test(no_user_namespace_is_for_root_only),
		cmocka_unit_test(subordinate_ids_are_checked),
		cmocka_unit_test(an_order_is_checked_alone),
		cmocka_unit_test(walls_have_names),
		cmocka_unit_test(the_nearer_end_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
