/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that the reader of shell knows: what their words mean. Each is a sh_known_fn. */
#ifndef SCAN_SHELL_KNOWN_H
#define SCAN_SHELL_KNOWN_H

#include "scan/shell/shell.h"

/* shell_known.c */
/* The first word from I that is not an option, nor the value of an option in WITH_WORD. */
size_t known_skip_options(const struct words *w, size_t i, const char *with_word);
void known_run_from(struct sh *s, TSNode at, const struct words *w, size_t first, const struct val *in,
		    struct val *out);
void known_join(struct sh *s, const struct words *w, size_t first, struct val *ret);

#define KNOWN(name)                                                                             \
	bool known_##name(struct sh *s, TSNode at, const struct words *w, const struct val *in, \
			  struct val *out)

/* shell_code.c: those with programs as arguments. */
sh_known_fn known_interpreter(const char *name);
KNOWN(eval);
KNOWN(source);
KNOWN(trap);
KNOWN(su);
KNOWN(crontab);
KNOWN(at);
KNOWN(make);
KNOWN(git);
KNOWN(npm);
KNOWN(options);

/* shell_files.c: those that change files and variables. */
KNOWN(alias);
KNOWN(read);
KNOWN(shift);
KNOWN(set);
KNOWN(tee);
KNOWN(copy);
KNOWN(dd);
KNOWN(sed_in_place);
KNOWN(fetch);
KNOWN(check);

#endif
