/* SPDX-License-Identifier: Apache-2.0 */
/* The mark of a layer that may not be on the disk: when it comes, when it goes, what it means in another
 * boot. */
#include "support/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/time.h"
#include "layer/layer.h"
#include "layer/unsynced.h"

struct place {
	char dir[32];
	int layer;
	struct aisbx_error e;
};

static int setup(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	strcpy(p->dir, "/var/tmp/test-unsynced-XXXXXX");
	if (!mkdtemp(p->dir) || chdir(p->dir) < 0 || mkdir("l", 0755) < 0 || mkdir("l/project", 0755) < 0 ||
	    mkdir("l/project/up", 0755) < 0 || mkdir("l/project/up/d", 0755) < 0)
		return -1;
	p->layer = open("l", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = p;
	return p->layer < 0;
}

static int teardown(void **state)
{
	struct place *p = *state;
	int r = layer_remove(p->dir, "l", &p->e);

	close(p->layer);
	r |= chdir("/") | rmdir(p->dir);
	free(p);
	return r;
}

static void put(const char *path, const char *text)
{
	scoped(drop_fd) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

/* Files are stamped by a clock that stands still for some milliseconds, or by the true one, which is ahead.
 */
static void next_tick(void)
{
	struct timespec first, now;

	clock_gettime(CLOCK_REALTIME, &first);
	do
		clock_gettime(CLOCK_REALTIME_COARSE, &now);
	while (time_compare(now, first) <= 0);
}

/* A sync may go on for a moment by itself. */
static void assert_synced(const struct place *p)
{
	for (int i = 0; i < 30000 && unsynced_look(p->layer) != UNSYNCED_NOT; i++)
		usleep(1000);
	assert_int_equal(unsynced_look(p->layer), UNSYNCED_NOT);
}

static void nothing_written(void **state)
{
	struct place *p = *state;

	assert_int_equal(unsynced_look(p->layer), UNSYNCED_NOT);
	next_tick();
	assert_int_equal(unsynced_begin(p->layer, &p->e), 0);
	assert_int_equal(unsynced_look(p->layer), UNSYNCED_HERE);
	next_tick();
	assert_int_equal(unsynced_end(p->layer, &p->e), 0);
	assert_int_equal(unsynced_look(p->layer), UNSYNCED_NOT); /* at once: nothing was to be synced */
	assert_int_equal(unsynced_end(p->layer, &p->e), 0);
}

static void something_written(void **state)
{
	struct place *p = *state;

	assert_int_equal(unsynced_begin(p->layer, &p->e), 0);
	put("l/project/up/d/f", "text");
	assert_int_equal(unsynced_end(p->layer, &p->e), 0);
	assert_synced(p);
	assert_int_equal(unsynced_begin(p->layer, &p->e), 0);
	put("l/project/up/d/f", "more");
	assert_int_equal(unsynced_sync(p->layer, &p->e), 0);
	assert_int_equal(unsynced_look(p->layer), UNSYNCED_NOT);
}

/* What a killed run wrote is still to be synced when the next one wrote nothing. */
static void since_the_first(void **state)
{
	struct place *p = *state;
	char before[128] = "", after[128] = "";
	scoped(drop_fd) int fd = -1;

	assert_int_equal(unsynced_begin(p->layer, &p->e), 0);
	fd = open("l/unsynced", O_RDONLY | O_CLOEXEC);
	assert_true(pread(fd, before, sizeof(before), 0) > 0);
	put("l/project/up/d/f", "text");
	next_tick();
	assert_int_equal(unsynced_begin(p->layer, &p->e), 0);
	assert_true(pread(fd, after, sizeof(after), 0) > 0);
	assert_memory_equal(before, after, 66);  /* boot and time */
	assert_true(strcmp(before, after) != 0); /* but not who wrote it */
	assert_int_equal(unsynced_end(p->layer, &p->e), 0);
	assert_synced(p);
}

static void another_boot(void **state)
{
	struct place *p = *state;

	assert_int_equal(unsynced_begin(p->layer, &p->e), 0);
	{
		scoped(drop_fd) int fd = open("l/unsynced", O_WRONLY | O_CLOEXEC);

		assert_int_equal(pwrite(fd, "00000000", 8, 0), 8);
	}
	assert_int_equal(unsynced_look(p->layer), UNSYNCED_TORN);
	assert_int_equal(unsynced_forgive(p->layer, &p->e), 0);
	assert_int_equal(unsynced_look(p->layer), UNSYNCED_NOT);
	assert_int_equal(unsynced_forgive(p->layer, &p->e), 0);
}

static void no_mark_at_all(void **state)
{
	struct place *p = *state;

	put("l/unsynced", "");
	assert_int_equal(unsynced_look(p->layer), UNSYNCED_NOT); /* only begun: nothing was written yet */
	put("l/unsynced", "gibberish");
	assert_int_equal(unsynced_look(p->layer), UNSYNCED_TORN);
	assert_true(unsynced_begin(p->layer, &p->e) < 0);
}

static void the_kernels_own_marker(void **state)
{
	scoped(drop_fd) int tree = open("l/project", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)state;
	unsynced_drop_marker(tree); /* never mounted */
	assert_int_equal(mkdir("l/project/work", 0700) | mkdir("l/project/work/work", 0700) |
				 mkdir("l/project/work/work/incompat", 0700) |
				 mkdir("l/project/work/work/incompat/volatile", 0700),
			 0);
	put("l/project/work/work/incompat/volatile/dirty", "");
	assert_int_equal(chmod("l/project/work/work/incompat/volatile", 0) |
				 chmod("l/project/work/work/incompat", 0) | chmod("l/project/work/work", 0),
			 0);
	unsynced_drop_marker(tree);
	assert_int_equal(rmdir("l/project/work/work/incompat"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_written, setup, teardown),
		cmocka_unit_test_setup_teardown(something_written, setup, teardown),
		cmocka_unit_test_setup_teardown(since_the_first, setup, teardown),
		cmocka_unit_test_setup_teardown(another_boot, setup, teardown),
		cmocka_unit_test_setup_teardown(no_mark_at_all, setup, teardown),
		cmocka_unit_test_setup_teardown(the_kernels_own_marker, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
