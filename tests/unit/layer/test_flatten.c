/* SPDX-License-Identifier: Apache-2.0 */
/* Layers made into one: what hides what, what is kept of files, and what is no obstacle. */
#include "support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/scope.h"
#include "layer/flatten.h"
#include "layer/layer.h"
#include "layer/record.h"

#define OPAQUE "user.overlay.opaque"

static int setup(void **state)
{
	char dir[] = "/var/tmp/test-flatten-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) < 0 || mkdir("layers", 0711) < 0)
		return -1;
	*state = strdup(dir);
	return 0;
}

static int teardown(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r = layer_remove(*state, "layers", &e);

	if (r < 0)
		print_error("%s\n", e.text);
	r |= chdir("/") | rmdir(*state);
	free(*state);
	return r;
}

/* A path of layer ID's project. */
static const char *in(const char *id, const char *rel)
{
	static char path[4][512];
	static int turn;
	char *p = path[turn++ % 4];

	snprintf(p, sizeof(path[0]), "layers/%s/project/up%s%s", id, *rel ? "/" : "", rel);
	return p;
}

static void layer(const char *id)
{
	char path[256];

	snprintf(path, sizeof(path), "layers/%s", id);
	assert_int_equal(mkdir(path, 0711), 0);
	snprintf(path, sizeof(path), "layers/%s/project", id);
	assert_int_equal(mkdir(path, 0711), 0);
	snprintf(path, sizeof(path), "layers/%s/project/work", id);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(mkdir(in(id, ""), 0755), 0);
}

static void write_file(const char *path, const char *text)
{
	scoped(drop_fd) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void make_dir(const char *path, bool opaque)
{
	assert_int_equal(mkdir(path, 0755), 0);
	if (opaque)
		assert_int_equal(setxattr(path, OPAQUE, "y", 1, 0), 0);
}

static void whiteout(const char *path)
{
	assert_int_equal(mknod(path, S_IFCHR, 0), 0);
}

static void assert_file(const char *path, const char *text)
{
	char got[256] = "";
	scoped(drop_fd) int fd = open(path, O_RDONLY);

	if (fd < 0)
		fail_msg("%s: %s", path, strerror(errno));
	assert_true(read(fd, got, sizeof(got) - 1) >= 0);
	assert_string_equal(got, text);
}

static void assert_gone(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISCHR(st.st_mode) || st.st_rdev != 0)
		fail_msg("%s is no whiteout", path);
}

static void assert_none(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 || errno != ENOENT)
		fail_msg("%s is there", path);
}

static bool opaque(const char *path)
{
	char value = 0;

	return getxattr(path, OPAQUE, &value, 1) == 1 && value == 'y';
}

static void flatten(bool link, const char *new, size_t n)
{
	const char *const ids[] = { "a", "b", "c", "d" };
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (layer_flatten("layers", ids, n, new, link, &e) < 0)
		fail_msg("%s", e.text);
}

static struct stat stat_of(const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		fail_msg("%s: %s", path, strerror(errno));
	return st;
}

/* Each case of older and newer, and with LINK and without. */
static void newer_hides_older(void **state)
{
	(void)state;
	layer("a");
	layer("b");
	write_file(in("a", "both"), "old");
	write_file(in("b", "both"), "new");
	write_file(in("a", "only-a"), "a");
	write_file(in("b", "only-b"), "b");
	write_file(in("a", "deleted"), "x");
	whiteout(in("b", "deleted"));
	whiteout(in("a", "back"));
	write_file(in("b", "back"), "back");
	whiteout(in("a", "host"));
	make_dir(in("a", "merged"), false);
	write_file(in("a", "merged/x"), "x");
	whiteout(in("a", "merged/gone"));
	make_dir(in("b", "merged"), false);
	write_file(in("b", "merged/y"), "y");
	make_dir(in("a", "replaced"), false);
	write_file(in("a", "replaced/x"), "x");
	make_dir(in("b", "replaced"), true);
	write_file(in("b", "replaced/y"), "y");
	make_dir(in("a", "closed"), true);
	write_file(in("a", "closed/x"), "x");
	make_dir(in("b", "closed"), false);
	make_dir(in("a", "became-file"), false);
	write_file(in("b", "became-file"), "f");
	write_file(in("a", "was-file"), "f");
	make_dir(in("b", "was-file"), false);
	whiteout(in("a", "was-gone"));
	make_dir(in("b", "was-gone"), false);
	assert_int_equal(symlink("/nowhere", in("a", "link")), 0);
	assert_int_equal(symlink("/nowhere", in("b", "was-dir")), 0);
	make_dir(in("a", "was-dir"), false);
	for (int link = 0; link < 2; link++) {
		const char *n = link ? "linked" : "copied";

		flatten(link, n, 2);
		assert_file(in(n, "both"), "new");
		assert_file(in(n, "only-a"), "a");
		assert_file(in(n, "only-b"), "b");
		assert_gone(in(n, "deleted"));
		assert_file(in(n, "back"), "back");
		assert_gone(in(n, "host"));
		assert_file(in(n, "merged/x"), "x");
		assert_file(in(n, "merged/y"), "y");
		assert_gone(in(n, "merged/gone"));
		assert_false(opaque(in(n, "merged")));
		assert_file(in(n, "replaced/y"), "y");
		assert_none(in(n, "replaced/x"));
		assert_true(opaque(in(n, "replaced")));
		assert_file(in(n, "closed/x"), "x");
		assert_true(opaque(in(n, "closed")));
		assert_file(in(n, "became-file"), "f");
		assert_true(opaque(in(n, "was-file")));
		assert_true(opaque(in(n, "was-gone")));
		assert_true(S_ISLNK(stat_of(in(n, "link")).st_mode));
		assert_true(S_ISLNK(stat_of(in(n, "was-dir")).st_mode));
		assert_false(opaque(in(n, "")));
		assert_true((stat_of(in(n, "both")).st_ino == stat_of(in("b", "both")).st_ino) == link);
	}
	assert_none("layers/copied/.links");
	assert_none("layers/copied/project/work");
}

/* What lies under three: the oldest must not come through where the middle one closed the way. */
static void the_middle_one_counts(void **state)
{
	(void)state;
	for (const char *id = "a\0b\0c\0"; *id; id += 2) {
		layer(id);
		if (*id != 'b') {
			make_dir(in(id, "gone"), false);
			make_dir(in(id, "file"), false);
		}
		make_dir(in(id, "opaque"), *id == 'b');
	}
	whiteout(in("b", "gone"));
	write_file(in("b", "file"), "");
	write_file(in("a", "gone/x"), "");
	write_file(in("a", "file/x"), "");
	write_file(in("a", "opaque/x"), "");
	write_file(in("b", "opaque/y"), "");
	flatten(true, "new", 3);
	assert_none(in("new", "gone/x"));
	assert_none(in("new", "file/x"));
	assert_none(in("new", "opaque/x"));
	assert_file(in("new", "opaque/y"), "");
	assert_true(opaque(in("new", "gone")) && opaque(in("new", "file")) && opaque(in("new", "opaque")));
}

static void set_time(const char *path, time_t t)
{
	assert_int_equal(utimensat(AT_FDCWD, path, (struct timespec[]){ { t, 1 }, { t, 2 } },
				   AT_SYMLINK_NOFOLLOW),
			 0);
}

static void assert_like(const char *path, mode_t mode, time_t t)
{
	struct stat st = stat_of(path);

	assert_int_equal(st.st_mode & 07777, mode);
	assert_int_equal(st.st_mtim.tv_sec, t);
	assert_int_equal(st.st_mtim.tv_nsec, 2);
}

/* Of a directory those of the newest layer, also when older ones put something into it. */
static void attributes(void **state)
{
	(void)state;
	layer("a");
	layer("b");
	make_dir(in("a", "d"), false);
	write_file(in("a", "d/x"), "x");
	make_dir(in("b", "d"), false);
	assert_int_equal(setxattr(in("b", "d"), "user.mine", "1", 1, 0), 0);
	assert_int_equal(setxattr(in("b", "d"), "user.overlay.origin", "1", 1, 0), 0);
	write_file(in("b", "f"), "f");
	assert_int_equal(setxattr(in("b", "f"), "user.mine", "2", 1, 0), 0);
	assert_int_equal(mkfifo(in("b", "p"), 0600), 0);
	assert_int_equal(chmod(in("b", "f"), 04751), 0);
	assert_int_equal(chmod(in("b", "p"), 0640), 0);
	assert_int_equal(chmod(in("b", "d"), 01770), 0);
	assert_int_equal(chmod(in("a", ""), 0700), 0);
	assert_int_equal(chmod(in("b", ""), 0750), 0);
	if (geteuid() == 0) {
		static const unsigned char cap[24] = { 0, 0, 0, 3, 0, 4, 0, 0, [20] = 0x40, 0x42, 0x0f };

		assert_int_equal(chown(in("b", "d"), 1000, 1001), 0);
		assert_int_equal(lchown(in("b", "f"), 1000, 1001), 0);
		assert_int_equal(chmod(in("b", "f"), 04751), 0);
		assert_int_equal(setxattr(in("b", "f"), "security.capability", cap, sizeof(cap), 0), 0);
	}
	set_time(in("b", "d"), 1000);
	set_time(in("b", "f"), 2000);
	set_time(in("b", "p"), 3000);
	set_time(in("b", ""), 4000);
	for (int link = 0; link < 2; link++) {
		const char *n = link ? "linked" : "copied";
		char value[64] = "";

		flatten(link, n, 2);
		assert_file(in(n, "d/x"), "x");
		assert_like(in(n, "d"), 01770, 1000);
		assert_like(in(n, "f"), 04751, 2000);
		assert_like(in(n, "p"), 0640, 3000);
		assert_like(in(n, ""), 0750, 4000);
		assert_true(S_ISFIFO(stat_of(in(n, "p")).st_mode));
		assert_int_equal(getxattr(in(n, "d"), "user.mine", value, sizeof(value)), 1);
		assert_int_equal(getxattr(in(n, "d"), "user.overlay.origin", value, sizeof(value)), 1);
		assert_int_equal(getxattr(in(n, "f"), "user.mine", value, sizeof(value)), 1);
		if (geteuid() == 0) {
			assert_int_equal(stat_of(in(n, "d")).st_gid, 1001);
			assert_int_equal(stat_of(in(n, "f")).st_uid, 1000);
			assert_int_equal(getxattr(in(n, "f"), "security.capability", value, sizeof(value)),
					 24);
		}
	}
}

static void names_of_one_file(void **state)
{
	(void)state;
	layer("a");
	write_file(in("a", "one"), "1");
	make_dir(in("a", "d"), false);
	assert_int_equal(link(in("a", "one"), in("a", "d/two")), 0);
	assert_int_equal(link(in("a", "one"), in("a", "three")), 0);
	assert_int_equal(symlink("one", in("a", "link")), 0);
	assert_int_equal(link(in("a", "link"), in("a", "d/link")), 0);
	for (int link = 0; link < 2; link++) {
		const char *n = link ? "linked" : "copied";

		flatten(link, n, 1);
		assert_int_equal(stat_of(in(n, "one")).st_ino, stat_of(in(n, "d/two")).st_ino);
		assert_int_equal(stat_of(in(n, "one")).st_ino, stat_of(in(n, "three")).st_ino);
		assert_int_equal(stat_of(in(n, "link")).st_ino, stat_of(in(n, "d/link")).st_ino);
		assert_int_equal(stat_of(in(n, "one")).st_nlink, link ? 6 : 3);
	}
}

/* More names than ext4 gives one file: whiteouts share one, until it has all it can. */
static void more_names_than_there_can_be(void **state)
{
	const char *const full[] = { "w", "f" };
	char path[64];

	(void)state;
	layer("a");
	whiteout(in("a", "w"));
	write_file(in("a", "f"), "f");
	make_dir("layers/full", false);
	for (size_t k = 0; k < 2; k++) {
		int i = 0;

		do
			snprintf(path, sizeof(path), "layers/full/%s%d", full[k], i++);
		while (i <= 70000 && link(in("a", full[k]), path) == 0);
		assert_true(i > 70000 || errno == EMLINK); /* ext4: 65000; others have no such end */
	}
	flatten(true, "new", 1);
	assert_gone(in("new", "w"));
	assert_file(in("new", "f"), "f");
}

/* Whose owner took the permissions away: root needs none, others get them in a namespace of their own. */
static void closed_directories(void **state)
{
	(void)state;
	layer("a");
	layer("b");
	make_dir(in("a", "shut"), false);
	write_file(in("a", "shut/x"), "x");
	make_dir(in("a", "shut/in"), false);
	write_file(in("a", "shut/in/x"), "x");
	make_dir(in("b", "shut"), false);
	write_file(in("b", "shut/y"), "y");
	assert_int_equal(chmod(in("b", "shut/y"), 0), 0);
	assert_int_equal(chmod(in("a", "shut/in"), 0555), 0);
	set_time(in("b", "shut"), 1000);
	assert_int_equal(chmod(in("a", "shut"), 0), 0);
	assert_int_equal(chmod(in("b", "shut"), 0), 0);
	for (int link = 0; link < 2; link++) {
		const char *n = link ? "linked" : "copied";

		flatten(link, n, 2);
		assert_like(in(n, "shut"), 0, 1000);
		assert_int_equal(stat_of(in("b", "shut")).st_mode & 07777, 0);
		assert_int_equal(chmod(in(n, "shut"), 0700), 0);
		assert_file(in(n, "shut/x"), "x");
		assert_file(in(n, "shut/in/x"), "x");
		assert_int_equal(stat_of(in(n, "shut/in")).st_mode & 07777, 0555);
		assert_int_equal(stat_of(in(n, "shut/y")).st_mode & 07777, 0);
	}
}

/* Deeper than a path can be long, and than there are descriptors. */
static void deep_trees(void **state)
{
	const struct rlimit few = { 256, 256 };
	struct rlimit before;
	scoped(drop_fd) int home = open(".", O_RDONLY | O_DIRECTORY);
	const int depth = 5000;

	(void)state;
	layer("a");
	layer("b");
	for (const char *id = "a\0b\0"; *id; id += 2) {
		assert_int_equal(chdir(in(id, "")), 0);
		for (int i = 0; i < depth; i++) {
			assert_int_equal(mkdir("deeper", 0755), 0);
			assert_int_equal(chdir("deeper"), 0);
		}
		write_file(id, id);
		assert_int_equal(fchdir(home), 0);
	}
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ few.rlim_cur, before.rlim_max }), 0);
	flatten(true, "linked", 2);
	flatten(false, "copied", 2);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	for (const char *id = "linked\0copied\0"; *id; id += 7) {
		assert_int_equal(chdir(in(id, "")), 0);
		for (int i = 0; i < depth; i++)
			assert_int_equal(chdir("deeper"), 0);
		assert_file("a", "a");
		assert_file("b", "b");
		assert_int_equal(fchdir(home), 0);
	}
}

static void write_records(const char *dir, const char *text)
{
	scoped(drop_fd) int fd = open(dir, O_RDONLY | O_DIRECTORY);
	uint64_t fixed = 7;
	struct buf b = { 0 };

	record_add(&b, &fixed, sizeof(fixed), text);
	assert_int_equal(record_write(fd, "bases", &b, false), 0);
	buf_finish(&b);
}

static void assert_records(const char *dir, const char *want)
{
	scoped(drop_fd) int fd = open(dir, O_RDONLY | O_DIRECTORY);
	char got[64] = "";
	struct buf b = { 0 };
	const char *text;
	uint64_t fixed;
	size_t at = 0;

	assert_int_equal(record_read(fd, "bases", &b), 0);
	while ((text = record_next(&b, &at, &fixed, sizeof(fixed))))
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s ", text);
	assert_string_equal(got, want);
	buf_finish(&b);
}

/* Trees that only some layers have, and what is kept for merging. */
static void trees_and_bases(void **state)
{
	(void)state;
	layer("a");
	layer("b");
	layer("c");
	make_dir("layers/a/root", false);
	make_dir("layers/a/root/up", false);
	write_file("layers/a/root/up/only-a", "a");
	make_dir("layers/b/m01", false); /* killed before it had anything */
	write_records("layers/a/project", "first");
	write_records("layers/a/project", "second");
	assert_int_equal(truncate("layers/a/project/bases", stat_of("layers/a/project/bases").st_size - 3),
			 0); /* torn */
	write_records("layers/c/project", "last");
	make_dir("layers/a/project/blobs", false);
	make_dir("layers/c/project/blobs", false);
	write_file("layers/a/project/blobs/1", "one");
	write_file("layers/c/project/blobs/2", "two");
	flatten(true, "new", 3);
	assert_file("layers/new/root/up/only-a", "a");
	assert_none("layers/new/m01/up");
	assert_records("layers/new/project", "first last ");
	assert_file("layers/new/project/blobs/1", "one");
	assert_file("layers/new/project/blobs/2", "two");
	assert_int_equal(stat_of("layers/new").st_mode & 07777, 0711);
	assert_int_equal(stat_of("layers/new/project").st_mode & 07777, 0711);
}

static void a_copy_shares_nothing(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	layer("a");
	write_file(in("a", "f"), "before");
	assert_int_equal(layer_copy_tree("layers", "a", "new", &e), 0);
	write_file(in("a", "f"), "after");
	assert_file(in("new", "f"), "before");
}

/* Of one tree nothing comes along, neither its changes nor what is recorded of them; the layers stay. */
static void without_a_tree(void **state)
{
	const char *const ids[] = { "a", "b" };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	layer("a");
	layer("b");
	write_file(in("a", "f"), "old");
	write_file(in("b", "f"), "new");
	write_file(in("b", "g"), "more");
	mkdir("layers/b/etc", 0711);
	mkdir("layers/b/etc/up", 0755);
	write_file("layers/b/etc/up/hosts", "there");
	if (layer_flatten_without("layers", ids, 2, "new", "etc", &e) < 0)
		fail_msg("%s", e.text);
	assert_file(in("new", "f"), "new");
	assert_file(in("new", "g"), "more");
	assert_int_equal(stat_of(in("new", "g")).st_ino, stat_of(in("b", "g")).st_ino);
	assert_none("layers/new/etc");
	assert_file("layers/b/etc/up/hosts", "there");
}

static void a_failure_leaves_nothing(void **state)
{
	const char *const ids[] = { "a", "nope" };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	layer("a");
	write_file(in("a", "f"), "x");
	assert_failed(layer_flatten("layers", ids, 2, "new", true, &e), ENOENT, e, "merge 2 layers into one");
	assert_none("layers/new");
	assert_file(in("a", "f"), "x");
}

#define in_a_dir(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_a_dir(newer_hides_older),        in_a_dir(without_a_tree),
		in_a_dir(the_middle_one_counts),    in_a_dir(attributes),
		in_a_dir(names_of_one_file),        in_a_dir(more_names_than_there_can_be),
		in_a_dir(closed_directories),       in_a_dir(deep_trees),
		in_a_dir(trees_and_bases),          in_a_dir(a_copy_shares_nothing),
		in_a_dir(a_failure_leaves_nothing),
	};

	umask(022);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
