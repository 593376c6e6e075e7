/* SPDX-License-Identifier: Apache-2.0 */
/* Why a command could not be executed, and what to write instead. */
#ifndef BOX_EXEC_ERROR_H
#define BOX_EXEC_ERROR_H

#include "run/spec.h"

/*
 * STATUS: the errno of its exec; negative: of entering its directory. PERSON: a person at the command line,
 * who may be told what this machine has. Heap or NULL.
 */
char *box_exec_error(const struct run_spec *spec, int status, bool person);

#endif
