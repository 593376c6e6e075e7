/* SPDX-License-Identifier: Apache-2.0 */
/* Monotonic time, for deadlines never look at the wall clock; times of files compared. */
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

/* Less than, equal to or greater than 0, as A is before, at or after B. */
static inline int time_compare(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? (a.tv_sec > b.tv_sec ? 1 : -1)
				    : (a.tv_nsec > b.tv_nsec) - (a.tv_nsec < b.tv_nsec);
}

#endif
