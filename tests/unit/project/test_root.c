/* SPDX-License-Identifier: Apache-2.0 */
/* The project of somebody who stands somewhere in it, with what others could have put above. */
#include "project/root.h"
#include "support/test.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#define ME     1000
#define OTHER  1001
#define SHARED 50

/* Directories are mine, 0755, on one device, unless a row says otherwise; files only where a row has one. */
struct row {
	const char *path;
	mode_t mode; /* 0: it is not there */
	uid_t uid;
	dev_t dev;            /* 0: as the others */
	ino_t ino;            /* 0: its own */
	const struct row *to; /* of a link */
	gid_t gid;            /* 0: mine */
};

struct world {
	const struct row *rows;
	size_t n, looks;
};

static void fill(const struct row *row, const char *path, struct stat *ret)
{
	ino_t ino = 7;

	for (const char *c = path; *c; c++)
		ino = ino * 31 + (unsigned char)*c;
	*ret = (struct stat){ .st_mode = row ? row->mode : S_IFDIR | 0755,
			      .st_uid = row ? row->uid : ME,
			      .st_gid = row && row->gid ? row->gid : ME,
			      .st_dev = row && row->dev ? row->dev : 1,
			      .st_ino = row && row->ino ? row->ino : ino };
}

static bool is_a_mark(const char *path)
{
	return strstr(path, "/.git") || strstr(path, "/aisbx.yaml");
}

static int look(void *ctx, const char *path, bool follow, struct stat *ret)
{
	struct world *w = ctx;

	w->looks++;
	for (size_t i = 0; i < w->n; i++) {
		const struct row *row = &w->rows[i];

		if (strcmp(row->path, path) != 0)
			continue;
		if (!row->mode)
			return -ENOENT;
		fill(follow && row->to ? row->to : row, path, ret);
		return 0;
	}
	if (is_a_mark(path))
		return -ENOENT;
	fill(NULL, path, ret);
	return 0;
}

static void is_for(uid_t uid, const char *home, const struct row *rows, size_t n, const char *cwd,
		   const char *want)
{
	struct world w = { rows, n, 0 };
	const struct project_root_view v = { .home = home, .uid = uid, .gid = uid, .look = look, .ctx = &w };
	size_t got = project_root(cwd, &v);

	if (got != strlen(want) || strncmp(cwd, want, got) != 0)
		fail_msg("from '%s': '%.*s', not '%s'", cwd, (int)got, cwd, want);
}

#define IS(rows, cwd, want) is_for(ME, "/home/me", rows, sizeof(rows) / sizeof(*(rows)), cwd, want)

#define FILE_OF(path, uid)                               \
	{                                                \
		path, S_IFREG | 0644, uid, 0, 0, NULL, 0 \
	}
#define DIR_OF(path, mode, uid)                            \
	{                                                  \
		path, S_IFDIR | (mode), uid, 0, 0, NULL, 0 \
	}
#define REPOSITORY(dir) DIR_OF(dir "/.git", 0755, ME), FILE_OF(dir "/.git/HEAD", ME)

static void the_nearest_mark(void **state)
{
	static const struct row rows[] = { REPOSITORY("/home/me/mono"),
					   FILE_OF("/home/me/mono/a/aisbx.yaml", ME),
					   FILE_OF("/home/me/mono/lib/.git", ME), /* a submodule */
					   FILE_OF("/home/me/all/aisbx.yaml", ME),
					   REPOSITORY("/home/me/all/repo") };

	(void)state;
	IS(rows, "/home/me/mono", "/home/me/mono");
	IS(rows, "/home/me/mono/vendor/deep/er", "/home/me/mono");
	IS(rows, "/home/me/mono/a", "/home/me/mono/a");
	IS(rows, "/home/me/mono/a/src", "/home/me/mono/a");
	IS(rows, "/home/me/mono/lib/src", "/home/me/mono/lib");
	IS(rows, "/home/me/all/repo/src", "/home/me/all/repo");
	IS(rows, "/home/me/all/notes/x", "/home/me/all");
	IS(rows, "/home/me/monolith", "/home/me/monolith");
	IS(rows, "/home/me/none/x", "/home/me/none/x");
}

/* A repository or a file in the home directory is common, and its boxes would have everything. */
static void never_home_or_above(void **state)
{
	static const struct row rows[] = { REPOSITORY("/home/me"),   FILE_OF("/home/me/aisbx.yaml", ME),
					   REPOSITORY("/home"),      FILE_OF("/aisbx.yaml", 0),
					   DIR_OF("/.git", 0755, 0), FILE_OF("/.git/HEAD", 0) };

	(void)state;
	IS(rows, "/home/me/x/y", "/home/me/x/y");
	IS(rows, "/home/me", "/home/me");
	IS(rows, "/home", "/home");
	IS(rows, "/home/other", "/home/other");
	IS(rows, "/srv/x", "/srv/x");
	IS(rows, "/", "/");
	is_for(ME, "/srv/homes/me", rows, 0, "/srv/x", "/srv/x");
}

/* Another name of it, as of a bind mount. */
static void home_by_another_name(void **state)
{
	static const struct row rows[] = { { "/home/me", S_IFDIR | 0755, ME, 0, 42, NULL, 0 },
					   { "/mnt/me", S_IFDIR | 0755, ME, 0, 42, NULL, 0 },
					   REPOSITORY("/mnt/me"),
					   REPOSITORY("/mnt") };

	(void)state;
	IS(rows, "/mnt/me/x", "/mnt/me/x");
	IS(rows, "/mnt/y", "/mnt");
}

static void no_home_no_search(void **state)
{
	static const struct row rows[] = { REPOSITORY("/srv/x") };

	(void)state;
	is_for(ME, NULL, rows, 2, "/srv/x/y", "/srv/x/y");
	is_for(ME, "/home/me", rows, 2, "/srv/x/y", "/srv/x");
}

static void planted_by_others(void **state)
{
	static const struct row tmp[] = { DIR_OF("/tmp", 01777, 0), DIR_OF("/tmp/.git", 0755, OTHER),
					  FILE_OF("/tmp/.git/HEAD", OTHER),
					  FILE_OF("/tmp/aisbx.yaml", OTHER) };
	static const struct row mine_in_tmp[] = { DIR_OF("/tmp", 01777, 0), REPOSITORY("/tmp"),
						  REPOSITORY("/tmp/mine") };
	static const struct row owned[] = { DIR_OF("/srv/theirs", 0755, OTHER), REPOSITORY("/srv/theirs"),
					    REPOSITORY("/srv") };
	static const struct row group[] = { { "/srv/team", S_IFDIR | 0775, ME, 0, 0, NULL, SHARED },
					    REPOSITORY("/srv/team"),
					    DIR_OF("/srv/own", 0775, ME),
					    REPOSITORY("/srv/own") };
	static const struct row marks[] = { FILE_OF("/srv/a/aisbx.yaml", OTHER), REPOSITORY("/srv/a"),
					    DIR_OF("/srv/b/.git", 0755, OTHER),
					    FILE_OF("/srv/b/.git/HEAD", OTHER), REPOSITORY("/srv") };

	(void)state;
	IS(tmp, "/tmp/work/x", "/tmp/work/x");
	IS(mine_in_tmp, "/tmp/work", "/tmp/work");
	IS(mine_in_tmp, "/tmp/mine/x", "/tmp/mine");
	IS(owned, "/srv/theirs/x", "/srv/theirs/x");
	IS(group, "/srv/team/x", "/srv/team/x");
	IS(group, "/srv/own/x", "/srv/own");
	IS(marks, "/srv/a/x", "/srv/a/x");
	IS(marks, "/srv/b/x", "/srv/b/x");
}

static void of_root(void **state)
{
	static const struct row rows[] = { DIR_OF("/opt", 0755, 0),
					   DIR_OF("/opt/app", 0755, 0),
					   DIR_OF("/opt/app/.git", 0755, 0),
					   FILE_OF("/opt/app/.git/HEAD", 0),
					   REPOSITORY("/srv/mine"),
					   DIR_OF("/srv/mine/made", 0755, 0),
					   DIR_OF("/srv/mine/made/by", 0755, 0) };

	(void)state;
	IS(rows, "/opt/app/x", "/opt/app/x");
	IS(rows, "/srv/mine/made/by/root", "/srv/mine");
	is_for(0, "/root", rows, 8, "/opt/app/x", "/opt/app");
	is_for(0, "/root", rows, 8, "/srv/mine/x", "/srv/mine/x");
}

static void links(void **state)
{
	static const struct row theirs = { "", S_IFDIR | 0755, OTHER, 0, 0, NULL, 0 },
				mine = { "", S_IFDIR | 0755, ME, 0, 0, NULL, 0 };
	static const struct row rows[] = { { "/srv/a/.git", S_IFLNK | 0777, ME, 0, 0, &theirs, 0 },
					   FILE_OF("/srv/a/.git/HEAD", OTHER),
					   { "/srv/b/.git", S_IFLNK | 0777, ME, 0, 0, &mine, 0 },
					   FILE_OF("/srv/b/.git/HEAD", ME),
					   { "/srv/c/aisbx.yaml", S_IFLNK | 0777, ME, 0, 0, NULL, 0 },
					   { "/srv/d/aisbx.yaml", S_IFLNK | 0777, OTHER, 0, 0, NULL, 0 } };

	(void)state;
	IS(rows, "/srv/a/x", "/srv/a/x");
	IS(rows, "/srv/b/x", "/srv/b");
	IS(rows, "/srv/c/x", "/srv/c");
	IS(rows, "/srv/d/x", "/srv/d/x");
}

/* As git does. */
static void other_places(void **state)
{
	static const struct row rows[] = { { "/srv/r/disk", S_IFDIR | 0755, ME, 2, 0, NULL, 0 },
					   { "/srv/r/disk/x", S_IFDIR | 0755, ME, 2, 0, NULL, 0 },
					   REPOSITORY("/srv/r"),
					   DIR_OF("/srv/e/.git", 0755, ME), /* empty: no repository */
					   { "/srv/f", 0, 0, 0, 0, NULL, 0 },
					   REPOSITORY("/srv/f") };

	(void)state;
	IS(rows, "/srv/r/disk/x", "/srv/r/disk/x");
	IS(rows, "/srv/r/src", "/srv/r");
	IS(rows, "/srv/e/x", "/srv/e/x");
	IS(rows, "/srv/f/x", "/srv/f/x");
}

static void deep_trees(void **state)
{
	static const struct row rows[] = { REPOSITORY("/srv/r") };
	char cwd[PATH_MAX + 64] = "/srv/r";
	struct world w = { rows, 2, 0 };
	const struct project_root_view v = {
		.home = "/home/me", .uid = ME, .gid = ME, .look = look, .ctx = &w
	};

	(void)state;
	for (size_t n = strlen(cwd); n + 3 < PATH_MAX; n += 2)
		memcpy(cwd + n, "/d", 3);
	assert_int_equal(project_root(cwd, &v), strlen("/srv/r"));
	assert_true(w.looks < 3 * PATH_MAX / 2 + 10);
	memset(cwd + strlen(cwd), 'x', 20);
	assert_int_equal(project_root(cwd, &v), strlen(cwd));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_nearest_mark),
		cmocka_unit_test(never_home_or_above),
		cmocka_unit_test(home_by_another_name),
		cmocka_unit_test(no_home_no_search),
		cmocka_unit_test(planted_by_others),
		cmocka_unit_test(of_root),
		cmocka_unit_test(links),
		cmocka_unit_test(other_places),
		cmocka_unit_test(deep_trees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
