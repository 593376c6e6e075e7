/* SPDX-License-Identifier: Apache-2.0 */
/* Names of intents; separate from finding them, for code that only reads a file with these names. */
#include <string.h>

#include "project/intent.h"

const char *const intent_names[] = { "run", "test", "build", "format", "lint", "bench", NULL };

enum intent intent_by_name(const char *name)
{
	size_t i = 0;

	while (intent_names[i] && strcmp(intent_names[i], name) != 0)
		i++;
	return (enum intent)i;
}

const char *const intent_facts[INTENT_COUNT] = {
	[INTENT_TEST] = "tests",    [INTENT_BUILD] = "build", [INTENT_LINT] = "lint",
	[INTENT_FORMAT] = "format", [INTENT_BENCH] = "bench",
};
