/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that prepare an interpreter: its directory, its variables. Text only. */
#ifndef SERVER_E2B_CODE_H
#define SERVER_E2B_CODE_H

#include <jansson.h>

/* The language of aisbx for E2B's name of it, NULL: none; "" and NULL are Python. */
const char *code_language(const char *name);
/* Makes NAME lead to HOME if there is no such name, goes to CWD, sets ENV, an object of texts, for good.
 * Heap. */
char *code_prepare(const char *lang, const char *home, const char *name, const char *cwd, const json_t *env);
/* Sets ENV until code_restore. Heap. */
char *code_set(const char *lang, const json_t *env);
char *code_restore(const char *lang, const json_t *env);

#endif
