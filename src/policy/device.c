/* SPDX-License-Identifier: Apache-2.0 */
/* The table of refused devices: by number where that is fixed, else by the name of the driver. */
#include "policy/device.h"

#include <fnmatch.h>
#include <stddef.h>
#include <sys/stat.h>

#define ANY 0xffffffffu

#define MEMORY   "it is the memory or the ports of the machine"
#define DISK     "it leads to disks, past all files and permissions"
#define KEYBOARD "it hears every key, or presses some"
#define TERMINAL "it is a terminal, perhaps yours: what is written to it looks as if you typed or saw it"
#define MACHINE  "it controls the machine itself"
#define KEYS     "it holds keys, or signs with them"

static const struct {
	unsigned int major, minor;
	const char *why;
} numbers[] = {
	{ 1, 1, MEMORY },
	{ 1, 2, MEMORY },
	{ 1, 4, MEMORY },
	{ 1, 6, MEMORY },
	{ 1, 11, "it is the log of the kernel" },
	{ 4, ANY, TERMINAL },
	{ 5, 1, TERMINAL },
	{ 5, 2, "a box has terminals of its own" },
	{ 7, ANY, TERMINAL },
	{ 10, 1, KEYBOARD },
	{ 10, 130, MACHINE },
	{ 10, 134, MACHINE },
	{ 10, 144, MACHINE },
	{ 10, 223, KEYBOARD },
	{ 10, 224, KEYS },
	{ 10, 227, MACHINE },
	{ 10, 231, MACHINE },
	{ 10, 234, DISK },
	{ 10, 235, DISK },
	{ 10, 236, DISK },
	{ 10, 237, DISK },
	{ 13, ANY, KEYBOARD },
	{ 21, ANY, DISK },
	{ 136, ANY, TERMINAL },
	{ 137, ANY, TERMINAL },
	{ 162, ANY, DISK },
	{ 189, ANY, "it is a USB device: a disk, a keyboard or a key" },
	{ 202, ANY, MACHINE },
	{ 203, ANY, MACHINE },
};

/* Their numbers differ from machine to machine. */
static const struct {
	const char *driver, *why;
} drivers[] = {
	{ "nvme*", DISK },        { "bsg", DISK },
	{ "sg", DISK },           { "raw", DISK },
	{ "mpt*ctl", DISK },      { "megaraid*", DISK },
	{ "hidraw", KEYBOARD },   { "input", KEYBOARD },
	{ "tpm*", KEYS },         { "ipmi*", MACHINE },
	{ "mei*", MACHINE },      { "watchdog", MACHINE },
	{ "ttyS", TERMINAL },     { "tty*", TERMINAL },
	{ "pts", TERMINAL },      { "usb_device", "it is a USB device: a disk, a keyboard or a key" },
	{ "vfio*", MACHINE },     { "i2c*", MACHINE },
	{ "gpiochip*", MACHINE }, { "spi*", MACHINE },
	{ "mtd*", DISK },         { "ubi*", DISK },
	{ "cec", MACHINE },       { "pps", MACHINE },
	{ "ptp", MACHINE },       { "cpu/*", MACHINE },
	{ "mcelog", MACHINE },    { "uio*", MEMORY },
};

const char *const device_gpu_patterns[] = { "dri/card*",
					    "dri/renderD*",
					    "nvidia[0-9]*",
					    "nvidiactl",
					    "nvidia-modeset",
					    "nvidia-uvm",
					    "nvidia-uvm-tools",
					    "kfd",
					    "nvidia-caps/nvidia-cap*",
					    NULL };

const char *device_refusal(mode_t mode, unsigned int major, unsigned int minor, const char *driver)
{
	if (S_ISBLK(mode))
		return "it is a disk: a box has no way past the files of the machine";
	if (!S_ISCHR(mode))
		return "it is not a device";
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (numbers[i].major == major && (numbers[i].minor == minor || numbers[i].minor == ANY))
			return numbers[i].why;
	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (fnmatch(drivers[i].driver, driver, 0) == 0)
			return drivers[i].why;
	return NULL;
}
