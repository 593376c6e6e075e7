/* SPDX-License-Identifier: Apache-2.0 */
/* How often somebody may ask: a bucket that fills with time. Pure: it is told the time, of a monotonic clock.
 */
#ifndef SERVER_HTTP_RATE_H
#define SERVER_HTTP_RATE_H

#include <stdbool.h>
#include <stdint.h>

#define RATE_MAX 1000000u

/* N in PER_MS, and as many at once; 0: no limit. */
struct rate {
	uint32_t n, per_ms;
};

/* All zero: full. */
struct bucket {
	uint64_t have; /* a request takes per_ms of it, each millisecond adds n */
	uint64_t at_ms;
};

/* "10/s", "600/m", "5000/h"; a number alone is per second. */
bool rate_read(const char *text, struct rate *ret);
/* 0: one more is allowed, and taken. Else in so many milliseconds. */
uint32_t bucket_take(struct bucket *b, const struct rate *rate, uint64_t now_ms);

#endif
