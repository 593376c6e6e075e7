/* SPDX-License-Identifier: Apache-2.0 */
/* What a tarball is told by: its first bytes. */
#include "support/test.h"

#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "helpers/image/stream.h"

static void test_packing(void **state)
{
	(void)state;
	assert_int_equal(packing_of("\x1f\x8b\x08", 3), PACKING_GZIP);
	assert_int_equal(packing_of("\x28\xb5\x2f\xfd", 4), PACKING_ZSTD);
	assert_int_equal(packing_of("\xfd"
				    "7zXZ\0",
				    6),
			 PACKING_XZ);
	assert_int_equal(packing_of("BZh9", 4), PACKING_BZIP2);
	assert_int_equal(packing_of("\x1f", 1), PACKING_NONE);
	assert_int_equal(packing_of("", 0), PACKING_NONE);
	assert_int_equal(packing_of("PK\3\4", 4), PACKING_NONE);
}

static void test_tar(void **state)
{
	char block[512] = "name";
	unsigned int sum = 'n' + 'a' + 'm' + 'e' + 8 * ' ';

	(void)state;
	assert_false(tar_begins(block, sizeof(block)));
	sprintf(block + 148, "%06o", sum);
	block[155] = ' ';
	assert_true(tar_begins(block, sizeof(block)));
	assert_false(tar_begins(block, 511));
	block[3]++;
	assert_false(tar_begins(block, sizeof(block)));
	memset(block, 0, sizeof(block));
	assert_true(tar_begins(block, sizeof(block))); /* an archive of nothing */
	memset(block, ' ', sizeof(block));
	assert_false(tar_begins(block, sizeof(block)));
}

/* N zeros, packed by gzip, in a file. */
static int packed_zeros(size_t n, size_t cut)
{
	int fd = memfd_create("t", 0);
	gzFile z = gzdopen(dup(fd), "w9");
	static const char zeros[65536];

	for (; n; n -= n < sizeof(zeros) ? n : sizeof(zeros))
		gzwrite(z, zeros, (unsigned int)(n < sizeof(zeros) ? n : sizeof(zeros)));
	gzclose(z);
	assert_int_equal(ftruncate(fd, lseek(fd, 0, SEEK_END) - (off_t)cut), 0);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static ssize_t unpack(int fd, uint64_t most, struct aisbx_error *e)
{
	struct stream_file file;
	struct stream_peeked peeked;
	struct stream_unpacked s;
	char chunk[4096];
	ssize_t n, all = 0;
	int r;

	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	stream_of_file(&file, fd);
	assert_int_equal(stream_peek(&peeked, &file.stream, e), 0);
	r = stream_unpack(&s, &peeked.stream, most, e);
	while (r == 0 && (n = s.stream.read(&s.stream, chunk, sizeof(chunk), e)) != 0) {
		r = n < 0 ? (int)n : 0;
		all += n;
	}
	stream_unpacked_finish(&s);
	close(fd);
	return r < 0 ? r : all;
}

/* attacks 60 and 65 */
static void test_unpack(void **state)
{
	struct aisbx_error e;

	(void)state;
	assert_int_equal(unpack(packed_zeros(10000, 0), 10000, &e), 10000);
	assert_failed((int)unpack(packed_zeros(10000, 0), 9999, &e), EFBIG, e, "9999");
	assert_failed((int)unpack(packed_zeros(64 << 20, 0), 1 << 20, &e), EFBIG, e, "1048576");
	assert_failed((int)unpack(packed_zeros(100000, 20), 100000, &e), EBADMSG, e, "unpacked");
	assert_int_equal(unpack(memfd_create("t", 0), 1, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_packing), cmocka_unit_test(test_tar),
					    cmocka_unit_test(test_unpack) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
