/* SPDX-License-Identifier: Apache-2.0 */
/* Told when a run starts: afterwards it would explain what somebody has searched for already. */
#include "box/remarks.h"

#include <stdio.h>

#include "box/profiles.h"
#include "driver/driver.h"

/* Files of the project belong to a group that the box does not know: RET tells what to do. */
static bool lacks_group(const struct run_spec *spec, char *ret, size_t cap)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT; /* the run itself will tell */
	const struct driver *d;

	return !spec->walls.image && driver_of(spec, &d, &ignored) == 0 &&
	       driver_unknown_group(d, spec->walls.project, ret, cap);
}

/* What the profile says in the words of another tool, and how it was read. */
static void collect_notes(const struct caller *by, const struct run_spec *spec, struct buf *ret)
{
	const struct box_profile *p = spec->origin;
	size_t all = 0;

	for (size_t i = 0; p && i < p->n_chain; i++)
		for (size_t n = 0; n < p->chain[i]->notes.n; n++, all++)
			buf_addf(ret, "%s%s", ret->len ? "\n" : "", p->chain[i]->notes.items[n]);
	if (all && by->out_fds[1] > 0)
		dprintf(by->out_fds[1],
			"aisbx: the profile has %zu value%s in the words of another tool; 'aisbx profile "
			"check "
			"%s' shows how %s read\n",
			all, all == 1 ? "" : "s", p->ref, all == 1 ? "it is" : "they are");
}

/* What an activated environment has in the box is not what it has outside: RET tells. A live box has what it
 * has. */
static bool lacks_environment(const struct run_spec *spec, char *ret, size_t cap)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	const struct driver *d;

	return !spec->box.exec && !spec->walls.image && driver_of(spec, &d, &ignored) == 0 &&
	       driver_hidden_environment(d, spec, ret, cap);
}

/* A box with one id has one user, whoever the image wants to be. */
static bool lacks_user(const struct run_spec *spec, char *ret, size_t cap)
{
	const struct run_image *image = spec->walls.image;

	if (!image || !image->user || image->sub_uid || driver_id_shift() || spec->box.purpose)
		return false;
	snprintf(ret, cap,
		 "the image wants user %u:%u, and this box has one id only: its commands are root there, "
		 "which is "
		 "you outside; a box made with --ids sub has more",
		 image->uid, image->gid);
	return true;
}

/* Of a driver that builds fewer walls than others. */
static bool is_weaker(const struct run_spec *spec, char *ret, size_t cap)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	const struct driver *d;

	return driver_of(spec, &d, &ignored) == 0 && driver_weaker(d, ret, cap);
}

static void say(const struct caller *by, const char *text)
{
	if (by->out_fds[1] > 0)
		dprintf(by->out_fds[1], "aisbx: %s\n", text);
}

void run_remarks_tell(struct run_remarks *r, const struct caller *by, const struct run_spec *spec,
		      bool missing)
{
	if (is_weaker(spec, r->weaker, sizeof(r->weaker)))
		say(by, r->weaker);
	if (missing && lacks_group(spec, r->group, sizeof(r->group)))
		say(by, r->group);
	if (missing && lacks_environment(spec, r->environment, sizeof(r->environment)))
		say(by, r->environment);
	if (missing && lacks_user(spec, r->image_user, sizeof(r->image_user)))
		say(by, r->image_user);
	collect_notes(by, spec, &r->notes);
}

void run_remarks_add(struct run_remarks *r, struct run_report *report)
{
	if (*r->weaker)
		run_report_add(report, "weaker_driver", r->weaker);
	if (*r->group)
		run_report_add(report, "unknown_group", r->group);
	if (*r->environment)
		run_report_add(report, "hidden_environment", r->environment);
	if (*r->image_user)
		run_report_add(report, "image_user", r->image_user);
	if (r->notes.len && buf_str(&r->notes))
		run_report_add(report, "profile_notes", r->notes.data);
}

void run_remarks_finish(struct run_remarks *r)
{
	buf_finish(&r->notes);
}
