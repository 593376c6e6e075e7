/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes where_parse: whatever a person asks, the statement is made of words of the table and numbers of
 * parameters. */
#include <stdlib.h>
#include <string.h>

#include "fleet/collect/where.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(bool truth)
{
	if (!truth)
		__builtin_trap();
}

/* Each $N once, from 1 on; quotes only around words of the table; nothing that ends a statement. */
static void must_be_closed(const struct where *w)
{
	size_t next = 1, quotes = 0;

	for (const char *c = w->sql.data; *c; c++) {
		quotes += *c == '\'';
		if (*c == '$')
			must(strtoul(c + 1, NULL, 10) == next++);
		must(*c != ';' && *c != '"' && *c != '\\' && *c > 0);
	}
	must(next == w->params.n + 1 && quotes % 2 == 0 && w->params.n <= WHERE_TERMS_MAX);
	must(!strstr(w->sql.data, "--") && !strstr(w->sql.data, "/*"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	char *text = strndup((const char *)data, len);
	struct where w;

	must(text != NULL);
	if (where_parse(text, &w, &e) == 0) {
		must_be_closed(&w);
		where_finish(&w);
	} else {
		must(e.code < 0 && *e.text);
	}
	free(text);
	return 0;
}
