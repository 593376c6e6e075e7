/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices no box gets: by type, by number, by driver. */
#include "support/test.h"

#include <sys/stat.h>

#include "policy/device.h"

static void test_refused(void **state)
{
	static const struct {
		unsigned int major, minor;
		const char *driver;
	} rows[] = {
		{ 1, 1, "mem" },
		{ 1, 2, "mem" },
		{ 1, 4, "mem" },
		{ 1, 11, "mem" },
		{ 4, 1, "tty" },
		{ 4, 64, "ttyS" },
		{ 5, 1, "" },
		{ 5, 2, "" },
		{ 7, 0, "vcs" },
		{ 10, 223, "misc" },
		{ 10, 237, "misc" },
		{ 10, 236, "misc" },
		{ 13, 64, "input" },
		{ 21, 0, "sg" },
		{ 136, 3, "pts" },
		{ 189, 1, "usb_device" },
		{ 202, 0, "cpu/msr" },
		{ 240, 0, "nvme" },
		{ 241, 1, "nvme-generic" },
		{ 242, 0, "hidraw" },
		{ 243, 0, "tpm" },
		{ 244, 0, "vfio" },
		{ 245, 0, "bsg" },
		{ 246, 0, "ttyUSB" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!device_refusal(S_IFCHR | 0666, rows[i].major, rows[i].minor, rows[i].driver))
			fail_msg("%u:%u of '%s' is not refused", rows[i].major, rows[i].minor,
				 rows[i].driver);
	assert_non_null(device_refusal(S_IFBLK | 0666, 259, 0, ""));
	assert_non_null(device_refusal(S_IFREG | 0666, 0, 0, ""));
	assert_non_null(device_refusal(S_IFDIR | 0777, 0, 0, ""));
	assert_non_null(device_refusal(S_IFLNK | 0777, 0, 0, ""));
}

static void test_shown(void **state)
{
	static const struct {
		unsigned int major, minor;
		const char *driver;
	} rows[] = { { 1, 3, "mem" },      { 10, 229, "misc" },      { 10, 200, "misc" },
		     { 10, 232, "misc" },  { 226, 0, "drm" },        { 226, 128, "drm" },
		     { 195, 0, "nvidia" }, { 235, 0, "nvidia-uvm" }, { 81, 0, "video4linux" },
		     { 116, 1, "alsa" } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (device_refusal(S_IFCHR | 0660, rows[i].major, rows[i].minor, rows[i].driver))
			fail_msg("%u:%u of '%s' is refused", rows[i].major, rows[i].minor, rows[i].driver);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_refused), cmocka_unit_test(test_shown) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
