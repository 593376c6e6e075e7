/* SPDX-License-Identifier: Apache-2.0 */
/* aisbx of another machine: --remote HOST, or AISBX_REMOTE; or of a fleet of them: --on LABELS. */
#ifndef CLI_REMOTE_H
#define CLI_REMOTE_H

#include <stdbool.h>

#include "aisbx/error.h"

/* Whether a command line, without the program's name, is for another machine. */
bool cli_is_remote(char **words);
/* This process becomes the program that brings ARGV there; returns only when that failed. */
int cli_remote(char **argv, struct aisbx_error *e);
/* Whether a command line of at least one word is for the fleet: `fleet ...`, `--on LABELS OPERATION ...` or
 * `OPERATION --on LABELS ...`. */
bool cli_is_fleet(char **words);
/* As cli_remote. */
int cli_fleet(char **argv, struct aisbx_error *e);

#endif
