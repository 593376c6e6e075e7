/* SPDX-License-Identifier: Apache-2.0 */
/* What intents are called; apart from finding them, for who only reads a file that names them. */
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
