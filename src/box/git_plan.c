/* SPDX-License-Identifier: Apache-2.0 */
/* What a box did to the repositories of its project, and what of that can go home. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/git.h"
#include "box/git_list.h"

#define MAX_KEPT ((off_t)4 << 20)

/* In the box: objects of which standard input says, "ID" wanted and "^ID" there already. The real ones are at hand: what the box took away is there all the same. */
static const char pack_script[] = GIT_BEGIN
	"[ ! -d " GIT_DESK " ] || export GIT_ALTERNATE_OBJECT_DIRECTORIES=" GIT_DESK "; "
	"g pack-objects --revs --stdout -q >&3";

/*
 * In a box of the real project, with the desk: $1 "new" or "have", $2 the branch of a new one, $3 "sha1" or "sha256", $4 "empty"
 * when the pack is, $5 "contents" when all of it is wanted as text. On the desk are the pack and a list, `wishes`: of each branch its name,
 * where the host has it ("-": nowhere) and where the box has it. Takes the pack in as strictly as git can, outside of the repository, and
 * tells of each how the two stand: "RELATION COMMITS", of the first few with their number.
 */
static const char check_script[] = GIT_BEGIN
	"out=" GIT_DESK " how=$1 branch=$2 format=$3 empty=$4 contents=$5; "
	"if [ $how = new ]; then "
	"  g init -q --template= --object-format=$format \"$out/new\" || exit 54; "
	"  export GIT_DIR=\"$out/new/.git\"; g symbolic-ref HEAD \"$branch\" || exit 54; "
	"else "
	"  objects=$(g rev-parse --path-format=absolute --git-path objects) || exit 54; mkdir -p \"$out/objects/pack\"; "
	"  export GIT_OBJECT_DIRECTORY=\"$out/objects\" GIT_ALTERNATE_OBJECT_DIRECTORIES=\"$objects\"; "
	"fi; "
	"[ $empty = empty ] || g index-pack --strict --stdin <\"$out/pack\" >/dev/null || exit 51; rm -f \"$out/pack\"; "
	"if [ $contents = contents ]; then "
	"  { cat \"$out/wishes\"; for idx in \"${GIT_OBJECT_DIRECTORY:-$out/new/.git/objects}\"/pack/*.idx; do "
	"    [ ! -f \"$idx\" ] || g show-index <\"$idx\" | cut -d' ' -f2 | g cat-file --batch --buffer; done; } >\"$out/contents\" || exit 54; "
	"fi; "
	"cut -d' ' -f3 \"$out/wishes\" | g rev-list --objects --stdin --not --all --quiet >/dev/null || exit 52; "
	"n=0; while read -r name old now; do n=$((n + 1)) commits=0; "
	"  if [ \"$old\" = - ]; then far=new; elif [ \"$old\" = \"$now\" ]; then far=same; "
	"  elif g merge-base --is-ancestor \"$old\" \"$now\"; then far=ahead; "
	"  elif g merge-base --is-ancestor \"$now\" \"$old\"; then far=behind; else far=apart; fi; "
	"  [ $n -gt 30 ] || commits=$(g rev-list --count \"$now\" --not --all); "
	"  echo \"$far $commits\" >&3; "
	"done <\"$out/wishes\"; "
	"[ $how != new ] || { sed 's/^\\([^ ]*\\) [^ ]*/create \\1/' \"$out/wishes\" | g update-ref --stdin && g read-tree HEAD; } || exit 54";

const char *git_how_name(enum git_how how)
{
	static const char *const names[] = { "forward", "created", "aside" };

	return names[how];
}

static void git_change_finish(struct git_change *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->moves[i].ref);
		free(c->moves[i].from);
	}
	free(c->moves);
	free(c->tree);
	free(c->dir);
	free(c->common);
	free(c->head_old);
	free(c->head_now);
}

void box_git_finish(struct box_git *g)
{
	for (size_t i = 0; i < g->n; i++)
		git_change_finish(&g->changes[i]);
	free(g->changes);
	strlist_finish(&g->stays);
	strlist_finish(&g->trees);
	free(g->switched);
	free(g->apart);
	*g = (struct box_git){ 0 };
}

static const char *short_name(const char *ref)
{
	return !strncmp(ref, "refs/heads/", 11) ? ref + 11 : !strncmp(ref, "refs/tags/", 10) ? ref + 10 : ref;
}

/* A sentence, once. */
__attribute__((format(printf, 2, 3))) static void git_say(struct box_git *g, const char *fmt, ...)
{
	scoped(drop_mem) char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		text = NULL;
	va_end(args);
	if (!text)
		g->stays.failed = true;
	else if (!strlist_has(&g->stays, text))
		strlist_add(&g->stays, text);
}

/* ---- which repositories the box did something to ---- */

/* What git writes without anybody having committed or moved anything. */
static bool is_idle_name(const char *name)
{
	static const char *const names[] = { "index", "index.lock", "objects", "ORIG_HEAD", "FETCH_HEAD", "COMMIT_EDITMSG", "gc.log" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool tells_git_what_to_do(const char *name)
{
	static const char *const names[] = { "config", "config.worktree", "hooks", "info", "commondir", "gitdir", "attributes" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Of the directory DIR, whose work tree is not known: only said. */
static void note_odd(struct box_git *g, const char *dir)
{
	git_say(g, "'%s' is a git repository, and stays in the box as it is there", dir);
}

int box_git_leave_idle(struct eye *eye, struct strlist *gits, struct aisbx_error *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < gits->n; i++) {
		scoped(strlist_finish) struct strlist names = { 0 };
		struct sight seen;
		bool idle;
		int r = eye_find(eye, gits->items[i], &seen);

		idle = r == 0 && S_ISDIR(seen.thing.st.st_mode);
		if (idle)
			r = eye_names(eye, seen.ref, gits->items[i], false, &names);
		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_BOX, -r, "look into '%s'", gits->items[i]);
		for (size_t k = 0; k < names.n; k++)
			idle &= is_idle_name(names.items[k]);
		if (idle)
			free(gits->items[i]);
		else
			gits->items[kept++] = gits->items[i];
	}
	gits->n = kept;
	if (gits->items)
		gits->items[kept] = NULL;
	return 0;
}

/* What the layers know in the git directory DIR: whether it is worth asking git, and what of it never goes home. */
static int look_into(const struct box_git_ask *ask, const char *dir, struct box_git *g, bool *ret_ask)
{
	scoped(strlist_finish) struct strlist names = { 0 };
	scoped(buf_finish) struct buf orders = { 0 };
	struct sight seen;
	int r = eye_find(ask->eye, dir, &seen);

	*ret_ask = r == 0 && S_ISREG(seen.thing.st.st_mode);
	if (r < 0 || !seen.thing.exists || !S_ISDIR(seen.thing.st.st_mode)) {
		if (r == 0 && !*ret_ask)
			git_say(g, "the box has no repository '%s' any more; yours stays", dir);
		return r;
	}
	r = eye_names(ask->eye, seen.ref, dir, false, &names);
	for (size_t i = 0; r == 0 && i < names.n; i++) {
		*ret_ask |= !is_idle_name(names.items[i]);
		if (tells_git_what_to_do(names.items[i]))
			buf_addf(&orders, "%s%s", orders.len ? ", " : "", names.items[i]);
	}
	if (orders.len && buf_str(&orders))
		git_say(g, "of '%s' stayed in the box: %s", dir, orders.data);
	return r;
}

/* The project is a work tree of a repository outside of it, which no box can write for good. */
static void note_elsewhere(const struct box_git_ask *ask, struct box_git *g)
{
	scoped(drop_mem) char *path = path_join(ask->target, ".git");
	scoped(drop_file) FILE *f = path ? fopen(path, "re") : NULL;
	scoped(drop_mem) char *place = NULL;
	char line[PATH_MAX + 16];

	if (!f || !fgets(line, sizeof(line), f) || strncmp(line, "gitdir: ", 8) != 0)
		return;
	line[strcspn(line, "\n")] = '\0';
	place = path_resolve(ask->target, line + 8);
	if (place && !path_is_within(place, ask->target))
		git_say(g, "'%s' is a work tree of a repository elsewhere: its files go home, commits stay in the box", ask->target);
}

static int find_trees(const struct box_git_ask *ask, struct box_git *g, struct strlist *ret)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < ask->gits->n; i++) {
		const char *dir = ask->gits->items[i], *slash = strrchr(dir, '/');
		bool worth = false;

		if (strcmp(slash ? slash + 1 : dir, ".git") != 0) {
			note_odd(g, dir);
			continue;
		}
		r = look_into(ask, dir, g, &worth);
		if (r == 0 && worth)
			strlist_addf(ret, "%.*s", slash ? (int)(slash - dir) : 0, dir);
	}
	return r < 0 ? r : ret->failed || g->stays.failed ? -ENOMEM : 0;
}

/* ---- what the host had when the box began ---- */

/* What was kept of a small file, heap; NULL: nothing. */
static char *read_base(const struct base *base)
{
	scoped(drop_mem) char *blob = NULL;
	scoped(drop_mem) char *text = NULL;
	scoped(drop_fd) int fd = -1;
	struct stat st;
	ssize_t n;

	if (base->state != BASE_KNOWN || !base->blob[0] || asprintf(&blob, "%s/blobs/%s", base->dir, base->blob) < 0)
		return NULL;
	fd = open(blob, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	text = fd >= 0 && fstat(fd, &st) == 0 && st.st_size <= MAX_KEPT ? malloc((size_t)st.st_size + 1) : NULL;
	n = text ? read(fd, text, (size_t)st.st_size) : -1;
	if (n < 0)
		return NULL;
	text[n] = '\0';
	return take_mem(&text);
}

/* The branch that a HEAD names, heap; NULL: none. */
static char *branch_in(char *text)
{
	text[strcspn(text, "\n")] = '\0';
	return !strncmp(text, "ref: ", 5) && git_is_ref(text + 5) ? strdup(text + 5) : NULL;
}

/* Of the host's work tree when the box first did something to its repository. NULL: nobody knows, or it was on none. */
static char *branch_before(const struct box_git_ask *ask, const struct git_repo *host)
{
	const char *below = path_below(host->dir, ask->target);
	scoped(drop_mem) char *path = below ? path_join(below, "HEAD") : NULL;
	const struct base *base = path ? base_find(ask->bases, path) : NULL;
	scoped(drop_mem) char *text = base ? read_base(base) : NULL;

	return text ? branch_in(text) : NULL;
}

/* ---- what is wanted ---- */

/* One branch on its way, until it is known how the two sides stand. */
struct wish {
	const char *from; /* borrowed; of the box */
	const char *ref;  /* borrowed; of the host */
	const char *old;  /* borrowed; where the host has it; NULL: nowhere */
	const char *now;  /* borrowed */
	bool is_head;	  /* the box's work tree is on it */
	bool is_aside;	  /* it is where others go that cannot go where they belong */
	bool ahead, apart;
	uint64_t commits;
};

struct wishes {
	struct wish *list; /* owned */
	size_t n;
};

static int add_wish(struct wishes *w, const struct wish *wish)
{
	struct wish *grown = realloc(w->list, (w->n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	w->list = grown;
	grown[w->n++] = *wish;
	return 0;
}

/* One repository while it is decided about. */
struct deal {
	const struct box_git_ask *ask;
	struct box_git *g;
	const struct git_list *boxes, *hosts; /* all of the two */
	const struct git_repo *box, *host; /* host NULL: it has none */
	char *before;			   /* owned; the branch the host was on */
	const char *head;		   /* borrowed; the branch the box worked on; NULL: none */
	char aside[STORE_NAME_MAX + 32];   /* name of a branch of the box's own */
	struct wishes wishes;
	unsigned int number;
};

static void deal_finish(struct deal *d)
{
	free(d->before);
	free(d->wishes.list);
}

/* The box's own HEAD; where it never wrote one it sees the host's of now, and worked on that of then. */
static const char *head_of_box(const struct deal *d)
{
	const char *below = path_below(d->box->dir, d->ask->target);
	scoped(drop_mem) char *path = below ? path_join(below, "HEAD") : NULL;

	if (d->before && path && !eye_knows(d->ask->eye, path))
		return d->before;
	return d->box->head;
}

static int want_head(struct deal *d)
{
	struct wish w = { .is_head = true, .from = d->head ? d->head : "HEAD" };

	if (d->ask->branch)
		return 0;
	w.now = d->head ? git_ref_find(d->box, d->head) : d->box->at;
	if (!w.now || !*w.now)
		return 0; /* no commit yet */
	w.ref = d->head;
	if (d->host && !d->head && !d->host->head && d->host->at[0])
		w.ref = "HEAD"; /* neither is on a branch */
	if (d->host && w.ref)
		w.old = d->head ? git_ref_find(d->host, w.ref) : d->host->at;
	return add_wish(&d->wishes, &w);
}

/* Another work tree of the same repository is on it, and brings it. */
static bool is_others_head(const struct deal *d, const char *ref)
{
	for (size_t i = 0; i < d->boxes->n; i++) {
		const struct git_repo *r = &d->boxes->repos[i];

		if (r != d->box && r->head && !strcmp(r->common, d->box->common) && !strcmp(r->head, ref) && git_list_find(d->hosts, r->tree))
			return true;
	}
	return false;
}

/* The host had REF when the box began to write to its repository, as a file of its own or among those that are packed. */
static bool was_there(const struct deal *d, const char *ref)
{
	const char *below = path_below(d->host->common, d->ask->target);
	scoped(drop_mem) char *path = below ? path_join(below, ref) : NULL;
	scoped(drop_mem) char *packed = below ? path_join(below, "packed-refs") : NULL;
	const struct base *base = path ? base_find(d->ask->bases, path) : NULL;
	scoped(drop_mem) char *text = NULL;
	scoped(drop_mem) char *line = NULL;

	if (base && base->state == BASE_KNOWN)
		return true;
	base = packed ? base_find(d->ask->bases, packed) : NULL;
	text = base ? read_base(base) : NULL;
	return text && asprintf(&line, " %s\n", ref) >= 0 && strstr(text, line);
}

static int want_others(struct deal *d)
{
	scoped(buf_finish) struct buf left = { 0 };
	const char *below = path_below(d->box->common, d->ask->target);
	int r = 0;

	for (size_t i = 0; r == 0 && i < d->box->n_refs; i++) {
		const struct git_ref *ref = &d->box->refs[i];
		const char *old = d->host ? git_ref_find(d->host, ref->name) : NULL;
		scoped(drop_mem) char *path = below ? path_join(below, ref->name) : NULL;
		bool wanted = d->ask->branch ? !strncmp(ref->name, "refs/heads/", 11) && !strcmp(ref->name + 11, d->ask->branch) : d->ask->refs;

		if ((d->head && !strcmp(d->head, ref->name)) || (old && !strcmp(old, ref->id)) || is_others_head(d, ref->name))
			continue;
		if (wanted && old && !strncmp(ref->name, "refs/tags/", 10))
			git_say(d->g, "tag '%s' stands elsewhere in your repository; the box's stayed in the box", ref->name + 10);
		else if (wanted && !old && d->host && was_there(d, ref->name))
			git_say(d->g, "'%s' is no longer in your repository; the box's stayed in the box", short_name(ref->name));
		else if (wanted)
			r = add_wish(&d->wishes, &(struct wish){ .from = ref->name, .ref = ref->name, .old = old, .now = ref->id });
		else if (!d->ask->branch && path && eye_knows(d->ask->eye, path)) /* the box wrote it */
			buf_addf(&left, "%s%s", left.len ? ", " : "", short_name(ref->name));
	}
	if (left.len && buf_str(&left))
		git_say(d->g, "other branches and tags of the box stayed there: %s; --refs brings them", left.data);
	return r;
}

/* There is a branch by a part of its name, or by more than that: git has them as files and directories. */
static const char *blocked_by(const struct git_repo *host, const char *ref)
{
	size_t n = strlen(ref);

	for (size_t i = 0; i < host->n_refs; i++) {
		const char *other = host->refs[i].name;
		size_t len = strlen(other);

		if ((len < n && !strncmp(ref, other, len) && ref[len] == '/') || (len > n && !strncmp(ref, other, n) && other[n] == '/'))
			return other;
	}
	return NULL;
}

/* By the box's name, or, where that is no name of a branch, its id; not below what is a branch itself. */
static void name_aside(struct deal *d)
{
	const struct store_box *b = d->ask->box;

	for (size_t i = 0; i < 4; i++) {
		snprintf(d->aside, sizeof(d->aside), i % 2 ? "refs/heads/aisbx-%s" : "refs/heads/aisbx/%s", i < 2 ? b->name : b->id);
		if (git_is_ref(d->aside) && !blocked_by(d->host, d->aside))
			return;
	}
}

/* Where commits go that cannot go where they belong: a name that is free, or that went the same way before. */
static int want_aside(struct deal *d)
{
	struct wish w = { .is_aside = true, .ref = d->aside };
	const struct wish *head = d->wishes.n && d->wishes.list[0].is_head ? &d->wishes.list[0] : NULL;

	if (!head || !d->host || d->ask->branch)
		return 0;
	w.from = head->from;
	w.now = head->now;
	name_aside(d);
	w.old = git_ref_find(d->host, d->aside);
	return add_wish(&d->wishes, &w);
}

/* ---- objects ---- */

static int write_wants(const struct deal *d, int *ret_fd, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf b = { 0 };

	for (size_t i = 0; i < d->wishes.n; i++)
		buf_addf(&b, "%s\n", d->wishes.list[i].now);
	for (size_t i = 0; d->host && i < d->host->n_refs; i++)
		buf_addf(&b, "^%s\n", d->host->refs[i].id);
	if (d->host && d->host->at[0])
		buf_addf(&b, "^%s\n", d->host->at);
	return git_input(&b, ret_fd, e);
}

/* DESK/git-N */
static char *desk_of(const struct deal *d)
{
	char *path = NULL;

	return asprintf(&path, "%s/git-%u", d->ask->desk, d->number) < 0 ? NULL : path;
}

/* Packs what the host lacks, by the git of the box. Tells whether there is anything in it. */
static int pack(const struct deal *d, const char *desk, bool *ret_empty, struct aisbx_error *e)
{
	struct driver_mount objects = { .guest = GIT_DESK };
	scoped(git_run_finish) struct git_run g = { .shelf = d->ask->shelf, .box = d->ask->box, .snapshot = d->ask->snapshot,
						     .project = d->ask->target, .tree = d->box->tree, .script = pack_script, .input = -1,
						     .output = -1 };
	scoped(drop_mem) char *path = path_join(desk, "pack");
	scoped(drop_mem) char *host = d->host ? path_join(d->host->common, "objects") : NULL;
	scoped(drop_fd) int wants = -1;
	scoped(drop_fd) int out = -1;
	unsigned char head[12];
	char line[200];
	int r = write_wants(d, &wants, e);

	if (r < 0)
		return r;
	out = path ? open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
	if (out < 0 || (d->host && !host))
		return aisbx_fail(e, AISBX_AREA_BOX, path ? errno : ENOMEM, "make room for commits in '%s'", desk);
	if (host) {
		objects.host = host;
		g.mounts = &objects;
		g.n_mounts = 1;
	}
	g.input = wants;
	g.output = out;
	r = git_run(&g, e);
	if (r < 0)
		return aisbx_context(e, "pack the commits of the box");
	if (g.status || pread(out, head, sizeof(head), 0) != sizeof(head) || memcmp(head, "PACK", 4) != 0)
		return aisbx_refuse(e, AISBX_AREA_BOX, EBADMSG, "git in the box cannot pack its commits%s%s; 'aisbx run --box %s -- git fsck' may "
				    "tell more", g.grumble.len ? ": " : "", git_last_line(&g, line, sizeof(line)), d->ask->box->name);
	*ret_empty = !(head[8] | head[9] | head[10] | head[11]);
	return 0;
}

/* "RELATION COMMITS" of each wish. */
static int read_relations(struct deal *d, const char *said)
{
	for (size_t i = 0; i < d->wishes.n; i++) {
		struct wish *w = &d->wishes.list[i];
		size_t n = strcspn(said, " ");
		char *end;

		w->ahead = !strncmp(said, "ahead", n) || !strncmp(said, "new", n) || !strncmp(said, "same", n);
		w->apart = !strncmp(said, "apart", n);
		if (!said[n])
			return -EBADMSG;
		w->commits = strtoull(said + n + 1, &end, 10);
		if (*end != '\n')
			return -EBADMSG;
		said = end + 1;
	}
	return 0;
}

static int write_wishes(const struct deal *d, const char *desk, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(desk, "wishes");
	scoped(drop_file) FILE *f = path ? fopen(path, "wxe") : NULL;

	for (size_t i = 0; f && i < d->wishes.n; i++) {
		const struct wish *w = &d->wishes.list[i];

		fprintf(f, "%s %s %s\n", w->ref ? w->ref : "HEAD", w->old ? w->old : "-", w->now);
	}
	return !f || fflush(f) ? aisbx_fail(e, AISBX_AREA_BOX, path ? errno : ENOMEM, "write '%s/wishes'", desk) : 0;
}

static int check(struct deal *d, const char *desk, bool empty, struct aisbx_error *e)
{
	const struct driver_mount mount = { .host = desk, .guest = GIT_DESK, .writable = true };
	scoped(git_run_finish) struct git_run g = { .shelf = d->ask->shelf, .project = d->ask->target, .tree = d->host ? d->box->tree : "",
						     .script = check_script, .mounts = &mount, .n_mounts = 1, .input = -1, .output = -1 };
	scoped(strlist_finish) struct strlist args = { 0 };
	char line[200];
	int r;

	strlist_add(&args, d->host ? "have" : "new");
	strlist_add(&args, d->head ? d->head : "refs/heads/main");
	strlist_add(&args, strlen(d->wishes.list[0].now) == 40 ? "sha1" : "sha256");
	strlist_add(&args, empty ? "empty" : "full");
	strlist_add(&args, d->ask->contents ? "contents" : "-");
	if (args.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "check the commits of the box");
	g.args = &args;
	r = write_wishes(d, desk, e);
	if (r < 0)
		return r;
	r = git_run(&g, e);
	if (r < 0)
		return aisbx_context(e, "check the commits of the box");
	git_last_line(&g, line, sizeof(line));
	if (g.status == GIT_BAD || g.status == GIT_PARTS_MISSING)
		return aisbx_refuse(e, AISBX_AREA_BOX, EBADMSG, "the commits of the box are not sound, and stay there: %s; 'aisbx promote %s PATH' "
				    "brings files alone", *line ? line : "parts of them are missing", d->ask->box->name);
	if (g.status || read_relations(d, g.said.data) < 0)
		return aisbx_refuse(e, AISBX_AREA_BOX, EPROTO, "git could not look at the repository '%s/%s'%s%s", d->ask->target, d->box->tree,
				    *line ? ": " : "", line);
	return 0;
}

/* ---- decisions ---- */

static struct git_change *add_change(struct deal *d)
{
	struct git_change *grown = realloc(d->g->changes, (d->g->n + 1) * sizeof(*grown)), *c;

	if (!grown)
		return NULL;
	d->g->changes = grown;
	c = &grown[d->g->n];
	*c = (struct git_change){ .tree = strdup(d->box->tree), .number = d->number };
	if (d->host) {
		c->dir = strdup(d->host->dir);
		c->common = strdup(d->host->common);
	}
	d->g->n++;
	return c->tree && (!d->host || (c->dir && c->common)) ? c : NULL;
}

static int add_move(struct git_change *c, struct box_git *g, const struct wish *w, enum git_how how)
{
	struct git_move *grown = realloc(c->moves, (c->n + 1) * sizeof(*grown)), *m;

	if (!grown)
		return -ENOMEM;
	c->moves = grown;
	m = &grown[c->n];
	*m = (struct git_move){ .ref = strdup(w->ref), .from = strdup(w->from), .how = how, .commits = w->commits };
	if (w->old)
		snprintf(m->old, sizeof(m->old), "%s", w->old);
	snprintf(m->now, sizeof(m->now), "%s", w->now);
	c->n++;
	g->n_moves++;
	return m->ref && m->from ? 0 : -ENOMEM;
}

/* A branch of the box's own name, or where that is taken by something else the next that is free. */
static int move_aside(struct deal *d, struct git_change *c, const struct wish *aside)
{
	char name[sizeof(d->aside) + 16];
	struct wish w = *aside;

	if (w.old && !strcmp(w.old, w.now))
		return 0; /* it is there already */
	for (int i = 2; !w.ahead; i++) {
		const char *old;

		snprintf(name, sizeof(name), "%s-%d", d->aside, i);
		old = git_ref_find(d->host, name);
		if (old && !strcmp(old, w.now))
			return 0;
		w.ref = name;
		w.old = NULL;
		w.ahead = !old;
	}
	return add_move(c, d->g, &w, GIT_ASIDE);
}

/* The host's work tree follows the box's: its index, and where the box went to another branch, its HEAD. */
static int follow(struct deal *d, struct git_change *c, const struct wish *w)
{
	bool same = d->host->head ? w->ref && !strcmp(d->host->head, w->ref) : w->ref && !strcmp(w->ref, "HEAD");

	if (!same && !(d->before && d->host->head && w->ref && !strcmp(d->before, d->host->head)))
		return 0; /* the host went elsewhere itself */
	if (!same) {
		c->head_old = strdup(d->host->head);
		c->head_now = strdup(w->ref);
		if (!c->head_old || !c->head_now)
			return -ENOMEM;
		d->g->n_moves++;
	}
	snprintf(c->index_old, sizeof(c->index_old), "%s", d->host->at[0] ? d->host->at : "-");
	snprintf(c->index_now, sizeof(c->index_now), "%s", w->now);
	return 0;
}

static int settle_head(struct deal *d, struct git_change *c, const struct wish *w, const struct wish *aside)
{
	bool busy = w->ref && strlist_has(&d->host->busy, w->ref);
	int r;

	if (w->ref && !w->ahead && !w->apart)
		return 0; /* the host has all of it */
	if (!w->ref || w->apart || busy || (!w->old && blocked_by(d->host, w->ref))) {
		if (w->apart && !*d->box->tree)
			d->g->apart = strdup(w->old);
		return aside && w->commits ? move_aside(d, c, aside) : 0; /* without any the host has it all, somewhere */
	}
	r = w->old && !strcmp(w->old, w->now) ? 0 : add_move(c, d->g, w, w->old ? GIT_FORWARD : GIT_CREATED);
	return r < 0 ? r : follow(d, c, w);
}

static int settle_other(struct deal *d, struct git_change *c, const struct wish *w)
{
	const char *other = w->old ? NULL : blocked_by(d->host, w->ref);

	if (other) {
		git_say(d->g, "there is '%s' in your repository, so there can be no '%s'; the box's stayed in the box", short_name(other),
			short_name(w->ref));
		return 0;
	}
	if (w->ahead && !strlist_has(&d->host->busy, w->ref) && !(d->host->head && !strcmp(d->host->head, w->ref)))
		return add_move(c, d->g, w, w->old ? GIT_FORWARD : GIT_CREATED);
	if (w->apart || w->ahead)
		git_say(d->g, "branch '%s' %s; the box's stayed in the box", short_name(w->ref),
			     w->apart ? "went another way in your repository" : "is checked out in another work tree");
	return 0;
}

static void note_switch(struct deal *d)
{
	const char *is = d->host->head ? d->host->head : NULL;

	if (!d->before || !d->head || (is && !strcmp(is, d->before)) || (is && !strcmp(is, d->head)) || d->g->switched)
		return;
	if (asprintf(&d->g->switched, "'%s%s%s' was on branch '%s' when the box began and is on %s%s%s now: 'git switch %s' first", d->ask->target,
		     *d->box->tree ? "/" : "", d->box->tree, short_name(d->before), is ? "'" : "no branch", is ? short_name(is) : "", is ? "'" : "",
		     short_name(d->before)) < 0)
		d->g->switched = NULL;
}

static int settle(struct deal *d)
{
	const struct wish *aside = NULL;
	struct git_change *c = add_change(d);
	size_t before = d->g->n_moves;
	int r = c ? 0 : -ENOMEM;

	for (size_t i = 0; i < d->wishes.n; i++)
		if (d->wishes.list[i].is_aside)
			aside = &d->wishes.list[i];
	for (size_t i = 0; r == 0 && i < d->wishes.n; i++) {
		const struct wish *w = &d->wishes.list[i];

		if (w->is_aside)
			continue;
		if (!d->host)
			r = w->ref ? add_move(c, d->g, w, GIT_CREATED) : 0;
		else
			r = w->is_head ? settle_head(d, c, w, aside) : settle_other(d, c, w);
	}
	if (r == 0 && d->host && d->g->n_moves != before)
		note_switch(d);
	if (r == 0 && d->g->n_moves == before) { /* there is nothing to do */
		git_change_finish(c);
		d->g->n--;
	}
	return r;
}

static bool is_linked(const struct git_repo *r)
{
	return strcmp(r->dir, r->common) != 0;
}

/* Where a new repository would go there is a directory, or will be, and nothing of that name in it. */
static bool has_place(const struct deal *d)
{
	scoped(drop_mem) char *tree = *d->box->tree ? path_join(d->ask->target, d->box->tree) : strdup(d->ask->target);
	scoped(drop_mem) char *git = tree ? path_join(tree, ".git") : NULL;
	scoped(drop_mem) char *real = NULL;
	struct stat st;

	if (!git || lstat(git, &st) == 0)
		return false;
	for (size_t i = 0; i < d->ask->plan->n; i++) {
		const struct merge_step *s = &d->ask->plan->steps[i];

		if (!strcmp(s->path, d->box->tree) && (s->op == MERGE_CREATE || s->op == MERGE_REPLACE || s->op == MERGE_INSIDE))
			return S_ISDIR(s->now.st_mode);
	}
	real = realpath(tree, NULL); /* by way of a link it would go elsewhere */
	return real && !strcmp(real, tree) && lstat(tree, &st) == 0 && S_ISDIR(st.st_mode);
}

static int decide(struct deal *d, struct aisbx_error *e)
{
	scoped(drop_mem) char *desk = desk_of(d);
	bool empty = false;
	int r;

	if (!d->host && (is_linked(d->box) || d->ask->branch)) {
		if (!d->ask->branch)
			strlist_add(&d->g->trees, d->box->tree);
		if (!d->ask->branch)
			git_say(d->g, "work tree '%s' of the box is not in your repository: --refs brings its branch, 'git worktree add' "
				     "makes the tree", d->box->tree);
		return 0;
	}
	if (!d->host && !has_place(d)) {
		note_odd(d->g, *d->box->tree ? d->box->tree : ".");
		return 0;
	}
	d->before = d->host ? branch_before(d->ask, d->host) : NULL;
	d->head = head_of_box(d);
	r = want_head(d);
	if (r == 0)
		r = want_others(d);
	if (r == 0 && !d->host && d->wishes.n && !d->wishes.list[0].ref)
		d->wishes.n = 0; /* a new one needs a branch to stand on */
	if (r == 0 && d->wishes.n)
		r = want_aside(d);
	if (r < 0 || !d->wishes.n)
		return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "look at the commits of the box") : 0;
	if (d->wishes.n == 2 && d->wishes.list[1].is_aside && d->wishes.list[0].old && !strcmp(d->wishes.list[0].old, d->wishes.list[0].now) &&
	    d->host->head && d->head && !strcmp(d->host->head, d->head))
		return 0; /* both stand at the same commit */
	if (!desk || mkdir(desk, 0700) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, desk ? errno : ENOMEM, "make room for commits");
	r = pack(d, desk, &empty, e);
	if (r == 0)
		r = check(d, desk, empty, e);
	if (r == 0 && settle(d) < 0)
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "decide about the commits of the box");
	return r;
}

static int list_both(const struct box_git_ask *ask, struct strlist *trees, struct git_list *ret_box, struct git_list *ret_host,
		     struct aisbx_error *e)
{
	scoped(git_run_finish) struct git_run in_box = { .shelf = ask->shelf, .box = ask->box, .snapshot = ask->snapshot,
							  .project = ask->target, .tree = "", .input = -1, .output = -1 };
	scoped(git_run_finish) struct git_run outside = { .shelf = ask->shelf, .project = ask->target, .tree = "", .input = -1,
							   .output = -1 };
	int r = git_list_read(&in_box, trees, ret_box, e);

	for (size_t i = 0; r == 0 && i < ret_box->n; i++)
		if (!strlist_has(trees, ret_box->repos[i].tree))
			strlist_add(trees, ret_box->repos[i].tree);
	if (r == 0 && trees->failed)
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "look for repositories");
	return r < 0 || !ret_box->n ? r : git_list_read(&outside, trees, ret_host, e);
}

int box_git_plan(const struct box_git_ask *ask, struct box_git *ret, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist trees = { 0 };
	scoped(git_list_finish) struct git_list box = { 0 };
	scoped(git_list_finish) struct git_list host = { 0 };
	int r;

	note_elsewhere(ask, ret);
	r = find_trees(ask, ret, &trees);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, -r, "look for repositories in the box");
	if (!trees.n)
		return 0;
	r = list_both(ask, &trees, &box, &host, e);
	for (size_t i = 0; r == 0 && i < box.n; i++) {
		scoped(deal_finish) struct deal d = { .ask = ask, .g = ret, .boxes = &box, .hosts = &host, .box = &box.repos[i], .number = (unsigned int)i };

		if (ask->branch && *box.repos[i].tree)
			continue;
		d.host = git_list_find(&host, box.repos[i].tree);
		r = decide(&d, e);
	}
	return r;
}
