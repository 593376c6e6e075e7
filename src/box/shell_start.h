/* SPDX-License-Identifier: Apache-2.0 */
/* How a shell is started so that its prompt says which box it is in. Pure. */
#ifndef BOX_SHELL_START_H
#define BOX_SHELL_START_H

#include <stdbool.h>

#include "base/str.h"

/*
 * Appends the command for the shell at PATH, and the variables that it needs. Bash, zsh, fish and shells like
 * sh get a prompt; of others only the host name says where they are. ROOT: as who; PROMPT_COMMAND (NULL:
 * none): the caller's own.
 */
void shell_start_words(const char *path, bool root, const char *prompt_command, struct strlist *argv,
		       struct strlist *env);
/* The shell that the person uses: absolute, no program that refuses a login. */
bool shell_is_usable(const char *path);

#endif
