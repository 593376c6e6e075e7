/* SPDX-License-Identifier: Apache-2.0 */
/* The current box as text. */
#include "cli/cli.h"
#include "cli/render_common.h"

void cli_render_use(const json_t *result)
{
	const char *box = text_of(result, "box");

	if (*box) {
		printf("%s\n", box);
		return;
	}
	fprintf(stderr, "aisbx: no current box in ");
	cli_print_name(stderr, text_of(result, "project"));
	fprintf(stderr, "; 'aisbx use BOX' chooses one\n");
}
