/* SPDX-License-Identifier: Apache-2.0 */
/* How a program's end is told, as JSON. */
#ifndef OP_EXCEPTION_H
#define OP_EXCEPTION_H

#include <jansson.h>

/* {"name", "message", "line"}, each may be null, as box/exception.h reads them; JSON null where there is
 * nothing of that shape. */
json_t *op_exception(const char *lang, const char *path, const char *text);

#endif
