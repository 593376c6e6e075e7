/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of a scan policy that are WebAssembly modules. */
#ifndef BOX_SCAN_MODULE_H
#define BOX_SCAN_MODULE_H

#include <jansson.h>

#include "box/caller.h"
#include "scan/core/scan.h"

/*
 * Adds to FACTS, which a reader made of TEXT, what the policy's modules find. A module that does not answer
 * as it must is an error: a program that could not be judged is not called harmless.
 */
int scan_modules(const struct caller *by, const struct scan_text *text, const struct scan_policy *policy,
		 struct facts *facts, struct aisbx_error *e);
/* As modules and people who write rules read them. */
json_t *scan_facts_json(const struct facts *facts);

#endif
