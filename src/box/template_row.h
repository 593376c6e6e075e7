/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of a template as its row has them. Inside box/ only. */
#ifndef BOX_TEMPLATE_ROW_H
#define BOX_TEMPLATE_ROW_H

#include "box/template.h"
#include "image/template_label.h"

/* The JSON of what T says besides its row; heap, or NULL. */
char *template_settings_text(const struct box_template *t);
/* Takes ROW, and reads its settings; what is no settings is an error. */
int template_settings_read(struct store_template *row, struct box_template *ret, struct aisbx_error *e);

/* Whether a new one may have NAME. */
int template_check_new(struct box_state *s, const char *name, bool replace, struct aisbx_error *e);

/* A layer that is the template's own. */
struct template_layer {
	char id[STORE_ID_MAX]; /* "": none was needed */
	char on[STORE_ID_MAX]; /* what it stands on: the image's top, or "" */
	int lock;
};
#define TEMPLATE_LAYER_INIT \
	{                   \
		.lock = -1  \
	}

/* OWN becomes a layer with a lock and no row: all that TOP and what it stands on have. */
int template_layer_merge(struct box_state *s, const char *top, struct template_layer *own,
			 struct aisbx_error *e);
/* It stays if it has a row. */
void template_layer_drop(struct box_state *s, struct template_layer *l);
/* In one transaction: the layer that was made, the name, and that the old one goes. The image of ROW must be
 * there still. */
int template_add(struct box_state *s, const struct template_layer *own, const struct store_template *row,
		 bool replace, struct aisbx_error *e);

/* The system and the machine that a template of this machine is for, as a label says them. */
struct template_host {
	char os[TEMPLATE_SYSTEM_MAX + 1]; /* "debian 13" */
	char machine[TEMPLATE_SYSTEM_MAX + 1];
};
int template_host_read(struct template_host *ret, struct aisbx_error *e);

#endif
