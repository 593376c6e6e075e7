/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline from its beginning to its end, with stages that only judge: no box has to run for that. */
#include "support/test.h"

#include <unistd.h>

#include "base/scope.h"
#include "box/lifecycle.h"
#include "flow/pipeline.h"

static const char *const env[] = { NULL };
static char top[] = "/tmp/test-pipeline-XXXXXX", project[64];
static struct caller by = { .stdin_fd = -1, .out_fds = { -1, -1 }, .env = env };
static char told[256]; /* each state, as it was told */

static void tell(void *ctx, const struct store_pipeline *row, size_t i)
{
	size_t n = strlen(told);

	(void)ctx;
	snprintf(told + n, sizeof(told) - n, "%s:%s ", row->stages[i].name, row->stages[i].state);
}

static const struct pipeline_callbacks callbacks = { .by = &by, .tell = tell };

static void write_rules(const char *stages)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/aisbx.yaml", project);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "stages:\n%s", stages);
	fclose(f);
	told[0] = '\0';
}

static void make_box(const char *name)
{
	const struct box_create_request req = { .name = name, .project = project, .profile = "dev" };
	scoped(box_created_finish) struct box_created made = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (box_create("/", &req, &made, &e) < 0)
		fail_msg("%s", e.text);
}

static void drive(const char *box, struct pipeline *ret)
{
	const struct pipeline_request req = { .box = box };
	struct aisbx_error e = AISBX_ERROR_INIT;

	*ret = (struct pipeline)PIPELINE_INIT;
	if (pipeline_begin(&callbacks, &req, ret, &e) < 0 || pipeline_drive(ret, &e) < 0)
		fail_msg("%s", e.text);
}

static void all_hold(void **state)
{
	scoped(pipeline_finish) struct pipeline p = PIPELINE_INIT;

	(void)state;
	write_rules("  - {name: one, gates: [\"runs==0\"]}\n  - {name: two, gates: [\"limits==0\"]}\n");
	make_box("holds");
	drive("holds", &p);
	assert_int_equal(pipeline_row_state(&p.row), PIPELINE_DONE);
	assert_non_null(strstr(told, "one:judging one:applying"));
	assert_non_null(strstr(told, "two:passed"));
	assert_non_null(strstr(p.row.stages[0].detail, "\"before\""));
}

/* Later stages are never touched. */
static void one_breaks(void **state)
{
	scoped(pipeline_finish) struct pipeline p = PIPELINE_INIT;

	(void)state;
	write_rules("  - {name: one, gates: [\"runs>0\"]}\n  - {name: two, gates: [\"runs==0\"]}\n");
	make_box("breaks");
	drive("breaks", &p);
	assert_int_equal(pipeline_row_state(&p.row), PIPELINE_STOPPED);
	assert_string_equal(p.row.stages[0].state, "failed");
	assert_string_equal(p.row.stages[1].state, "pending");
	assert_non_null(strstr(p.row.stages[0].why, "runs>0"));
}

/* It waits for a person, whose word counts for that stage and state. */
static void a_person_is_asked(void **state)
{
	static const struct pipeline_word yes = { .note = "fine" }, wrong = { .snapshot = "s-nothing" };
	scoped(pipeline_finish) struct pipeline p = PIPELINE_INIT;
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	write_rules("  - {name: one, gates: [\"runs==0\"], approve: true}\n");
	make_box("asks");
	drive("asks", &p);
	assert_int_equal(pipeline_row_state(&p.row), PIPELINE_WAITING);
	assert_true(pipeline_approve(&p, &wrong, &e) < 0);
	e = (struct aisbx_error)AISBX_ERROR_INIT;
	if (pipeline_approve(&p, &yes, &e) < 0 || pipeline_drive(&p, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(pipeline_row_state(&p.row), PIPELINE_DONE);
	assert_true(pipeline_is_approved(&p, 0));
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(top))
		return -1;
	snprintf(project, sizeof(project), "%s/project", top);
	by.cwd = project;
	setenv("XDG_STATE_HOME", top, 1);
	return mkdir(project, 0700);
}

static int clear_up(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_hold),
		cmocka_unit_test(one_breaks),
		cmocka_unit_test(a_person_is_asked),
	};

	return cmocka_run_group_tests(tests, set_up, clear_up);
}
