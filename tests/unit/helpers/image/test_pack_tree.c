/* SPDX-License-Identifier: Apache-2.0 */
/* Layers as an archive: which entries it has, in which order, and what it does not depend on. */
#include "support/test.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/socket.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/scope.h"
#include "helpers/image/pack_tree.h"
#include "image/wire.h"

#define OPAQUE "user.overlay.opaque"

static int take_away(const char *path, const struct stat *st, int type, struct FTW *where)
{
	(void)st;
	(void)type;
	(void)where;
	return remove(path);
}

static int setup(void **state)
{
	char dir[] = "/var/tmp/test-pack-XXXXXX";

	umask(022);
	if (!mkdtemp(dir) || chdir(dir) < 0)
		return -1;
	*state = strdup(dir);
	return 0;
}

static int teardown(void **state)
{
	int r = chdir("/") | nftw(*state, take_away, 32, FTW_DEPTH | FTW_PHYS);

	free(*state);
	return r;
}

static void write_file(const char *path, const char *text)
{
	scoped(drop_fd) int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
}

static void make_dir(const char *path)
{
	assert_int_equal(mkdir(path, 0755), 0);
}

static void whiteout(const char *path)
{
	assert_int_equal(mknod(path, S_IFCHR, 0), 0);
}

static int sink(void *ctx, const void *data, size_t len)
{
	buf_add(ctx, data, len);
	return 0;
}

static struct pack_order order_of(const char *const *ups, size_t n)
{
	return (struct pack_order){
		.ups = ups, .n_ups = n, .newest = 1000, .most = 1 << 20, .ids = { .one_id = true }
	};
}

static int pack(const struct pack_order *order, struct buf *ret, struct pack_counts *counts,
		struct aisbx_error *e)
{
	return pack_tree(order, sink, ret, counts, e);
}

/* "TYPE MODE UID NAME[>TARGET][ xattrs]" of each entry, from its headers. */
static void list(const struct buf *tar, struct buf *ret)
{
	const char *pax = "";
	size_t pax_len = 0;

	for (size_t at = 0; at + 512 <= tar->len && tar->data[at];) {
		const char *h = tar->data + at;
		size_t size = strtoul(h + 124, NULL, 8);
		char type = h[156];

		assert_memory_equal(h + 257, "ustar\00000", 8);
		at += 512 + (size + 511) / 512 * 512;
		if (type == 'x') {
			pax = h + 512;
			pax_len = size;
			continue;
		}
		buf_addf(ret, "%c %lo %lu %.155s%s%.100s", type, strtoul(h + 100, NULL, 8),
			 strtoul(h + 108, NULL, 8), h + 345, h[345] ? "|" : "", h);
		if (h[157])
			buf_addf(ret, ">%.100s", h + 157);
		if (pax_len) {
			buf_add(ret, " ", 1);
			for (size_t i = 0; i + 1 < pax_len; i++)
				buf_add(ret, pax[i] ? &pax[i] : "@", 1);
		}
		pax_len = 0;
		buf_add(ret, "\n", 1);
	}
	assert_non_null(buf_str(ret));
}

static void assert_list(const struct pack_order *order, const char *wanted)
{
	scoped(buf_finish) struct buf tar = { 0 };
	scoped(buf_finish) struct buf text = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct pack_counts counts;

	assert_int_equal(pack(order, &tar, &counts, &e), 0);
	assert_int_equal(tar.len % 512, 0);
	list(&tar, &text);
	assert_string_equal(text.data, wanted);
}

static void test_order_and_kinds(void **state)
{
	const char *const ups[] = { "up" };
	struct pack_order order = order_of(ups, 1);

	(void)state;
	make_dir("up");
	write_file("up/b", "12345");
	make_dir("up/a");
	write_file("up/a/x", "");
	write_file("up/a-b", "1");
	assert_int_equal(symlink("/etc/passwd", "up/link"), 0);
	assert_int_equal(mkfifo("up/fifo", 0640), 0);
	assert_int_equal(link("up/b", "up/a/same"), 0);
	assert_int_equal(chmod("up/a-b", 04755), 0);
	assert_list(&order, "5 755 0 a/\n0 644 0 a/same\n0 644 0 a/x\n0 4755 0 a-b\n1 644 0 b>a/same\n"
			    "6 640 0 fifo\n2 777 0 link>/etc/passwd\n");
}

static void test_deleted(void **state)
{
	const char *const ups[] = { "one", "two" }, *const below[] = { "below" }, *const none[] = { NULL };
	struct pack_order order = order_of(ups, 2);

	(void)state;
	make_dir("one");
	make_dir("one/d");
	write_file("one/d/old", "");
	write_file("one/gone", "");
	make_dir("two");
	make_dir("two/d");
	assert_int_equal(setxattr("two/d", OPAQUE, "y", 1, 0), 0);
	write_file("two/d/new", "");
	whiteout("two/d/hidden");
	whiteout("two/gone");
	whiteout("two/other");
	assert_list(
		&order,
		"0 600 0 .wh.gone\n0 600 0 .wh.other\n5 755 0 d/\n0 600 0 d/.wh..wh..opq\n0 644 0 d/new\n");

	make_dir("below");
	make_dir("below/d");
	write_file("below/other", "");
	order.below = below;
	order.n_below = 1;
	assert_list(&order, "0 600 0 .wh.other\n5 755 0 d/\n0 644 0 d/new\n");
	write_file("below/d/seen", "");
	assert_list(&order, "0 600 0 .wh.other\n5 755 0 d/\n0 600 0 d/.wh..wh..opq\n0 644 0 d/new\n");

	order.below = none;
	order.n_below = 0;
	assert_list(&order, "5 755 0 d/\n0 644 0 d/new\n");
}

static void test_owners_and_attributes(void **state)
{
	const char *const ups[] = { "up" };
	struct pack_order order = order_of(ups, 1);

	(void)state;
	make_dir("up");
	write_file("up/a", "");
	assert_int_equal(setxattr("up/a", IMAGE_OWNER_XATTR, "33:5000000", 10, 0), 0);
	write_file("up/b", "");
	assert_int_equal(setxattr("up/b", IMAGE_OWNER_XATTR, "7:8:4644", 8, 0), 0);
	assert_int_equal(setxattr("up/b", "user.z", "a\0b", 3, 0), 0);
	assert_int_equal(setxattr("up/b", "user.overlay.origin", "x", 1, 0), 0);
	assert_int_equal(setxattr("up/b", "user.y", "", 0, 0), 0);
	write_file("up/c", "");
	assert_int_equal(setxattr("up/c", IMAGE_OWNER_XATTR, "-1:2", 4, 0), 0);
	assert_int_equal(setxattr("up/c", "user.a=b", "1", 1, 0), 0);
	assert_list(&order, "0 644 33 a 15 gid=5000000\n0 4644 7 b 24 SCHILY.xattr.user.y=\n"
			    "27 SCHILY.xattr.user.z=a@b\n0 644 0 c\n");
}

static void test_long_names(void **state)
{
	const char *const ups[] = { "up" };
	struct pack_order order = order_of(ups, 1);
	char path[512], wanted[1024];

	(void)state;
	make_dir("up");
	snprintf(path, sizeof(path), "up/%0100d", 1);
	write_file(path, "");
	snprintf(path, sizeof(path), "up/%0101d", 2);
	write_file(path, "");
	make_dir("up/dir");
	snprintf(path, sizeof(path), "up/dir/%0100d", 3);
	write_file(path, "");
	/* Sorted by bytes: the longer one has one zero more. */
	snprintf(wanted, sizeof(wanted),
		 "0 644 0 %0100d 111 path=%0101d\n0 644 0 %0100d\n5 755 0 dir/\n0 644 0 dir|%0100d\n", 0, 2,
		 1, 3);
	assert_list(&order, wanted);
}

static void test_refused(void **state)
{
	const char *const ups[] = { "up" };
	struct pack_order order = order_of(ups, 1);
	scoped(buf_finish) struct buf tar = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct pack_counts counts;

	(void)state;
	make_dir("up");
	make_dir("up/d");
	write_file("up/d/.wh.passwd", "");
	assert_int_equal(pack(&order, &tar, &counts, &e), -EINVAL);
	assert_non_null(strstr(e.text, "d/.wh.passwd"));
}

static void test_left_out(void **state)
{
	const char *const ups[] = { "up" };
	struct pack_order order = order_of(ups, 1);
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "up/socket" };
	scoped(drop_fd) int s = socket(AF_UNIX, SOCK_STREAM, 0);
	scoped(buf_finish) struct buf tar = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct pack_counts counts;

	(void)state;
	make_dir("up");
	assert_int_equal(bind(s, (struct sockaddr *)&address, sizeof(address)), 0);
	write_file("up/f", "");
	assert_int_equal(setxattr("up/f", "user.a=b", "", 0, 0), 0);
	assert_int_equal(pack(&order, &tar, &counts, &e), 0);
	assert_int_equal(counts.left_out, 2);
	assert_int_equal(counts.files, 1);
}

/* Files of two layers that share one inode are two files. */
static void test_shared_inodes(void **state)
{
	const char *const ups[] = { "one", "two" };
	struct pack_order order = order_of(ups, 2);

	(void)state;
	make_dir("one");
	make_dir("two");
	write_file("one/a", "");
	assert_int_equal(link("one/a", "two/b"), 0);
	assert_list(&order, "0 644 0 a\n0 644 0 b\n");
}

static void fill(const char *root, const int *turn)
{
	char path[64];

	make_dir(root);
	for (int i = 0; i < 6; i++) {
		snprintf(path, sizeof(path), "%s/%d", root, turn[i]);
		if (turn[i] % 2) {
			make_dir(path);
		} else {
			write_file(path, "content");
		}
	}
}

static void test_same_bytes(void **state)
{
	const char *const one[] = { "one" }, *const two[] = { "two" };
	struct pack_order order = order_of(one, 1);
	scoped(buf_finish) struct buf a = { 0 };
	scoped(buf_finish) struct buf b = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct pack_counts counts;

	(void)state;
	fill("one", (const int[]){ 0, 1, 2, 3, 4, 5 });
	fill("two", (const int[]){ 5, 3, 0, 4, 1, 2 });
	assert_int_equal(pack(&order, &a, &counts, &e), 0);
	order.ups = two;
	assert_int_equal(pack(&order, &b, &counts, &e), 0);
	assert_int_equal(a.len, b.len);
	assert_memory_equal(a.data, b.data, a.len);
}

static void test_owner_text(void **state)
{
	static const struct {
		const char *text;
		int r;
	} cases[] = { { "0:0", 0 },         { "4294967294:1", 0 },  { "4294967295:1", -EINVAL },
		      { "1:", -EINVAL },    { "1", -EINVAL },       { ":1", -EINVAL },
		      { "1:2:", -EINVAL },  { "1:2:7777", 0 },      { "1:2:10000", -EINVAL },
		      { "1:2:8", -EINVAL }, { "1:2:3:4", -EINVAL }, { "01:2", -EINVAL },
		      { " 1:2", -EINVAL },  { "", -EINVAL } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint32_t uid = 9, gid = 9;
		mode_t mode = 0;
		int r = pack_owner_parse(cases[i].text, strlen(cases[i].text), &uid, &gid, &mode);

		if (r != cases[i].r)
			fail_msg("'%s': %d", cases[i].text, r);
		if (r < 0)
			assert_true(uid == 9 && gid == 9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order_and_kinds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_deleted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_owners_and_attributes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_left_out, setup, teardown),
		cmocka_unit_test_setup_teardown(test_shared_inodes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_same_bytes, setup, teardown),
		cmocka_unit_test(test_owner_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
