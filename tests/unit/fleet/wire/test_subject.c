/* SPDX-License-Identifier: Apache-2.0 */
/* Subjects: where each message goes, and that none is taken from another subject than its own. */
#include "support/test.h"

#include "fleet/wire/subject.h"

static const struct {
	enum fleet_message_kind kind;
	const char *from, *to, *tenant, *subject;
} rows[] = {
	{ FLEET_MSG_BEAT, "n1", "", "", "aisbx.hub.beat.n1" },
	{ FLEET_MSG_BEAT_OK, "h1", "n1", "", "aisbx.node.n1.beat_ok" },
	{ FLEET_MSG_OFFER, "h1", "n1", "acme", "aisbx.node.n1.offer" },
	{ FLEET_MSG_RETURNED, "n1", "h1", "acme", "aisbx.hub.returned.n1" },
	{ FLEET_MSG_ENDED, "n1", "", "acme", "aisbx.hub.ended.n1" },
	{ FLEET_MSG_ENDED, "n1", "s1", "acme", "aisbx.tenant.acme.s1.ended" },
	{ FLEET_MSG_CANCEL, "s1", "", "acme", "aisbx.cancel.acme" },
	{ FLEET_MSG_CANCEL, "h1", "n1", "acme", "aisbx.node.n1.cancel" },
	{ FLEET_MSG_MAY_I, "n1", "s1", "acme", "aisbx.tenant.acme.s1.may_i" },
	{ FLEET_MSG_GRANT, "s1", "n1", "acme", "aisbx.grant.n1.acme" },
};

#define ROWS (sizeof(rows) / sizeof(*rows))

static void fill(size_t i, struct fleet_message *ret)
{
	*ret = (struct fleet_message){ .kind = rows[i].kind };
	strcpy(ret->from, rows[i].from);
	strcpy(ret->to, rows[i].to);
	strcpy(ret->tenant, rows[i].tenant);
}

static void every_message_has_its_subject_and_no_other(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		char subject[SUBJECT_MAX];
		struct fleet_message m;

		fill(i, &m);
		assert_int_equal(subject_of_message(&m, subject), 0);
		assert_string_equal(subject, rows[i].subject);
		for (size_t k = 0; k < ROWS; k++)
			assert_int_equal(subject_fits_message(rows[k].subject, &m), i == k);
	}
}

/* What permissions keep apart: who speaks for another node or about another tenant is found out. */
static void nobody_speaks_for_another(void **state)
{
	struct fleet_message m;

	(void)state;
	fill(0, &m);
	strcpy(m.from, "n2");
	assert_false(subject_fits_message("aisbx.hub.beat.n1", &m));
	fill(6, &m);
	strcpy(m.tenant, "other");
	assert_false(subject_fits_message("aisbx.cancel.acme", &m));
	fill(9, &m);
	strcpy(m.to, "n2");
	assert_false(subject_fits_message("aisbx.grant.n1.acme", &m));
	fill(5, &m);
	strcpy(m.tenant, "other");
	assert_false(subject_fits_message("aisbx.tenant.acme.s1.ended", &m));
}

static void names_that_are_none_have_no_subject(void **state)
{
	static const char *const bad[] = { "", "a.b", "*", ">", "a b", "a\n" };
	char subject[SUBJECT_MAX];

	(void)state;
	for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++) {
		struct fleet_message m;

		fill(0, &m);
		strcpy(m.from, bad[k]);
		assert_int_equal(subject_of_message(&m, subject), -EINVAL);
		assert_false(subject_fits_message("aisbx.hub.beat.", &m));
		fill(1, &m);
		strcpy(m.to, bad[k]);
		assert_int_equal(subject_of_message(&m, subject), -EINVAL);
		for (size_t i = 5; i < ROWS; i++) {
			fill(i, &m);
			strcpy(m.tenant, bad[k]);
			if (strcmp(rows[i].subject, "aisbx.node.n1.cancel") != 0)
				assert_int_equal(subject_of_message(&m, subject), -EINVAL);
		}
		assert_int_equal(subject_of_lane(bad[k], "t", subject), -EINVAL);
		assert_int_equal(subject_of_lane("any", bad[k], subject), -EINVAL);
		assert_int_equal(subject_of_record(bad[k], "j", subject), -EINVAL);
		assert_int_equal(subject_of_record("t", bad[k], subject), -EINVAL);
		assert_int_equal(subject_of_dead("t", bad[k], subject), -EINVAL);
	}
}

static void lanes_there_and_back(void **state)
{
	static const char *const bad[] = { "aisbx.jobs",
					   "aisbx.jobs.",
					   "aisbx.jobs.any",
					   "aisbx.jobs.any.",
					   "aisbx.jobs..t",
					   "aisbx.jobs.any.t.u",
					   "aisbx.jobs.*.t",
					   "aisbx.jobs.any.>",
					   "aisbx.state.any.t",
					   "xaisbx.jobs.any.t",
					   "" };
	char subject[SUBJECT_MAX], class[FLEET_NAME], tenant[FLEET_NAME], longest[FLEET_NAME];

	(void)state;
	memset(longest, 'x', sizeof(longest));
	longest[FLEET_NAME - 1] = 0;
	assert_int_equal(subject_of_lane("gpu=1,zone=a", longest, subject), 0);
	assert_true(subject_parse_lane(subject, class, tenant));
	assert_string_equal(class, "gpu=1,zone=a");
	assert_string_equal(tenant, longest);
	assert_int_equal(subject_of_lane(longest, "t", subject), 0);
	assert_true(subject_parse_lane(subject, class, tenant));
	assert_string_equal(class, longest);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_false(subject_parse_lane(bad[i], class, tenant));
	snprintf(subject, sizeof(subject), "aisbx.jobs.%sx.t", longest);
	assert_false(subject_parse_lane(subject, class, tenant));
	assert_int_equal(subject_of_record("acme", "j1", subject), 0);
	assert_string_equal(subject, "aisbx.state.acme.j1");
	assert_int_equal(subject_of_dead("acme", "j1", subject), 0);
	assert_string_equal(subject, "aisbx.dead.acme.j1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_has_its_subject_and_no_other),
		cmocka_unit_test(nobody_speaks_for_another),
		cmocka_unit_test(names_that_are_none_have_no_subject),
		cmocka_unit_test(lanes_there_and_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
