/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of a template as its row has them. Inside box/ only. */
#ifndef BOX_TEMPLATE_ROW_H
#define BOX_TEMPLATE_ROW_H

#include "box/template.h"

/* The JSON of what T says besides its row; heap, or NULL. */
char *template_settings_text(const struct box_template *t);
/* Takes ROW, and reads its settings; what is no settings is an error. */
int template_settings_read(struct store_template *row, struct box_template *ret, struct aisbx_error *e);

#endif
