/* SPDX-License-Identifier: Apache-2.0 */
/* Monotonic time; deadlines never look at the wall clock. */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stdint.h>
#include <time.h>

static inline uint64_t time_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u;
}

static inline uint64_t time_ms(void)
{
	return time_us() / 1000u;
}

#endif
