/* SPDX-License-Identifier: Apache-2.0 */
/* WebAssembly modules that judge: they read JSON, answer in text, and end by their fuel at the latest. */
#ifndef BOX_MODULE_RUN_H
#define BOX_MODULE_RUN_H

#include <jansson.h>

#include "aisbx/error.h"
#include "box/caller.h"
#include "box/report.h"

/* Instructions that a module may execute for one judgement. */
#define MODULE_RUN_FUEL   1000000000u
#define MODULE_RUN_OUTPUT (64u << 10) /* bytes that it may print */

/*
 * Runs PATH, an absolute path below DIR, in a box of the profile strict whose project is DIR. INPUT is its
 * standard input, as one line. An error: it could not be started, or was stopped by a limit or a trap; else
 * RET has what it printed and its exit_code.
 */
int module_run(const struct caller *by, const char *dir, const char *path, const json_t *input,
	       struct run_report *ret, struct aisbx_error *e);

#endif
