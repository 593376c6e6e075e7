/* SPDX-License-Identifier: Apache-2.0 */
/* A token bucket in whole numbers, so that nothing is lost by rounding. */
#include "server/http/rate.h"

#include <string.h>

#include "base/str.h"

bool rate_read(const char *text, struct rate *ret)
{
	static const struct {
		const char *unit;
		uint32_t ms;
	} units[] = { { "", 1000 }, { "/s", 1000 }, { "/m", 60000 }, { "/h", 3600000 } };
	const size_t digits = strspn(text, "0123456789");
	char number[16];
	uint64_t n;

	if (!digits || digits >= sizeof(number))
		return false;
	memcpy(number, text, digits);
	number[digits] = '\0';
	if (!str_to_u64(number, &n) || !n || n > RATE_MAX)
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(text + digits, units[i].unit)) {
			*ret = (struct rate){ (uint32_t)n, units[i].ms };
			return true;
		}
	return false;
}

uint32_t bucket_take(struct bucket *b, const struct rate *rate, uint64_t now_ms)
{
	const uint64_t full = (uint64_t)rate->n * rate->per_ms;
	const uint64_t passed = now_ms - b->at_ms;

	if (!rate->n)
		return 0;
	b->have = !b->at_ms || passed >= rate->per_ms || b->have + passed * rate->n > full
			  ? full
			  : b->have + passed * rate->n;
	b->at_ms = now_ms;
	if (b->have >= rate->per_ms) {
		b->have -= rate->per_ms;
		return 0;
	}
	return (uint32_t)((rate->per_ms - b->have + rate->n - 1) / rate->n);
}
