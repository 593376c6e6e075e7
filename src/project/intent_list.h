/* SPDX-License-Identifier: Apache-2.0 */
/* What the files that find commands share: adding one. Inside policy/intent*.c only. */
#ifndef PROJECT_INTENT_LIST_H
#define PROJECT_INTENT_LIST_H

#include "project/intent.h"

/*
 * COMMAND: words separated by single spaces; FORMAT: the reason. NULL if memory ran out, which the list
 * remembers.
 */
struct intent_way *intent_add(struct intent_list *l, enum intent intent, const char *file,
			      const char *command, const char *format, ...)
	__attribute__((format(printf, 5, 6)));
void intent_drop_last(struct intent_list *l);
bool intent_has_name(const struct intent_source *src, const char *name);

/* Recipes that a project defines itself: of make and just, scripts of package.json, tasks of deno.json. */
void intent_find_recipes(const struct intent_source *src, struct intent_list *l);
/* Conventions for such a file. */
void intent_find_conventions(const struct intent_source *src, struct intent_list *l);

/* The command of a JavaScript package manager. */
const char *intent_npm(const struct intent_source *src);

#endif
