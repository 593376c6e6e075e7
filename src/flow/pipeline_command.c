/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stage whose target is a command: the project's own deployment, run outside of any box. Only what the
 * person's own aisbx.yaml said when the pipeline started, and only after their approval.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/export.h"
#include "box/owner.h"
#include "box/project.h"
#include "flow/command.h"
#include "flow/pipeline.h"

/* STATE/pipelines; heap or NULL with an error. */
static char *make_room(struct pipeline *p, struct aisbx_error *e)
{
	char *dir = path_join(p->state.dir, "pipelines");

	if (!dir || (mkdir(dir, 0700) < 0 && errno != EEXIST)) {
		aisbx_fail(e, AISBX_AREA_BOX, dir ? errno : ENOMEM, "make a directory for an export in '%s'",
			   p->state.dir);
		free(dir);
		return NULL;
	}
	return dir;
}

/*
 * Held by a command and by whatever it starts, so that after a crash of ours neither it nor its rollback
 * begins while it still runs. When its end is known the file goes: what it left in the background is in
 * nobody's way.
 */
struct held {
	char *path; /* owned */
	int fd;
};

static void held_finish(struct held *h)
{
	close_fd(&h->fd);
	free(h->path);
}

static int hold(struct pipeline *p, size_t i, const char *room, const char *what, struct held *h,
		struct aisbx_error *e)
{
	if (asprintf(&h->path, "%s/%s-%zu.%s", room, p->row.id, i, what) < 0) {
		h->path = NULL;
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "lock a command");
	}
	h->fd = open(h->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (h->fd < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "lock a command by '%s'", h->path);
	if (flock(h->fd, LOCK_EX | LOCK_NB) < 0)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
				    "its command, or a process that it started, is still running from the "
				    "last attempt; wait for it or end it");
	return 0;
}

static void let_go(struct held *h)
{
	if (h->path)
		unlink(h->path);
}

static int make_export(struct pipeline *p, const char *dir, struct aisbx_error *e)
{
	scoped(store_box_finish) struct store_box box = { 0 };
	int r = box_find(&p->state, p->row.box, &box, e);

	if (r < 0)
		return r;
	if (mkdir(dir, 0700) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, errno, "make '%s'", dir);
	return box_export(&p->state, &box, p->row.snapshot, dir, e);
}

static int run_command(struct pipeline *p, size_t i, const struct strlist *argv, const char *export, int held,
		       struct flow_command_end *ret, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist more = { 0 };
	scoped(drop_mem) char *dir = box_project_cwd(p->row.project, p->project.stages[i].dir, NULL);
	const struct flow_command c = { .argv = argv,
					.dir = dir,
					.env = p->callbacks.by->env,
					.more = &more,
					.out_fds = { p->callbacks.by->out_fds[0],
						     p->callbacks.by->out_fds[1] },
					.held_fd = held };

	strlist_addf(&more, "AISBX_PIPELINE=%s", p->row.id);
	strlist_addf(&more, "AISBX_STAGE=%s", p->row.stages[i].name);
	strlist_addf(&more, "AISBX_BOX=%s", p->row.box_name);
	strlist_addf(&more, "AISBX_SNAPSHOT=%s", p->row.snapshot);
	if (export)
		strlist_addf(&more, "AISBX_EXPORT=%s", export);
	if (more.failed || !dir)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "start '%s'", argv->items[0]);
	return flow_command_run(&c, ret, e);
}

/* The end of what it wrote, as JSON can hold it. */
static void keep_output(const struct flow_command_end *end, struct stage_note *note)
{
	json_t *said = *end->said ? json_string(end->said) : NULL;

	if (!said)
		return;
	note->detail = note->detail ? note->detail : json_object();
	json_object_set_new(note->detail, "output", said);
}

static int deploy(struct pipeline *p, size_t i, const char *room, struct stage_note *note,
		  struct aisbx_error *e)
{
	const struct project_stage *s = &p->project.stages[i];
	struct flow_command_end end = { 0 };
	scoped(drop_mem) char *export = NULL;
	scoped(held_finish) struct held held = { .fd = -1 };
	char name[2 * STORE_ID_MAX];
	int r = hold(p, i, room, "command", &held, e);

	snprintf(name, sizeof(name), "%s-%zu", p->row.id, i);
	if (r == 0)
		r = box_export_remove(room, name, e); /* of a try that was cut off */
	export = path_join(room, name);
	if (r == 0)
		r = export ? make_export(p, export, e)
			   : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "export the project");
	if (r == 0)
		r = run_command(p, i, &s->command, export, held.fd, &end, e);
	box_export_remove(room, name, &(struct aisbx_error)AISBX_ERROR_INIT);
	if (r != -EBUSY)
		let_go(&held);
	if (r < 0) { /* it was not started */
		snprintf(note->why, sizeof(note->why), "%s", e->text);
		return r == -EBUSY ? r : EVENT_REFUSE;
	}
	keep_output(&end, note);
	if (end.status == 0)
		return EVENT_DONE;
	snprintf(note->why, sizeof(note->why), "its command exited with %d%s", end.status,
		 s->rollback.n ? ""
			       : "; there is no rollback command, so its effects stay: check them yourself");
	return s->rollback.n ? EVENT_BREAK : EVENT_STICK;
}

int pipeline_command_apply(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	scoped(drop_mem) char *room = make_room(p, e);
	scoped(held_finish) struct held held = { .fd = -1 };
	int r;

	if (!room)
		return e->code;
	if (!pipeline_is_approved(p, i)) {
		snprintf(note->why, sizeof(note->why), "nobody approved running its command");
		return EVENT_REFUSE;
	}
	if (p->fresh)
		return deploy(p, i, room, note, e);
	r = hold(p, i, room, "command", &held, e);
	if (r < 0)
		return r;
	if (p->project.stages[i].rollback.n)
		return EVENT_LOST;
	snprintf(note->why, sizeof(note->why),
		 "it is not known how far its command came, and there is no rollback command: check '%s' "
		 "yourself",
		 p->row.stages[i].name);
	return EVENT_STICK;
}

int pipeline_command_rollback(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	const struct project_stage *s = &p->project.stages[i];
	scoped(drop_mem) char *room = NULL;
	struct flow_command_end end = { 0 };
	scoped(held_finish) struct held held = { .fd = -1 }, command = { .fd = -1 };
	int r;

	if (!s->rollback.n)
		return -ENOENT;
	room = make_room(p, e);
	if (!room)
		return e->code;
	r = hold(p, i, room, "command", &command, e); /* that was not cut off with us, and still runs */
	if (r == 0)
		r = hold(p, i, room, "rollback", &held, e);
	if (r == 0)
		r = run_command(p, i, &s->rollback, NULL, held.fd, &end, e);
	if (r != -EBUSY) {
		let_go(&held);
		let_go(&command);
	}
	if (r < 0)
		return r == -ENOENT ? -EINVAL : r;
	keep_output(&end, note);
	return end.status;
}
