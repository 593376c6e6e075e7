/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments in the store: rows as they were, ends that hold, and one winner however many claim at once. */
#include "support/test.h"

#include <ftw.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store.h"

#define RACERS 32
#define RACES  1000

static char dir[64];

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/test-experiment-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static struct store *opened(void)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = NULL;

	if (store_open(dir, &s, &e) < 0)
		fail_msg("%s", e.text);
	return s;
}

static void add(struct store *s, const char *id, const char *owner, const char *state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_branch branches[] = {
		{ .name = (char *)"a", .command = (char *)"true", .box = "b-1", .state = "waiting" },
		{ .name = (char *)"b", .command = (char *)"false", .box = "b-2", .state = "waiting" }
	};
	struct store_experiment x = { .name = (char *)"",
				      .project = (char *)"/p",
				      .mode = "first",
				      .how = (char *)"{}",
				      .created_ms = 5,
				      .branches = branches,
				      .n_branches = 2 };

	snprintf(x.id, sizeof(x.id), "%s", id);
	snprintf(x.owner, sizeof(x.owner), "%s", owner);
	snprintf(x.state, sizeof(x.state), "%s", state);
	if (store_experiment_add(s, &x, &e) < 0)
		fail_msg("%s", e.text);
}

static void rows_come_back(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store_experiment x, *list = NULL;
	struct store *s = opened();
	size_t n = 0;

	(void)state;
	add(s, "x-aa1", "ann", "open");
	add(s, "x-ab2", "", "running");
	assert_int_equal(store_experiment_find(s, "x-aa", NULL, &x, &e), 0);
	assert_string_equal(x.id, "x-aa1");
	assert_string_equal(x.owner, "ann");
	assert_int_equal(x.n_branches, 2);
	assert_string_equal(x.branches[1].name, "b");
	assert_string_equal(x.branches[1].command, "false");
	assert_string_equal(x.branches[1].box, "b-2");
	assert_string_equal(x.branches[1].result, "");
	store_experiment_finish(&x);
	assert_int_equal(store_experiment_find(s, "x-a", NULL, &x, &e), -EINVAL);
	assert_non_null(strstr(e.text, "several experiments begin with"));
	assert_int_equal(store_experiment_find(s, "x-ab2", "ann", &x, &e), -ENOENT);
	assert_int_equal(store_experiment_find(s, "", NULL, &x, &e), -ENOENT);
	assert_int_equal(store_experiment_list(s, NULL, "running", 9, &list, &n, &e), 0);
	assert_int_equal(n, 1);
	assert_string_equal(list[0].id, "x-ab2");
	store_experiment_list_finish(list, n);
	assert_int_equal(store_branch_set(s, "x-aa1", 2, "passed", "{\"score\":1}", &e), 0);
	assert_int_equal(store_experiment_find(s, "x-aa1", "ann", &x, &e), 0);
	assert_string_equal(x.branches[0].state, "waiting");
	assert_string_equal(x.branches[1].state, "passed");
	assert_string_equal(x.branches[1].result, "{\"score\":1}");
	store_experiment_finish(&x);
	store_close(s);
}

static void an_end_is_one(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = opened();
	bool yes = false;

	(void)state;
	add(s, "x-1", "", "running");
	assert_int_equal(store_experiment_end(s, "x-1", "none", "{}", 9, &yes, &e), 0);
	assert_true(yes);
	assert_int_equal(store_experiment_end(s, "x-1", "won", "{}", 10, &yes, &e), 0);
	assert_false(yes);
	assert_int_equal(store_experiment_claim(s, "x-1", 1, &yes, &e), 0);
	assert_false(yes); /* what has ended nobody wins */
	assert_int_equal(store_experiment_claim(s, "x-none", 1, &yes, &e), 0);
	assert_false(yes);
	store_close(s);
}

struct room {
	pthread_barrier_t barrier;
	unsigned char won[RACES][RACERS];
};

static struct room *make_room(void)
{
	struct room *room =
		mmap(NULL, sizeof(*room), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_barrierattr_t attr;

	assert_ptr_not_equal(room, MAP_FAILED);
	pthread_barrierattr_init(&attr);
	pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&room->barrier, &attr, RACERS);
	return room;
}

static void race(struct room *room, int racer)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct store *s = NULL;
	char id[STORE_ID_MAX];
	bool won;

	if (store_open(dir, &s, &e) < 0)
		_exit(1);
	for (int i = 0; i < RACES; i++) {
		snprintf(id, sizeof(id), "x-%04d", i);
		if (!(i % 20)) /* from time to time all begin together; in between whoever is first is so by
				  chance */
			pthread_barrier_wait(&room->barrier);
		if (store_experiment_claim(s, id, racer + 1, &won, &e) < 0)
			_exit(2);
		room->won[i][racer] = won;
	}
	store_close(s);
	_exit(0);
}

static void one_winner_of_many(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct room *room = make_room();
	struct store *s = opened();
	char id[STORE_ID_MAX];

	(void)state;
	for (int i = 0; i < RACES; i++) {
		snprintf(id, sizeof(id), "x-%04d", i);
		add(s, id, "", "running");
	}
	store_close(s);
	for (int i = 0; i < RACERS; i++)
		if (fork() == 0)
			race(room, i);
	for (int i = 0; i < RACERS; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	s = opened();
	for (int i = 0; i < RACES; i++) {
		struct store_experiment x;
		int winners = 0, winner = 0;

		for (int k = 0; k < RACERS; k++)
			if (room->won[i][k]) {
				winners++;
				winner = k + 1;
			}
		assert_int_equal(winners, 1);
		snprintf(id, sizeof(id), "x-%04d", i);
		assert_int_equal(store_experiment_find(s, id, NULL, &x, &e), 0);
		assert_int_equal(x.winner, winner); /* and it is who thinks so */
		store_experiment_finish(&x);
	}
	store_close(s);
	munmap(room, sizeof(*room));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_come_back, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(an_end_is_one, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(one_winner_of_many, make_dir, remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
