/* SPDX-License-Identifier: Apache-2.0 */
/* The one source of chance of a simulated world: splitmix64, so that a seed is a whole world. */
#ifndef SIM_RNG_H
#define SIM_RNG_H

#include <stdbool.h>
#include <stdint.h>

struct sim_rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct sim_rng *rng)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* 0 to N - 1. */
static inline uint64_t rng_below(struct sim_rng *rng, uint64_t n)
{
	return n ? rng_next(rng) % n : 0;
}

static inline uint64_t rng_between(struct sim_rng *rng, uint64_t least, uint64_t most)
{
	return least + rng_below(rng, most - least + 1);
}

/* So often of 10,000. */
static inline bool rng_chance(struct sim_rng *rng, unsigned of_10000)
{
	return of_10000 && rng_below(rng, 10000) < of_10000;
}

/* Mostly little, seldom nearly MOST. */
static inline uint64_t rng_tail(struct sim_rng *rng, uint64_t least, uint64_t most)
{
	return least + rng_below(rng, ((most - least) >> rng_below(rng, 10)) + 1);
}

/* Likewise, but half of the time anything. */
static inline uint64_t rng_mixed(struct sim_rng *rng, uint64_t least, uint64_t most)
{
	return rng_next(rng) & 1 ? rng_between(rng, least, most) : rng_tail(rng, least, most);
}

#endif
