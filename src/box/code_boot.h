/* SPDX-License-Identifier: Apache-2.0 */
/* What starts a program given as text so that the value of its last expression is known afterwards. */
#ifndef BOX_CODE_BOOT_H
#define BOX_CODE_BOOT_H

#include <stdbool.h>

#include <jansson.h>

#include "aisbx/error.h"
#include "base/buf.h"

/* Where it lies in the box. */
#define CODE_BOOT_PATH "/tmp/.aisbx-run"

/* Appends that for LANG; false: there is none, its interpreter runs the program by itself. */
bool code_boot_text(const char *lang, struct buf *ret);
/*
 * What a program told of its values, by the /tmp of its box, in which nobody is any more: an array of objects
 * whose members are known kinds, a new reference. The file is the program's, too, so it is read with care;
 * NULL: there is none of that shape, or no memory.
 */
json_t *code_boot_results(int tmp_fd);
/* The same of a JSON text. */
json_t *code_results_read(const char *text, size_t len);
/* And of JSON; borrows SAID. */
json_t *code_results_clean(const json_t *said);

#endif
