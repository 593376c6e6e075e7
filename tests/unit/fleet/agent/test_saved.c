/* SPDX-License-Identifier: Apache-2.0 */
/* What a submitter and a node find again after they were killed. */
#include "support/test.h"

#include <unistd.h>

#include "fleet/agent/saved.h"

static char dir[] = "/tmp/test-saved.XXXXXX";
static const char body[] = "{\"operation\":\"run\"}";

static struct saved *open_table(void)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct saved *s = NULL;
	char path[128];

	snprintf(path, sizeof(path), "%s/made/below", dir);
	if (saved_open(path, "x.db", &s, &e) < 0)
		fail_msg("%s", e.text);
	return s;
}

static struct fleet_action action_of(enum fleet_action_kind kind, const char *id)
{
	struct fleet_action a = { .kind = kind };

	snprintf(a.job.id, sizeof(a.job.id), "%s", id);
	strcpy(a.job.tenant, "t");
	strcpy(a.job.class, "any");
	strcpy(a.job.submitter, "s");
	a.job.attempts = 3;
	a.job.body = fleet_text_new(body, strlen(body));
	return a;
}

static void perform(struct saved *s, uint64_t wall_ms, struct fleet_action a)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	assert_true(saved_is_for(&a));
	if (saved_begin(s, &e) < 0 || saved_perform(s, wall_ms, &a, &e) < 0 || saved_commit(s, &e) < 0)
		fail_msg("%s", e.text);
	fleet_job_finish(&a.job);
	fleet_record_finish(&a.record);
}

/* Of it the keys of jobs are made: a result that was sealed to one must be readable later. */
static void a_secret_lasts(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct saved *s = open_table();
	uint8_t first[32], again[32], other[32];

	(void)state;
	assert_int_equal(saved_secret(s, first, &e), 0);
	saved_close(s);
	s = open_table();
	assert_int_equal(saved_secret(s, again, &e), 0);
	assert_memory_equal(first, again, sizeof(first));
	saved_close(s);
	if (saved_open(dir, "y.db", &s, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(saved_secret(s, other, &e), 0);
	assert_memory_not_equal(first, other, sizeof(first));
	saved_close(s);
}

static void jobs_last(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fleet_action grant = action_of(FLEET_SAVE_GRANT, "j-1"),
			    end = action_of(FLEET_SAVE_END, "j-1");
	struct saved_job found = { 0 };
	struct saved *s = open_table();

	(void)state;
	perform(s, 1000, action_of(FLEET_SAVE_JOB, "j-1"));
	perform(s, 2000, action_of(FLEET_SAVE_JOB, "j-2"));
	strcpy(grant.node, "a");
	grant.incarnation = UINT64_MAX - 1; /* more than SQLite's numbers are said to have */
	grant.number = 7;
	perform(s, 2000, grant);
	saved_close(s);

	s = open_table();
	assert_int_equal(saved_job_find(s, "j-1", &found, &e), 0);
	assert_string_equal(found.saved.job.tenant, "t");
	assert_int_equal(fleet_text_len(found.saved.job.body), strlen(body));
	assert_true(found.saved.granted);
	assert_string_equal(found.saved.node, "a");
	assert_true(found.saved.incarnation == UINT64_MAX - 1);
	assert_int_equal(found.saved.number, 7);
	assert_int_equal(found.saved.record.phase, FLEET_ABSENT);
	assert_int_equal(found.since_wall_ms, 1000);
	saved_job_finish(&found);

	end.record.phase = FLEET_ENDED;
	end.record.token = (struct fleet_token){ 3, 4 };
	end.record.attempt = 2;
	end.record.result = fleet_text_new("{}", 2);
	strcpy(end.record.node, "b");
	perform(s, 5000, end);
	assert_int_equal(saved_job_find(s, "j-1", &found, &e), 0);
	assert_int_equal(found.saved.record.phase, FLEET_ENDED);
	assert_string_equal(found.saved.record.node, "b");
	assert_int_equal(found.ended_wall_ms, 5000);
	saved_job_finish(&found);

	assert_int_equal(saved_job_find(s, "j-3", &found, &e), -ENOENT);
	assert_int_equal(saved_job_find(s, "", &found, &e), -ENOENT);
	assert_failed(saved_job_find(s, "j-", &found, &e), ENOTUNIQ, e, "more than one job");
	assert_int_equal(saved_forget(s, 5001, &e), 0);
	assert_int_equal(saved_job_find(s, "j-1", &found, &e), -ENOENT);
	assert_int_equal(saved_job_find(s, "j-", &found, &e),
			 0); /* one that has not ended is never forgotten */
	assert_string_equal(found.saved.job.id, "j-2");
	assert_false(found.saved.granted);
	saved_job_finish(&found);
	saved_close(s);
}

static void count(void *ctx, const struct fleet_job *job, const struct fleet_record *record)
{
	assert_string_equal(job->id, "j-9");
	assert_int_equal(record->phase, FLEET_ENDED);
	++*(int *)ctx;
}

static void results_last_until_they_are_dropped(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct fleet_action ended = action_of(FLEET_SAVE_ENDED, "j-9"),
			    drop = action_of(FLEET_DROP_ENDED, "j-9"),
			    other = action_of(FLEET_DROP_ENDED, "j-9");
	struct saved *s = open_table();
	int n = 0;

	(void)state;
	ended.token = drop.token = ended.record.token = (struct fleet_token){ INT64_MAX, 5 };
	other.token = (struct fleet_token){ INT64_MAX, 6 };
	ended.record.phase = FLEET_ENDED;
	ended.record.attempt = 1;
	strcpy(ended.record.node, "a");
	perform(s, 1, ended);
	perform(s, 1, other);
	saved_close(s);
	s = open_table();
	assert_int_equal(saved_ended(s, count, &n, &e), 0);
	assert_int_equal(n, 1);
	perform(s, 1, drop);
	assert_int_equal(saved_ended(s, count, &n, &e), 0);
	assert_int_equal(n, 1);
	saved_close(s);
}

static int make(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int clean(void **state)
{
	char command[200];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_last),
		cmocka_unit_test(a_secret_lasts),
		cmocka_unit_test(results_last_until_they_are_dropped),
	};

	return cmocka_run_group_tests(tests, make, clean);
}
