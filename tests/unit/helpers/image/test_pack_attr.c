/* SPDX-License-Identifier: Apache-2.0 */
/* Owner, mode and attributes of files that a box wrote: what is believed, what is left out. */
#include "support/test.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "helpers/image/pack_attr.h"
#include "image/wire.h"

static void owners(void **state)
{
	static const struct {
		const char *text;
		bool good;
		uint32_t uid, gid;
		mode_t mode; /* 1: as it was */
	} cases[] = {
		{ "0:0", true, 0, 0, 1 },
		{ "1000:100", true, 1000, 100, 1 },
		{ "4294967294:1", true, 4294967294u, 1, 1 },
		{ "1:2:4755", true, 1, 2, 04755 },
		{ "1:2:0", true, 1, 2, 0 },
		{ "4294967295:1", false, 0, 0, 0 },
		{ "99999999999999999999:1", false, 0, 0, 0 },
		{ "01:1", false, 0, 0, 0 },
		{ "1:2:8", false, 0, 0, 0 },
		{ "1:2:17777", false, 0, 0, 0 },
		{ "1:2:755:1", false, 0, 0, 0 },
		{ "1:2:", false, 0, 0, 0 },
		{ "1:", false, 0, 0, 0 },
		{ "1", false, 0, 0, 0 },
		{ ":1", false, 0, 0, 0 },
		{ "", false, 0, 0, 0 },
		{ "-1:1", false, 0, 0, 0 },
		{ "1 :1", false, 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t uid = 7, gid = 7;
		mode_t mode = 1;
		int r = pack_owner_parse(cases[i].text, strlen(cases[i].text), &uid, &gid, &mode);
		bool same = cases[i].good
				    ? uid == cases[i].uid && gid == cases[i].gid && mode == cases[i].mode
				    : uid == 7 && gid == 7 && mode == 1;

		if (r != (cases[i].good ? 0 : -EINVAL) || !same)
			fail_msg("'%s': %d %u:%u %o", cases[i].text, r, uid, gid, mode);
	}
}

/* A file without a name, where attributes of users can be. */
static int make_file(void **state)
{
	int *fd = malloc(sizeof(*fd));

	if (!fd)
		return -1;
	*fd = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0644);
	*state = fd;
	return *fd < 0 ? -1 : 0;
}

static int drop_file(void **state)
{
	int r = close(*(int *)*state);

	free(*state);
	return r;
}

static struct pack_attrs attrs_of(int fd, const struct pack_ids *ids, uid_t uid, gid_t gid, mode_t mode)
{
	struct stat st = { .st_uid = uid, .st_gid = gid, .st_mode = S_IFREG | mode };
	struct pack_attrs a = { 0 };

	assert_int_equal(pack_attrs_read(fd, &st, ids, &a), 0);
	return a;
}

static void check_owner(int fd, struct pack_ids ids, uid_t uid, gid_t gid, mode_t mode, uint32_t want_uid,
			uint32_t want_gid, mode_t want_mode)
{
	struct pack_attrs a = attrs_of(fd, &ids, uid, gid, mode);

	assert_int_equal(a.uid, want_uid);
	assert_int_equal(a.gid, want_gid);
	assert_int_equal(a.mode, want_mode);
	pack_attrs_finish(&a);
}

static void note(int fd, const char *text)
{
	assert_int_equal(fsetxattr(fd, IMAGE_OWNER_XATTR, text, strlen(text), 0), 0);
}

static void where_owners_come_from(void **state)
{
	const struct pack_ids all = { 0 }, shifted = { .shift = 100000 }, one = { .one_id = true },
			      sub = { .sub = true };
	int fd = *(int *)*state;

	check_owner(fd, all, 5, 6, 0640, 5, 6, 0640);
	check_owner(fd, shifted, 100005, 100006, 0640, 5, 6, 0640);
	check_owner(fd, shifted, 5, 100000 + 65536, 0640, 65534, 65534, 0640); /* of this machine */
	check_owner(fd, one, 1000, 1000, 0640, 0, 0, 0640);
	note(fd, "7:8:4640");
	check_owner(fd, all, 5, 6, 0640, 5, 6, 0640); /* nobody wrote it for us */
	check_owner(fd, one, 1000, 1000, 0640, 7, 8, 04640);
	check_owner(fd, one, 1000, 1000, 0600, 7, 8, 0600); /* other permissions since */
	check_owner(fd, shifted, 5, 100006, 0640, 7, 6, 0640);
	check_owner(fd, sub, 7, 8, 0640, 7, 8, 04640);
	check_owner(fd, sub, 9, 8, 0640, 9, 8, 0640); /* another owner since */
	note(fd, "nonsense");
	check_owner(fd, one, 1000, 1000, 0640, 0, 0, 0640);
	check_owner(-1, one, 1000, 1000, 0640, 0, 0, 0640);
}

static void put(int fd, const char *name, const char *value)
{
	assert_int_equal(fsetxattr(fd, name, value, strlen(value), 0), 0);
}

static void attributes(void **state)
{
	const struct pack_ids ids = { .one_id = true };
	int fd = *(int *)*state;
	struct pack_attrs a;

	put(fd, "user.z", "last");
	put(fd, "user.a", "first");
	put(fd, "user.empty", "");
	put(fd, "user.overlay.opaque", "y");
	put(fd, "user.aisbx.other", "x");
	put(fd, "user.a=b", "no archive can hold it");
	a = attrs_of(fd, &ids, 0, 0, 0644);
	assert_int_equal(a.n_xattrs, 3);
	assert_int_equal(a.left_out, 1);
	assert_string_equal(a.xattrs[0].name, "user.a");
	assert_memory_equal(a.xattrs[0].value, "first", 5);
	assert_int_equal(a.xattrs[1].len, 0);
	assert_string_equal(a.xattrs[2].name, "user.z");
	pack_attrs_finish(&a);
}

static void many_attributes(void **state)
{
	const struct pack_ids ids = { 0 };
	int fd = *(int *)*state;
	struct pack_attrs a;
	char name[64];

	for (int i = 0; i < 40; i++) { /* a list of more than 1024 bytes */
		snprintf(name, sizeof(name), "user.a-long-name-of-an-attribute-%d", i);
		put(fd, name, "v");
	}
	a = attrs_of(fd, &ids, 0, 0, 0644);
	assert_int_equal(a.n_xattrs, 40);
	pack_attrs_finish(&a);
}

/* Only root can give a file capabilities, and only here are they of a namespace with another root. */
static void capabilities(void **state)
{
	struct vfs_ns_cap_data v3 = { .magic_etc = VFS_CAP_REVISION_3 | VFS_CAP_FLAGS_EFFECTIVE,
				      .rootid = 100000 };
	struct vfs_cap_data v2 = { .magic_etc = VFS_CAP_REVISION_2 };
	const struct pack_ids same = { .shift = 100000 }, other = { .shift = 200000 };
	int fd = *(int *)*state;
	struct pack_attrs a;

	if (fsetxattr(fd, "security.capability", &v3, sizeof(v3), 0) < 0) {
		assert_int_equal(errno, EPERM);
		assert_int_not_equal(geteuid(), 0);
		return;
	}
	a = attrs_of(fd, &same, 100000, 100000, 0755);
	assert_int_equal(a.n_xattrs, 1);
	assert_int_equal(a.xattrs[0].len, sizeof(v2));
	memcpy(&v2, a.xattrs[0].value, sizeof(v2));
	assert_int_equal(v2.magic_etc, VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE);
	pack_attrs_finish(&a);
	a = attrs_of(fd, &other, 200000, 200000, 0755);
	assert_int_equal(a.n_xattrs, 0);
	assert_int_equal(a.left_out, 1);
	pack_attrs_finish(&a);
	v2 = (struct vfs_cap_data){ .magic_etc = VFS_CAP_REVISION_2 };
	assert_int_equal(fsetxattr(fd, "security.capability", &v2, sizeof(v2), 0), 0);
	a = attrs_of(fd, &other, 200000, 200000, 0755);
	assert_int_equal(a.n_xattrs, 1);
	pack_attrs_finish(&a);
}

static void unreadable(void **state)
{
	const struct pack_ids ids = { 0 };
	struct stat st = { .st_mode = S_IFREG | 0644 };
	struct pack_attrs a = { 0 };

	(void)state;
	assert_int_equal(pack_attrs_read(1 << 20, &st, &ids, &a), -EBADF);
	assert_null(a.xattrs);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, make_file, drop_file)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(owners), T(where_owners_come_from), T(attributes),
		T(many_attributes),       T(capabilities),           cmocka_unit_test(unreadable)
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
