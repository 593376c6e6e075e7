/* SPDX-License-Identifier: Apache-2.0 */
/* What those who look for ways share: adding one. Inside policy/intent*.c only. */
#ifndef PROJECT_INTENT_LIST_H
#define PROJECT_INTENT_LIST_H

#include "project/intent.h"

/* COMMAND: words with single blanks between; FORMAT: why. NULL when memory ran out, which the
 * list remembers. */
struct intent_way *intent_add(struct intent_list *l, enum intent intent, const char *file,
			      const char *command, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
void intent_drop_last(struct intent_list *l);
bool intent_has_name(const struct intent_source *src, const char *name);

/* What a project names itself: recipes of make and just, scripts of package.json, tasks of deno.json. */
void intent_find_recipes(const struct intent_source *src, struct intent_list *l);
/* What is customary where such a file is. */
void intent_find_customs(const struct intent_source *src, struct intent_list *l);

/* How a package manager of JavaScript is called. */
const char *intent_npm(const struct intent_source *src);

#endif
