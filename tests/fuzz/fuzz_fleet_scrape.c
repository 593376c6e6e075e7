/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes the reader of requests for metrics: what it has decided does not change when more comes, up to its
 * limit. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/agent/scrape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *text = (const char *)data;
	enum scrape_request whole, decided = SCRAPE_MORE;

	if (len > SCRAPE_REQUEST_MAX || !len)
		return 0;
	whole = scrape_read(text, len);
	for (size_t n = 1; n <= len && decided == SCRAPE_MORE; n++) {
		char *piece = malloc(n); /* exactly so long, so that a read beyond it is seen */

		must(piece != NULL);
		memcpy(piece, text, n);
		decided = scrape_read(piece, n);
		free(piece);
	}
	must(whole == SCRAPE_BAD || decided == whole);
	if (whole == SCRAPE_METRICS)
		must(!strncmp(text, "GET /metrics", 12));
	return 0;
}
