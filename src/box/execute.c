/* SPDX-License-Identifier: Apache-2.0 */
/* Executes a run: others can see it while it runs, and the history records it. */
#include "box/execute.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/inside.h"
#include "base/scope.h"
#include "box/kept_output.h"
#include "box/log_tail.h"
#include "box/owner.h"
#include "box/remarks.h"
#include "box/run_names.h"
#include "box/running.h"
#include "run/terminal.h"
#include "secret/scrub.h"

/* Into the history. A run that happened is not undone by a full disk: then the result says so. */
static void remember(struct run_report *v, const struct run_spec *spec, json_t *record, bool is_kept)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	scoped(drop_mem) char *dir = box_state_dir(&e);
	scoped(drop_mem) char *kept = run_report_kept(v, record), *least = NULL;
	scoped(buf_finish) struct buf command = { 0 };
	struct store_run note = { .result = kept, .exit_code = v->exit_code, .wall_ms = v->wall_ms };

	if (box_spec_command(spec, SIZE_MAX, &command))
		note.command = buf_str(&command);
	note.started_ms = box_now_ms() - (int64_t)note.wall_ms;
	snprintf(note.id, sizeof(note.id), "%s", v->run);
	snprintf(note.status, sizeof(note.status), "%s", v->status);
	snprintf(note.box, sizeof(note.box), "%s", spec->box.id);
	snprintf(note.owner, sizeof(note.owner), "%s", box_acting_for() ? box_acting_for() : "");
	if (dir && note.command)
		store_run_note(dir, &note, &e);
	if (e.code) {
		least = run_report_least(v);
		box_run_end(spec->run_id, kept, least); /* who waits for it is told from there */
		aisbx_context(&e, "the history has no record of this run");
	} else {
		if (is_kept)
			box_run_end_drop(spec->run_id);
		if (dir && store_look(dir, NULL, &e) < 0)
			aisbx_context(&e, "the run is noted");
	}
	if (e.code)
		run_report_add(v, "history_error", e.text);
}

/* What others see of the run, and where its output is kept if the caller wants that. */
struct kept {
	char *about; /* owned */
	int dir;     /* owned */
	struct runlog log;
	struct run_io *io; /* borrowed; has them until then */
};

static void kept_finish(struct kept *k)
{
	if (k->io) {
		k->io->about = NULL;
		k->io->log = NULL;
	}
	free(k->about);
	drop_fd(&k->dir);
	drop_fd(&k->log.fd);
}

static void tell_begun(void *ctx)
{
	const struct running *how = ctx;

	how->by->begun(how->by->begun_ctx, how->run_id, how->trace_id);
}

static int show(const struct caller *by, struct run_spec *spec, struct running *how, struct kept *k,
		struct aisbx_error *e)
{
	struct run_io *io = &spec->io;
	int r;

	io->shown = true;
	io->listener = how->presence.listener;
	if (io->about) /* who detached it has seen to that, and to tell the caller, whom nobody here can
			    reach any more */
		return 0;
	k->io = io;
	spec->hooks.started = by->begun ? tell_begun : NULL;
	spec->hooks.started_ctx = how;
	io->about = k->about = box_spec_about(spec, how->trace_id, false);
	if (!(by->keep_output || how->record.on) || !k->about)
		return 0;
	r = box_run_keep(spec->run_id, k->about, &k->dir, e);
	if (r == 0)
		r = runlog_create(k->dir, BOX_RUN_LOG, &k->log, e);
	if (r < 0)
		return r;
	if (!by->keep_output) { /* a recorded one: the output goes where it would, and what is compared
				    one day is kept beside */
		how->record.log = &k->log;
		return 0;
	}
	io->log_dir = k->dir;
	io->log = &k->log;
	return 0;
}

/* What nobody could read later is not kept: the protocol of an interpreter, what does not go through us. */
static uint64_t room_for_output(const struct run_spec *spec)
{
	return spec->command.interpreter || spec->io.direct ? 0 : profile_keep_output(&spec->profile);
}

/* For `logs` and `history --grep`. A full disk does not change what ran: then the result says so. */
static void keep_output(struct kept_output *k, const struct run_spec *spec, struct run_report *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	const struct runlog *log = spec->io.log;
	int r = log && k->room ? kept_output_add_log(k, spec->io.log_dir, BOX_RUN_LOG, &e) : 0;

	if (r == 0)
		r = kept_output_write(k, spec->walls.project, spec->run_id, &e);
	if (log && log->error)
		run_report_add(ret, "log_error", strerror(log->error));
	else if (r < 0)
		run_report_add(ret, "log_error", e.text);
}

/* Of each stream, of a run whose output is kept in a log: the end of it. */
#define KEPT_IN_RESULT (1u << 20)

int run_here(const struct caller *by, struct run_spec *spec, struct running *how, struct run_report *ret,
	     struct aisbx_error *e)
{
	scoped(driver_result_finish) struct driver_result outcome = { 0 };
	scoped(kept_finish) struct kept kept = { .dir = -1, .log.fd = -1 };
	scoped(drop_redactor) struct redactor *hide = NULL;
	scoped(kept_output_finish) struct kept_output output = { .room = room_for_output(spec) };
	struct turn turn = TURN_INIT;
	const struct runlog *log;
	json_t *record;
	int r = box_spec_hide(spec, &hide, e);

	if (r == 0)
		r = show(by, spec, how, &kept, e);
	if (r < 0)
		return r;
	if (output.room && !spec->io.log) /* what is in a log is taken from there */
		kept_output_listen(&output, &spec->io);
	r = turn_take(by, how->caller, spec, how->presence.listener, &turn, e);
	if (r == 0)
		r = box_run(spec, &outcome, e);
	turn_give(&turn);
	if (r < 0 && kept.dir >= 0) /* no command was started */
		box_run_forget(spec->run_id);
	if (r < 0 && hide)
		scrub_error(e, scrub_secrets, hide);
	if (r < 0)
		return r;
	log = spec->io.log;
	if (log)
		runlog_close(spec->io.log);
	if (how->record.log)
		runlog_close(how->record.log);
	r = run_report_make(ret, spec, how->trace_id, &outcome, e);
	if (r < 0)
		return r;
	run_report_waited(ret, turn.waited_ms);
	if (kept.dir >= 0 && by->keep_output &&
	    by->out_fds[0] < 0) { /* kept as well, not instead: it went to the log alone */
		struct aisbx_error late = AISBX_ERROR_INIT;

		run_add_log_tail(spec->run_id, KEPT_IN_RESULT, ret->said, &late);
	}
	if (outcome.after.code)
		run_report_add(ret, "snapshot_error", outcome.after.text);
	keep_output(&output, spec, ret);
	record = run_record_end(&how->record, spec);
	if (hide)
		scrub_json(record, scrub_secrets, hide);
	run_report_close(ret, hide);
	remember(ret, spec, record, kept.dir >= 0 || log);
	json_decref(record);
	return 0;
}

int run_execute(const struct caller *by, const struct run_options *w, struct run_report *ret,
		struct aisbx_error *e)
{
	scoped(box_spec_finish) struct run_spec spec = { .command.interpreter = by->interpreter };
	scoped(running_finish) struct running how = RUNNING_INIT;
	scoped(run_remarks_finish) struct run_remarks remarks = { 0 };
	struct caller seen = *by;
	char inside[320];
	int r = 0;

	if (w->detach) { /* it has no caller to read from or write to */
		seen.stdin_fd = -1;
		seen.out_fds[0] = seen.out_fds[1] = 0;
	}
	/* Who reads it is stopped at the first key that is typed there. */
	if (!w->tty && terminal_is_anothers(by->stdin_fd))
		seen.stdin_fd = -1;
	r = running_begin(by, &how, &spec, w->detach || w->name, e);
	if (r == 0 && (w->detach || w->name))
		r = run_name_take(w->name, spec.run_id, spec.run_name, e);
	if (r == 0)
		r = box_spec_fill(&seen, w, &spec, e);
	if (r == 0)
		run_remarks_tell(&remarks, by, &spec, w->warn_group);
	if (r == 0 && w->replayable)
		r = run_record_begin(&how.record, &seen, w, &spec, e);
	if (r == 0)
		r = w->detach ? run_detached(&spec, w->interactive, &how, ret, e)
			      : run_here(by, &spec, &how, ret, e);
	if (r < 0 && spec.run_name[0])
		run_name_drop(spec.run_name, spec.run_id);
	if (r == 0)
		run_remarks_add(&remarks, ret);
	if (r < 0 && e->area == AISBX_AREA_JAIL && inside_box(inside))
		r = inside_refuse(inside, e);
	return r;
}
