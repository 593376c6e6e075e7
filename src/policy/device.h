/* SPDX-License-Identifier: Apache-2.0 */
/* Which devices of the machine no box gets, whoever asks. Makes no system calls. */
#ifndef POLICY_DEVICE_H
#define POLICY_DEVICE_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Why a box does not get a device; NULL: it may. MODE: its type. DRIVER: what /proc/devices calls the major
 * number of a character device; "" if it is not known.
 */
const char *device_refusal(mode_t mode, unsigned int major, unsigned int minor, const char *driver);

/* Names in /dev of graphics processors, as patterns. NULL-terminated. */
extern const char *const device_gpu_patterns[];

#endif
