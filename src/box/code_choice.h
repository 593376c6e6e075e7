/* SPDX-License-Identifier: Apache-2.0 */
/* Which driver runs a program that is given as text, where that is left to aisbx. */
#ifndef BOX_CODE_CHOICE_H
#define BOX_CODE_CHOICE_H

#include "box/code.h"
#include "run/spec.h"
#include "scan/core/fact.h"

/* ASKED: of code_drivers. FACTS: of the program, as its scan found them; NULL: it was not scanned. */
int code_choose(const char *asked, const char *lang, const struct run_spec *spec, const struct facts *facts,
		struct code_choice *ret, struct aisbx_error *e);

#endif
