/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the policy of an image for whoever shows it. */
#include "box/image_told.h"

#include <errno.h>
#include <stdlib.h>

#include "base/scope.h"
#include "image/settings.h"

void image_told_finish(struct image_told *t)
{
	strlist_finish(&t->caps);
	free(t->seccomp);
	free(t->net);
	*t = (struct image_told){ 0 };
}

int image_told_read(const char *config, struct image_told *ret, struct aisbx_error *e)
{
	scoped(image_settings_finish) struct image_settings settings = { 0 };
	struct pseudo_policy *p = &settings.policy;
	int r = image_settings_read(config, &settings, e);

	if (r < 0)
		return r;
	*ret = (struct image_told){ .any = p->has_caps || p->seccomp || p->net,
				    .has_caps = p->has_caps,
				    .caps = p->caps,
				    .seccomp = p->seccomp,
				    .net = p->net };
	*p = (struct pseudo_policy){ 0 };
	return 0;
}

int image_told_of(struct box_state *s, const char *id, struct image_told *ret, struct aisbx_error *e)
{
	struct aisbx_error none = AISBX_ERROR_INIT;
	struct store_image row = { 0 };
	int r = id[0] ? store_image_find(s->store, id, &row, &none) : -ENOENT;

	if (r == 0)
		r = image_told_read(row.config, ret, e);
	else if (r == -ENOENT)
		r = 0;
	else
		*e = none;
	store_image_finish(&row);
	return r;
}
