/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of files: every byte and no more blocks than need be, and of attributes those that mean something
 * elsewhere. */
#include "support/test.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/scope.h"
#include "layer/copy.h"
#include "layer/layer.h"

#define ACL "system.posix_acl_access"
#define BIG (8 << 20)

static const struct copy_how plain = { 0 };

static int setup(void **state)
{
	char dir[] = "/var/tmp/test-copy-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) < 0 || mkdir("top", 0755) < 0)
		return -1;
	*state = strdup(dir);
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r = layer_remove(*state, "top", &e);

	if (r < 0)
		print_error("%s\n", e.text);
	r |= chdir("/") | rmdir(*state);
	free(*state);
	return r;
}

static int make(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	return fd;
}

static struct stat stat_of(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return st;
}

static void put(int fd, off_t at, const char *text)
{
	assert_int_equal(pwrite(fd, text, strlen(text), at), strlen(text));
}

static void assert_same_bytes(int a, int b)
{
	static char one[1 << 16], two[1 << 16];
	off_t at = 0;
	ssize_t n;

	assert_int_equal(stat_of(a).st_size, stat_of(b).st_size);
	while ((n = pread(a, one, sizeof(one), at)) > 0) {
		assert_int_equal(pread(b, two, sizeof(two), at), n);
		assert_memory_equal(one, two, (size_t)n);
		at += n;
	}
	assert_int_equal(n, 0);
}

static void test_data_of_every_size(void **state)
{
	static const off_t sizes[] = { 0, 1, 4095, 4096, 65535, 65536, 65537, 131072, 1 << 20 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		char name[32], copy[32];
		scoped(drop_fd) int from = -1;
		scoped(drop_fd) int to = -1;

		snprintf(name, sizeof(name), "top/%zu", i);
		snprintf(copy, sizeof(copy), "top/%zu.copy", i);
		from = make(name);
		to = make(copy);
		for (off_t at = 0; at < sizes[i]; at += 1000)
			put(from, at, "x");
		assert_int_equal(ftruncate(from, sizes[i]), 0);
		assert_int_equal(copy_data(from, to, sizes[i]), 0);
		assert_same_bytes(from, to);
	}
}

static void test_holes_are_kept(void **state)
{
	static const struct {
		const char *name;
		off_t data[3]; /* -1: none */
	} shapes[] = { { "middle", { 0, BIG - 4096, -1 } },
		       { "begin", { BIG - 100, -1 } },
		       { "end", { 0, -1 } },
		       { "all", { -1 } },
		       { "islands", { 1 << 20, 3 << 20, 5 << 20 } } };

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		char name[32], copy[32];
		scoped(drop_fd) int from = -1;
		scoped(drop_fd) int to = -1;

		snprintf(name, sizeof(name), "top/%s", shapes[i].name);
		snprintf(copy, sizeof(copy), "top/%s.copy", shapes[i].name);
		from = make(name);
		to = make(copy);
		for (int k = 0; k < 3 && shapes[i].data[k] >= 0; k++)
			put(from, shapes[i].data[k], "data");
		assert_int_equal(ftruncate(from, BIG), 0);
		assert_true(stat_of(from).st_blocks < BIG / 512 / 8); /* else this says nothing */
		assert_int_equal(copy_data(from, to, BIG), 0);
		assert_same_bytes(from, to);
		assert_true(stat_of(to).st_blocks <= stat_of(from).st_blocks + 64);
	}
}

/* It became shorter while it was read: not a file that never was. */
static void test_shorter_than_said(void **state)
{
	scoped(drop_fd) int from = make("top/a");
	scoped(drop_fd) int to = make("top/b");

	(void)state;
	put(from, 0, "short");
	assert_int_equal(copy_data(from, to, 100), -EBUSY);
}

static void test_longer_than_said(void **state)
{
	scoped(drop_fd) int from = make("top/a");
	scoped(drop_fd) int to = make("top/b");
	char got[16] = "";

	(void)state;
	put(from, 0, "longer");
	assert_int_equal(copy_data(from, to, 4), 0);
	assert_int_equal(pread(to, got, sizeof(got), 0), 4);
	assert_string_equal(got, "long");
}

static void set(int fd, const char *name, const char *value)
{
	assert_int_equal(fsetxattr(fd, name, value, strlen(value), 0), 0);
}

static void has(int fd, const char *name, const char *value)
{
	char got[256] = "";
	ssize_t n = fgetxattr(fd, name, got, sizeof(got) - 1);

	if (!value) {
		assert_int_equal(n, -1);
		assert_int_equal(errno, ENODATA);
		return;
	}
	assert_int_equal(n, strlen(value));
	assert_string_equal(got, value);
}

static void test_xattrs_added_changed_removed(void **state)
{
	scoped(drop_fd) int from = make("top/a");
	scoped(drop_fd) int to = make("top/b");

	(void)state;
	set(from, "user.new", "1");
	set(from, "user.other", "from");
	set(from, "user.empty", "");
	set(to, "user.other", "to");
	set(to, "user.old", "2");
	assert_int_equal(copy_attrs(from, to, &plain), 0);
	has(to, "user.new", "1");
	has(to, "user.other", "from");
	has(to, "user.empty", "");
	has(to, "user.old", NULL);
}

static void test_many_xattrs(void **state)
{
	scoped(drop_fd) int from = make("top/a");
	scoped(drop_fd) int to = make("top/b");
	char name[128];
	uint64_t one, two;

	(void)state;
	for (int i = 0; i < 30; i++) { /* more than fit into a first guess */
		snprintf(name, sizeof(name), "user.%060d", i);
		set(from, name, "v");
	}
	assert_int_equal(copy_attrs(from, to, &plain), 0);
	for (int i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "user.%060d", i);
		has(to, name, "v");
	}
	assert_int_equal(copy_xattr_sum(from, 0, &one), 0);
	assert_int_equal(copy_xattr_sum(to, 0, &two), 0);
	assert_true(one == two && one != 0);
}

static void test_overlay_marks(void **state)
{
	static const struct copy_how layers = { .overlay = true };
	scoped(drop_fd) int from = make("top/a");
	scoped(drop_fd) int to = make("top/b");
	scoped(drop_fd) int layer = make("top/c");

	(void)state;
	set(from, "user.overlay.opaque", "y");
	set(from, "user.overlay.origin", "x");
	set(from, "user.overlays", "a person's");
	assert_int_equal(copy_attrs(from, to, &plain), 0);
	has(to, "user.overlay.opaque", NULL);
	has(to, "user.overlay.origin", NULL);
	has(to, "user.overlays", "a person's");
	assert_int_equal(copy_attrs(from, layer, &layers), 0);
	has(layer, "user.overlay.opaque", "y");
	has(layer, "user.overlay.origin", "x");
	/* What is not taken is not taken away either. */
	assert_int_equal(copy_attrs(to, layer, &plain), 0);
	has(layer, "user.overlay.opaque", "y");
	assert_int_equal(copy_attrs(to, layer, &layers), 0);
	has(layer, "user.overlay.opaque", NULL);
}

static void test_which_xattrs(void **state)
{
	(void)state;
	assert_true(copy_takes_xattr("user.x", false));
	assert_true(copy_takes_xattr("user.", false));
	assert_true(copy_takes_xattr("user.overlay", false));
	assert_true(copy_takes_xattr("system.posix_acl_access", false));
	assert_true(copy_takes_xattr("system.posix_acl_default", false));
	assert_true(copy_takes_xattr("user.overlay.opaque", true));
	assert_false(copy_takes_xattr("user.overlay.opaque", false));
	for (int overlay = 0; overlay < 2; overlay++) {
		assert_false(copy_takes_xattr("security.capability", overlay));
		assert_false(copy_takes_xattr("security.selinux", overlay));
		assert_false(copy_takes_xattr("trusted.overlay.opaque", overlay));
		assert_false(copy_takes_xattr("trusted.x", overlay));
		assert_false(copy_takes_xattr("system.nfs4_acl", overlay));
		assert_false(copy_takes_xattr("userx.y", overlay));
		assert_false(copy_takes_xattr("", overlay));
	}
}

static void test_sum_of_xattrs(void **state)
{
	scoped(drop_fd) int a = make("top/a");
	scoped(drop_fd) int b = make("top/b");
	uint64_t one, two;

	(void)state;
	assert_int_equal(copy_xattr_sum(a, 0, &one), 0);
	assert_true(one == 0);
	set(a, "user.overlay.opaque", "y");
	assert_int_equal(copy_xattr_sum(a, 0, &one), 0);
	assert_true(one == 0);
	set(a, "user.one", "1");
	set(a, "user.two", "2");
	set(b, "user.two", "2");
	set(b, "user.one", "1"); /* in another order */
	assert_int_equal(copy_xattr_sum(a, 0, &one), 0);
	assert_int_equal(copy_xattr_sum(b, 0, &two), 0);
	assert_true(one == two && one != 0);
	set(b, "user.one", "2");
	set(b, "user.two", "1");
	assert_int_equal(copy_xattr_sum(b, 0, &two), 0);
	assert_true(one != two);
	/* Where a name ends and its value begins matters. */
	set(b, "user.one", "1");
	assert_int_equal(fremovexattr(b, "user.two"), 0);
	assert_int_equal(fremovexattr(a, "user.one"), 0);
	assert_int_equal(fremovexattr(a, "user.two"), 0);
	set(a, "user.on", "e1");
	assert_int_equal(copy_xattr_sum(a, 0, &one), 0);
	assert_int_equal(copy_xattr_sum(b, 0, &two), 0);
	assert_true(one != two);
}

/* An access list with a named user and a named group, as it lies on the disk. */
struct acl {
	uint32_t version;
	struct {
		uint16_t tag, perm;
		uint32_t id;
	} entries[6];
};

static struct acl acl_for(uint32_t user, uint32_t group)
{
	return (struct acl){ .version = 2,
			     .entries = { { 0x01, 6, 0xffffffff }, /* owner */
					  { 0x02, 4, user },
					  { 0x04, 4, 0xffffffff }, /* owning group */
					  { 0x08, 4, group },
					  { 0x10, 4, 0xffffffff }, /* mask */
					  { 0x20, 0, 0xffffffff } } };
}

static void test_ids_in_access_lists(void **state)
{
	scoped(drop_fd) int from = make("top/a");
	scoped(drop_fd) int to = make("top/b");
	struct acl acl = acl_for(201000, 202000), got = { 0 }, want = acl_for(1000, 2000);
	struct copy_how how = { .id_delta = -200000 };
	uint64_t one, two, three;

	(void)state;
	assert_int_equal(fsetxattr(from, ACL, &acl, sizeof(acl), 0), 0);
	assert_int_equal(copy_attrs(from, to, &how), 0);
	assert_int_equal(fgetxattr(to, ACL, &got, sizeof(got)), sizeof(got));
	assert_memory_equal(&got, &want, sizeof(got)); /* also that those without an id have none */
	assert_int_equal(copy_xattr_sum(from, -200000, &one), 0);
	assert_int_equal(copy_xattr_sum(to, 0, &two), 0);
	assert_int_equal(copy_xattr_sum(from, 0, &three), 0);
	assert_true(one == two && one != three);
	/* Gone again when the source has none. */
	assert_int_equal(fremovexattr(from, ACL), 0);
	assert_int_equal(copy_attrs(from, to, &how), 0);
	has(to, ACL, NULL);
}

static void test_default_access_list_of_a_directory(void **state)
{
	struct acl acl = acl_for(201000, 202000), got = { 0 }, want = acl_for(1000, 2000);
	struct copy_how how = { .id_delta = -200000 };
	scoped(drop_fd) int from = -1;
	scoped(drop_fd) int to = -1;

	(void)state;
	assert_int_equal(mkdir("top/a", 0755) | mkdir("top/b", 0700), 0);
	from = copy_open(AT_FDCWD, "top/a");
	to = copy_open(AT_FDCWD, "top/b");
	assert_int_equal(fsetxattr(from, "system.posix_acl_default", &acl, sizeof(acl), 0), 0);
	assert_int_equal(copy_attrs(from, to, &how), 0);
	assert_int_equal(fgetxattr(to, "system.posix_acl_default", &got, sizeof(got)), sizeof(got));
	assert_memory_equal(&got, &want, sizeof(got));
	assert_int_equal(stat_of(to).st_mode & 07777, 0755);
}

/* Root gives owners away; an ordinary user cannot, and does not try. */
static void test_owners(void **state)
{
	bool root = geteuid() == 0;
	struct copy_how how = { .owners = root, .id_delta = root ? -200000 : 5 };
	scoped(drop_fd) int from = make("top/a");
	scoped(drop_fd) int to = make("top/b");
	struct stat st;

	(void)state;
	if (root)
		assert_int_equal(fchown(from, 201000, 202000), 0);
	assert_int_equal(fchmod(from, root ? 06755 : 0755), 0);
	assert_int_equal(copy_attrs(from, to, &how), 0);
	st = stat_of(to);
	assert_int_equal(st.st_uid, root ? 1000 : geteuid());
	assert_int_equal(st.st_gid, root ? 2000 : getegid());
	assert_int_equal(st.st_mode & 07777,
			 root ? 06755 : 0755); /* a new owner takes the bits away: they must come after */
}

static const struct timespec long_ago[2] = { { 1000000000, 123456789 }, { 1111111111, 987654321 } };

static void test_times(void **state)
{
	scoped(drop_fd) int from = make("top/a");
	scoped(drop_fd) int to = make("top/b");
	struct stat st;

	(void)state;
	set(from, "user.x", "1"); /* whatever else is copied */
	assert_int_equal(futimens(from, long_ago), 0);
	assert_int_equal(copy_attrs(from, to, &plain), 0);
	st = stat_of(to);
	assert_int_equal(st.st_mtim.tv_sec, long_ago[1].tv_sec);
	assert_int_equal(st.st_mtim.tv_nsec, long_ago[1].tv_nsec);
	assert_int_equal(st.st_atim.tv_sec, long_ago[0].tv_sec);
	assert_int_equal(st.st_atim.tv_nsec, long_ago[0].tv_nsec);
}

/* Each kind of attribute can stay as it is. */
static void test_what_is_left(void **state)
{
	static const unsigned int bits[] = { COPY_MODE, COPY_XATTR, COPY_TIME };

	(void)state;
	for (unsigned int leave = 0; leave < 8; leave++) {
		struct copy_how how = { 0 };
		char name[32], copy[32];
		scoped(drop_fd) int from = -1;
		scoped(drop_fd) int to = -1;
		struct stat st;

		snprintf(name, sizeof(name), "top/%u", leave);
		snprintf(copy, sizeof(copy), "top/%u.copy", leave);
		from = make(name);
		to = make(copy);
		for (int i = 0; i < 3; i++)
			how.leave |= leave & (1u << i) ? bits[i] : 0;
		assert_int_equal(fchmod(from, 0711), 0);
		set(from, "user.x", "from");
		set(to, "user.x", "to");
		set(to, "user.y", "to");
		assert_int_equal(futimens(from, long_ago), 0);
		assert_int_equal(copy_attrs(from, to, &how), 0);
		st = stat_of(to);
		assert_int_equal(st.st_mode & 07777, leave & 1 ? 0644 : 0711);
		has(to, "user.x", leave & 2 ? "to" : "from");
		has(to, "user.y", leave & 2 ? "to" : NULL);
		assert_int_equal(st.st_mtim.tv_sec == long_ago[1].tv_sec, !(leave & 4));
	}
}

static void test_open_follows_nothing_and_waits_for_nothing(void **state)
{
	scoped(drop_fd) int fifo = -1;

	(void)state;
	close(make("top/a"));
	assert_int_equal(symlink("a", "top/l"), 0);
	assert_int_equal(copy_open(AT_FDCWD, "top/l"), -ELOOP);
	assert_int_equal(copy_open(AT_FDCWD, "top/missing"), -ENOENT);
	assert_int_equal(mkfifo("top/fifo", 0600), 0);
	fifo = copy_open(AT_FDCWD, "top/fifo"); /* else this waits for a writer for ever */
	assert_true(fifo >= 0);
}

/* In a process of its own, which ends up in a user namespace: a bit for each thing that is wrong. */
static int try_unreadable(uid_t user, const char *not_mine)
{
	int fd, dir, theirs;
	struct stat st;

	if (geteuid() == 0 && (setgid(user) < 0 || setuid(user) < 0 || prctl(PR_SET_DUMPABLE, 1) < 0))
		return 128;
	fd = copy_open(AT_FDCWD, "top/f");
	dir = copy_open(AT_FDCWD, "top/d");
	theirs = copy_open(AT_FDCWD, not_mine);
	return (fd < 0 ? 1 : 0) | (dir < 0 ? 2 : 0) | (theirs != -EACCES ? 4 : 0) |
	       (stat("top/f", &st) < 0 || st.st_mode & 07777 ? 8 : 0) |
	       (stat("top/d", &st) < 0 || st.st_mode & 07777 ? 16 : 0);
}

/* As an ordinary user, whoever runs the tests: root may read everything anyway. */
static void test_unreadable_files(void **state)
{
	bool root = geteuid() == 0;
	uid_t user = root ? 65534 : geteuid();
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(mkdir("top/d", 0755), 0);
	close(make("top/f"));
	close(make("top/not-mine"));
	if (root) {
		char top[PATH_MAX];

		assert_int_equal(chown("top/f", user, user) | chown("top/d", user, user), 0);
		assert_non_null(getcwd(top, sizeof(top)));
		assert_int_equal(chmod(top, 0755), 0);
		assert_int_equal(chmod("top/not-mine", 0), 0);
	}
	assert_int_equal(chmod("top/f", 0) | chmod("top/d", 0), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(try_unreadable(user, root ? "top/not-mine" : "/etc/shadow"));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(chmod("top/d", 0755), 0);
}

static void test_links(void **state)
{
	static char target[PATH_MAX], got[PATH_MAX];
	struct copy_how how = { .owners = geteuid() == 0, .id_delta = geteuid() == 0 ? -200000 : 0 };
	scoped(drop_fd) int dir = open("top", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	(void)state;
	memset(target, 'x', sizeof(target) - 1); /* the longest there is */
	assert_int_equal(symlinkat(target, dir, "long"), 0);
	assert_int_equal(symlinkat("nowhere/at/all", dir, "l"), 0);
	assert_int_equal(utimensat(dir, "l", long_ago, AT_SYMLINK_NOFOLLOW), 0);
	if (how.owners)
		assert_int_equal(fchownat(dir, "l", 201000, 202000, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(copy_link(dir, "l", dir, "copy", &how), 0);
	assert_int_equal(readlinkat(dir, "copy", got, sizeof(got)), 14);
	assert_memory_equal(got, "nowhere/at/all", 14);
	assert_int_equal(fstatat(dir, "copy", &st, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(st.st_mtim.tv_sec, long_ago[1].tv_sec);
	assert_int_equal(st.st_mtim.tv_nsec, long_ago[1].tv_nsec);
	if (how.owners) {
		assert_int_equal(st.st_uid, 1000);
		assert_int_equal(st.st_gid, 2000);
	}
	assert_int_equal(copy_link(dir, "long", dir, "long-copy", &plain), 0);
	assert_int_equal(readlinkat(dir, "long-copy", got, sizeof(got)), PATH_MAX - 1);
	assert_memory_equal(got, target, PATH_MAX - 1);
	assert_int_equal(copy_link(dir, "l", dir, "copy", &plain), -EEXIST);
	assert_int_equal(copy_link(dir, "missing", dir, "m", &plain), -ENOENT);
	close(make("top/file"));
	assert_int_equal(copy_link(dir, "file", dir, "m", &plain), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_data_of_every_size, setup, teardown),
		cmocka_unit_test_setup_teardown(test_holes_are_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(test_shorter_than_said, setup, teardown),
		cmocka_unit_test_setup_teardown(test_longer_than_said, setup, teardown),
		cmocka_unit_test_setup_teardown(test_xattrs_added_changed_removed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_xattrs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_overlay_marks, setup, teardown),
		cmocka_unit_test(test_which_xattrs),
		cmocka_unit_test_setup_teardown(test_sum_of_xattrs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ids_in_access_lists, setup, teardown),
		cmocka_unit_test_setup_teardown(test_default_access_list_of_a_directory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_owners, setup, teardown),
		cmocka_unit_test_setup_teardown(test_times, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_left, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open_follows_nothing_and_waits_for_nothing, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_unreadable_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_links, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
