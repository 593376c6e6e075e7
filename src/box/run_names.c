/* SPDX-License-Identifier: Apache-2.0 */
/* Gives runs their names, and finds them by name. */
#include "box/run_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/names.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/owner.h"
#include "box/runs.h"

/* Names that are tried before one gets a number: there are thousands. */
#define TRIES 20

struct link_name {
	char text[2 * STORE_NAME_MAX + 2];
};

/* Of an owner NAME is another than of the person. */
static struct link_name link_of(const char *name)
{
	struct link_name l;

	snprintf(l.text, sizeof(l.text), "%.64s@%.64s", box_acting_for() ? box_acting_for() : "", name);
	return l;
}

/* Locked for a CHANGE: two that want a name ask one after the other. */
static int open_names(bool make, bool change, int *ret_fd, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	int r = box_runs_dir(make, &fd, e);

	if (r == 0 && change && flock(fd, LOCK_EX) < 0)
		r = aisbx_fail(e, AISBX_AREA_BOX, errno, "lock the names of runs");
	if (r == 0)
		*ret_fd = take_fd(&fd);
	return r;
}

static bool read_link(int dir, const char *link, char ret_id[STORE_ID_MAX])
{
	ssize_t n = readlinkat(dir, link, ret_id, STORE_ID_MAX - 1);

	if (n <= 0)
		return false;
	ret_id[n] = '\0';
	return true;
}

static bool is_live(const char *id)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int fd = -1;
	int r = box_run_connect(id, &fd, &ignored);

	return r == 0 || (r != -ENOENT && r != -ECONNREFUSED);
}

/* -EBUSY leaves E unchanged. */
static int take(int dir, const char *name, const char *id, struct aisbx_error *e)
{
	struct link_name link = link_of(name);
	char old[STORE_ID_MAX];

	if (read_link(dir, link.text, old)) {
		if (is_live(old))
			return -EBUSY;
		unlinkat(dir, link.text, 0);
	}
	return symlinkat(id, dir, link.text) < 0
		       ? aisbx_fail(e, AISBX_AREA_BOX, errno, "give the run the name '%s'", name)
		       : 0;
}

static int take_any(int dir, const char *id, char ret[RUN_NAME_MAX], struct aisbx_error *e)
{
	int r = -EBUSY;

	for (int i = 0; r == -EBUSY && !e->code && i < 2 * TRIES; i++) {
		char words[NAME_TWO_WORDS_SIZE];
		uint64_t seed;

		if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
			seed = (uint64_t)i;
		name_two_words(seed, words);
		if (i < TRIES)
			snprintf(ret, RUN_NAME_MAX, "%s", words);
		else
			snprintf(ret, RUN_NAME_MAX, "%s-%u", words, (unsigned int)(seed % 10000));
		r = take(dir, ret, id, e);
	}
	return r;
}

int run_name_take(const char *wish, const char *id, char ret[RUN_NAME_MAX], struct aisbx_error *e)
{
	scoped(drop_fd) int dir = -1;
	int r = wish ? box_check_name(wish, e) : 0;

	if (r == 0 && wish && !strncmp(wish, "r-", 2))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "'%s' is not a valid name of a run: ids of runs begin with 'r-'", wish);
	if (r == 0)
		r = open_names(true, true, &dir, e);
	if (r < 0)
		return r;
	if (wish)
		snprintf(ret, RUN_NAME_MAX, "%s", wish);
	r = wish ? take(dir, wish, id, e) : take_any(dir, id, ret, e);
	return r == -EBUSY && !e->code
		       ? aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_RUN, EBUSY,
				      "a live run is called '%s'; choose another name, or end that run with "
				      "'aisbx kill %s'",
				      ret, ret)
		       : r;
}

int run_name_find(const char *name, char ret_id[STORE_ID_MAX], struct aisbx_error *e)
{
	struct link_name link = link_of(name);
	scoped(drop_fd) int dir = -1;
	int r = strlen(name) > STORE_NAME_MAX || strchr(name, '/') ? -ENOENT
								   : open_names(false, false, &dir, e);

	if (r == 0 && !read_link(dir, link.text, ret_id))
		r = -ENOENT;
	return r;
}

void run_name_drop(const char *name, const char *id)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	struct link_name link = link_of(name);
	scoped(drop_fd) int dir = -1;
	char now[STORE_ID_MAX];

	if (open_names(false, true, &dir, &ignored) == 0 && read_link(dir, link.text, now) &&
	    !strcmp(now, id))
		unlinkat(dir, link.text, 0);
}

void run_names_collect(void)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_dir) DIR *d = NULL;
	struct dirent *entry;
	int fd = -1, r = open_names(false, true, &fd, &ignored);

	if (r < 0)
		return;
	d = fdopendir(fd);
	if (!d)
		close(fd);
	while (d && (entry = dir_next(d, &r))) {
		char id[STORE_ID_MAX];
		struct stat st;

		if (strchr(entry->d_name, '@') && read_link(dirfd(d), entry->d_name, id) &&
		    fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    st.st_mtime + BOX_LOGS_DAYS * 86400L < time(NULL) && !is_live(id))
			unlinkat(dirfd(d), entry->d_name, 0);
	}
}
