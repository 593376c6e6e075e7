/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a person asks of the history, "node=a kind=run status=failed since=1d", as a condition with
 * parameters. Nothing of a person's text becomes SQL: words are looked up in a table, values are parameters.
 */
#ifndef FLEET_COLLECT_WHERE_H
#define FLEET_COLLECT_WHERE_H

#include "aisbx/error.h"
#include "base/buf.h"
#include "base/str.h"

#define WHERE_TERMS_MAX 64

struct where {
	struct buf sql;        /* "true AND node = $1", ends with a NUL */
	struct strlist params; /* $1 and so on */
};

void where_finish(struct where *w);
/* Terms are KEY=VALUE, KEY!=VALUE, KEY~PART and, for numbers, KEY<VALUE, <=, >, >=; a value with blanks is in
 * double quotes, where \ comes before " and \. All of them must hold. */
int where_parse(const char *text, struct where *ret, struct aisbx_error *e);
/* Keys, for people: "node, kind, …". */
void where_keys(struct buf *ret);

#endif
