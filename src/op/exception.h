/* SPDX-License-Identifier: Apache-2.0 */
/* What a program's last words on stderr say of its end: the error, and the line of the program
 * it came from. */
#ifndef OP_EXCEPTION_H
#define OP_EXCEPTION_H

#include <jansson.h>

/*
 * {"name", "message", "line"} out of TEXT, what an interpreter of LANG wrote about the program at PATH; each
 * may be null. JSON null where there is nothing of that shape. TEXT is the program's as much as the
 * interpreter's: it informs.
 */
json_t *op_exception(const char *lang, const char *path, const char *text);

#endif
