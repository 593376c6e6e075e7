/* SPDX-License-Identifier: Apache-2.0 */
/* What is done at a stage: evaluating gates, waiting, changing a directory, undoing that. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/lookup.h"
#include "box/project.h"
#include "box/hold.h"
#include "flow/gate.h"
#include "flow/pipeline.h"

static const struct project_stage *rules_of(const struct pipeline *p, size_t i)
{
	return &p->project.stages[i];
}

/* "BOX@SNAPSHOT", by their ids. */
static void point_of(const struct pipeline *p, char *ret, size_t cap)
{
	snprintf(ret, cap, "%s@%s", p->row.box, p->row.snapshot);
}

/* Of a directory; heap or NULL. What it is called is relative to the file, and the box may be about a part of
 * that only. */
static char *target_of(const struct pipeline *p, size_t i)
{
	const struct project_stage *s = rules_of(p, i);
	const char *where = s->target == TARGET_DIRECTORY && s->where ? s->where : ".";
	scoped(drop_mem) char *place = box_project_cwd(p->row.project, s->dir, where);

	return place ? box_project_part(p->row.project, s->dir, place) : NULL;
}

static void add_note(struct stage_note *note, const char *key, json_t *value)
{
	if (!note->detail)
		note->detail = json_object();
	json_object_set_new(note->detail, key, value);
}

/* Which checks do not hold, and why. */
static void say_broken(const struct gate_verdict *v, struct stage_note *note)
{
	size_t len = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct gate_ruling *c = &v->rulings[i];
		int n;

		if (c->passed || len >= sizeof(note->why) - 1)
			continue;
		n = snprintf(note->why + len, sizeof(note->why) - len, "%s%.200s%s%.200s", len ? "; " : "",
			     c->check->text, *c->why ? ": " : "", c->why);
		len += n > 0 ? (size_t)n : 0;
	}
	if (!len)
		snprintf(note->why, sizeof(note->why), "a gate does not hold");
}

/* What cannot be judged does not hold. */
static bool holds(struct pipeline *p, const struct project_checks *checks, const struct gate_subject *subject,
		  const char *key, struct stage_note *note)
{
	scoped(gate_verdict_finish) struct gate_verdict verdict = { 0 };
	const struct caller quiet = pipeline_quiet(p);
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (!checks->n)
		return true;
	if (gate_judge(&quiet, &p->project, checks, subject, &verdict, &e) < 0) {
		snprintf(note->why, sizeof(note->why), "the gates could not be evaluated: %s", e.text);
		return false;
	}
	if (!verdict.passed)
		say_broken(&verdict, note);
	add_note(note, key, gate_verdict_json(&verdict));
	return verdict.passed;
}

/* What would happen to its target. */
static int preview(struct pipeline *p, size_t i, struct promote_report *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *target = target_of(p, i);
	const struct caller quiet = pipeline_quiet(p);
	char point[2 * STORE_ID_MAX];
	struct promote_request req = { .box = point, .dry_run = true, .drift.off = true };

	if (!target)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find the target");
	point_of(p, point, sizeof(point));
	if (strcmp(target, p->row.project) != 0)
		req.to = target;
	return promote_apply(&quiet, &req, ret, e);
}

/* A path, for people. */
static const char *told(const char *path)
{
	return buf_is_utf8(path) ? path : "a file";
}

/* A command as one text. */
static json_t *words_json(const struct strlist *words)
{
	scoped(buf_finish) struct buf text = { 0 };

	for (size_t i = 0; i < words->n; i++) {
		buf_add(&text, " ", i ? 1 : 0);
		buf_add_utf8(&text, words->items[i], strlen(words->items[i]));
	}
	return json_string(buf_str(&text) ? text.data : "");
}

/* Keeps of it what a person wants to see. */
static void keep_look(const struct pipeline *p, const struct project_stage *s,
		      const struct promote_report *look, const char *runs_later, struct stage_note *note)
{
	static const char *const kinds[] = { [TARGET_NONE] = "none",
					     [TARGET_DIRECTORY] = "directory",
					     [TARGET_BRANCH] = "branch",
					     [TARGET_COMMAND] = "command" };
	json_t *kept = json_object(), *more = p->callbacks.look_json(look, runs_later);

	json_object_set_new(kept, "kind", json_string(kinds[s->target]));
	json_object_set_new(kept, "where",
			    s->target == TARGET_DIRECTORY ? json_string(look->promotion.target)
			    : s->target == TARGET_BRANCH  ? json_string(s->where)
							  : words_json(&s->command));
	if (s->target != TARGET_DIRECTORY)
		json_object_del(more, "conflicts");
	json_object_update(kept, more);
	json_decref(more);
	add_note(note, "target", kept);
}

/* True: what stands against it was said. */
static bool is_in_the_way(const struct pipeline *p, const struct project_stage *s,
			  const struct promote_report *look, struct stage_note *note)
{
	const struct box_promotion *would = &look->promotion;
	const char *first = NULL;
	size_t n = 0;

	if (would->secret_leaks.n) {
		snprintf(note->why, sizeof(note->why), "'%.199s' contains a secret that was given to the box",
			 told(would->secret_leaks.list[0].path));
		return true;
	}
	for (size_t i = 0; i < would->plan.n; i++)
		if (would->plan.steps[i].outcome == MERGE_CONFLICT) {
			first = first ? first : would->plan.steps[i].path;
			n++;
		}
	if (s->target != TARGET_DIRECTORY || p->applies != RESOLVE_STOP || !n)
		return false;
	snprintf(note->why, sizeof(note->why),
		 "changed on both sides: '%.199s'%s; choose with --conflict keep or overwrite", told(first),
		 n > 1 ? " and others" : "");
	return true;
}

/* Whether the text names PATH: "./PATH", "PATH", with no letter of a path before or behind it. */
static bool names_path(const char *text, const char *path)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/+@%";
	size_t n = strlen(path);

	for (const char *at = text; (at = strstr(at, path)); at++) {
		const char *from = at - text >= 2 && !strncmp(at - 2, "./", 2) ? at - 2 : at;

		if ((from == text || !strchr(letters, from[-1])) && (!at[n] || !strchr(letters, at[n])))
			return true;
	}
	return false;
}

/* The stage whose command names PATH, which the box changed; NULL: none does. */
static const struct project_stage *runs_path(const struct pipeline *p, const char *path)
{
	for (size_t i = 0; i < p->project.n_stages; i++) {
		const struct project_stage *s = &p->project.stages[i];
		const struct strlist *lists[] = { &s->command, &s->rollback };
		scoped(drop_mem) char *part = box_project_part(p->row.project, s->dir, "/");
		scoped(drop_mem) char *whole = part ? path_join(part, path) : NULL;

		for (size_t w = 0; w < lists[0]->n + lists[1]->n; w++) {
			const char *word =
				w < lists[0]->n ? lists[0]->items[w] : lists[1]->items[w - lists[0]->n];

			if (!whole || names_path(word, whole + 1))
				return s;
		}
	}
	return NULL;
}

/* What goes into the project and is run by a command of a stage, outside of any box: a trap like others. The
 * path, borrowed; NULL: there is none. */
static const char *runs_later(const struct pipeline *p, const struct promote_report *look,
			      struct stage_note *note)
{
	const struct merge_plan *plan = &look->promotion.plan;

	for (size_t i = 0; i < plan->n; i++) {
		const char *path = plan->steps[i].path;
		const struct project_stage *s = buf_is_utf8(path) ? runs_path(p, path) : NULL;

		if (!s || (plan->steps[i].box == CHANGE_TOUCH && S_ISDIR(plan->steps[i].now.st_mode)))
			continue;
		snprintf(
			note->why, sizeof(note->why),
			"the box changed '%.200s', which stage '%s' runs outside of any box: review it first",
			path, s->name);
		return path;
	}
	return NULL;
}

/*
 * Whether stage I is the first that changes something, and nothing in the whole pipeline says whether that is
 * any good: no gate, no person, no test. That traps are looked for, which aisbx always does, is no check of
 * the work.
 */
static bool is_unchecked(const struct pipeline *p, size_t i)
{
	for (size_t k = 0; k < p->row.n_stages; k++) {
		const struct project_stage *s = rules_of(p, k);

		if ((k < i && s->target != TARGET_NONE) || (!p->bare && (s->before.n || s->after.n)) ||
		    s->approve)
			return false;
	}
	return true;
}

static int judge_stage(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	const struct project_stage *s = rules_of(p, i);
	char point[2 * STORE_ID_MAX];
	const struct gate_subject subject = { .box = point };
	scoped(promote_report_finish) struct promote_report look = { 0 };
	const char *later = NULL;
	size_t traps;
	bool bad, ask;

	point_of(p, point, sizeof(point));
	if (!holds(p, &s->before, &subject, "before", note))
		return EVENT_BREAK;
	if (s->target == TARGET_NONE)
		return s->approve ? EVENT_ASK : EVENT_HOLD;
	if (preview(p, i, &look, e) < 0) {
		snprintf(note->why, sizeof(note->why), "%s", e->text);
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		return EVENT_BREAK;
	}
	traps = look.promotion.n_traps;
	bad = is_in_the_way(p, s, &look, note);
	if (s->target == TARGET_DIRECTORY) /* also where somebody is asked anyway: that decides whom */
		later = runs_later(p, &look, note);
	keep_look(p, s, &look, later, note);
	ask = s->approve || s->target == TARGET_COMMAND || later || (s->target == TARGET_DIRECTORY && traps);
	if (bad || (s->target == TARGET_BRANCH && pipeline_branch_check(p, i, note, e) < 0))
		return EVENT_BREAK;
	if (is_unchecked(p, i)) {
		if (!note->why[0])
			snprintf(note->why, sizeof(note->why), "nothing was checked: %s",
				 p->bare ? "aisbx found no tests of this project" : "no stage has a gate");
		ask = true;
	}
	/* What runs outside of a box, now or later, is never for a model alone to decide. */
	if (traps && s->target == TARGET_DIRECTORY)
		snprintf(note->why, sizeof(note->why), "it would run code later, outside of any box");
	return ask ? EVENT_ASK : EVENT_HOLD;
}

/* What became of the promotion of the stage; "": there was none. */
static int promotion_state(struct pipeline *p, size_t i, char ret[16], struct aisbx_error *e)
{
	struct store_promotion found = { 0 };
	struct box_recovered recovered;
	int r;

	ret[0] = '\0';
	if (!p->row.stages[i].promotion[0])
		return 0;
	r = box_recover(&p->state, false, &recovered, e);
	if (r == 0)
		r = store_promotion_find(p->state.store, p->row.stages[i].promotion, &found, e);
	if (r == -ENOENT) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		return 0;
	}
	if (r == 0)
		memcpy(ret, found.state, sizeof(found.state));
	store_promotion_finish(&found);
	return r;
}

static int apply_directory(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	scoped(drop_mem) char *target = target_of(p, i);
	scoped(hold_finish) struct hold hold = { 0 };
	scoped(lookup_finish) struct lookup at = LOOKUP_INIT;
	struct box_promote_request req = { .yes = pipeline_is_approved(p, i), .resolution = p->applies };
	char point[2 * STORE_ID_MAX];
	int r;

	if (!target)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find the target");
	point_of(p, point, sizeof(point));
	r = hold_open(point, &hold, &at, e);
	if (r < 0)
		return r;
	req.snapshot = at.snapshot;
	req.of = hold.fork.name[0] ? &hold.of : NULL;
	req.to = strcmp(target, p->row.project) ? target : NULL;
	return pipeline_promote(p, i, &at.state, &at.box, &req, note, e);
}

/* After a crash: whether it happened. */
static int look_for_promotion(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	char state[16];
	int r = promotion_state(p, i, state, e);

	if (r < 0)
		return r;
	if (!strcmp(state, "done"))
		return EVENT_DONE;
	if (!state[0])
		return EVENT_AGAIN;
	snprintf(note->why, sizeof(note->why),
		 "it was interrupted, and undone because its target had changed");
	return EVENT_REFUSE;
}

static int apply_stage(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	const enum project_target target = rules_of(p, i)->target;

	if (target == TARGET_COMMAND)
		return pipeline_command_apply(p, i, note, e);
	if (target == TARGET_NONE)
		return EVENT_DONE;
	if (!p->fresh)
		return look_for_promotion(p, i, note, e);
	return target == TARGET_BRANCH ? pipeline_branch_apply(p, i, note, e)
				       : apply_directory(p, i, note, e);
}

/* 0: what its command did is taken back; else why not is said, or E has it. */
static int roll_back(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	int r = pipeline_command_rollback(p, i, note, e);

	if (r == -ENOENT && p->row.back && p->conflict == RESOLVE_KEEP) {
		snprintf(note->why, sizeof(note->why),
			 "there is no rollback command, and its effects were to be kept");
		return 0;
	}
	if (r == -ENOENT)
		snprintf(note->why, sizeof(note->why), "there is no rollback command: check '%s' yourself",
			 p->row.stages[i].name);
	else if (r > 0)
		snprintf(note->why, sizeof(note->why),
			 "its rollback command exited with %d: check '%s' yourself", r,
			 p->row.stages[i].name);
	return r == -ENOENT ? 1 : r;
}

static int clear_stage(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	int r = roll_back(p, i, note, e);

	return r < 0 ? r : r > 0 ? EVENT_STICK : EVENT_DONE;
}

static int check_stage(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	const struct project_stage *s = rules_of(p, i);
	scoped(drop_mem) char *target = target_of(p, i);
	char point[2 * STORE_ID_MAX];
	struct gate_subject subject = { 0 };

	if (!target)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find the target");
	point_of(p, point, sizeof(point));
	if (s->target == TARGET_DIRECTORY)
		subject.dir = target;
	else
		subject.box = point;
	return holds(p, &s->after, &subject, "after", note) ? EVENT_HOLD : EVENT_BREAK;
}

static int undo_promotion(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	scoped(box_undo_finish) struct box_undo undo = { 0 };
	char state[16];
	int r = promotion_state(p, i, state, e);

	if (r < 0 || !state[0] || !strcmp(state, "undone"))
		return r < 0 ? r : EVENT_DONE;
	if (strcmp(state, "done") != 0) {
		snprintf(note->why, sizeof(note->why),
			 "the files that %s replaced were kept for a month and are gone",
			 p->row.stages[i].promotion);
		return EVENT_STICK;
	}
	r = box_undo(&p->state,
		     &(struct box_undo_request){ .id = p->row.stages[i].promotion,
						 .resolution = p->conflict },
		     &undo, e);
	if (r < 0)
		return r;
	if (undo.done)
		return EVENT_DONE;
	snprintf(note->why, sizeof(note->why),
		 "not undone: '%.200s' has changed since; choose with 'aisbx pipeline undo %s --conflict "
		 "keep|overwrite'",
		 undo.changed.n ? undo.changed.items[0] : "a file", p->row.id);
	return EVENT_STICK;
}

static int undo_stage(struct pipeline *p, size_t i, struct stage_note *note, struct aisbx_error *e)
{
	int r;

	switch (rules_of(p, i)->target) {
	case TARGET_DIRECTORY:
	case TARGET_BRANCH:
		return undo_promotion(p, i, note, e);
	case TARGET_COMMAND:
		r = roll_back(p, i, note, e);
		return r < 0 ? r : r > 0 ? EVENT_STICK : EVENT_DONE;
	case TARGET_NONE:
		break;
	}
	return EVENT_DONE;
}

pipeline_act *const pipeline_acts[STAGE_STATE_COUNT] = {
	[STAGE_JUDGING] = judge_stage,  [STAGE_WAITING] = pipeline_ask, [STAGE_APPLYING] = apply_stage,
	[STAGE_CLEARING] = clear_stage, [STAGE_CHECKING] = check_stage, [STAGE_UNDOING] = undo_stage,
};
