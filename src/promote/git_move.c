/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Moves branches, HEAD and index of the real repository, and moves them back, as in a journal. By git, in a
 * box that can write to the real git directory and nothing else of the host. Each action can be repeated:
 * what is moved already is left.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "promote/git.h"
#include "promote/git_list.h"
#include "layer/record.h"

#define FILE_NAME "git"
#define VERSION   1u

/*
 * $1: what the reflog says, $2 and $3: the repository and which directory that must be, $4 and $5: the same
 * of where HEAD is, $6: the promotion. Standard input: "ref NAME OLD NEW", "head OLD NEW", "index OLD NEW",
 * with "-" for none, and "end". Takes the pack from the scratch directory if there is one. The index is taken
 * from OLD to NEW but for what is staged in it; what cannot be done to it is said.
 *
 * It may be killed anywhere, and so may a git that it started, and git leaves its locks then. So there is a
 * mark, with the promotion's name, as long as one of ours may be there: who finds it, or sees git killed,
 * removes locks of what was to be moved; but a live git gets a second to end. The lock of the index is one
 * that says whose it is.
 */
static const char move_script[] = GIT_BEGIN
	"note=$1 id=$6 out=" GIT_SCRATCH_DIR "; cat >/tmp/orders || exit 54; "
	"one=$(stat -c %d:%i \"$2\") && two=$(stat -c %d:%i \"$4\") || exit 54; "
	"[ \"$one\" = \"$3\" ] && [ \"$two\" = \"$5\" ] || { echo \"another directory is there now\"; exit "
	"53; }; "
	"dir=$(g rev-parse --absolute-git-dir) && objects=$(g rev-parse --path-format=absolute --git-path "
	"objects) || exit 54; "
	"mark=$dir/aisbx-$id common=$2; "
	"unlock() { "
	"  { echo HEAD && awk '$1 == \"ref\" { print $2 } $1 == \"head\" { print $2; print $3 }' "
	"/tmp/orders; } >/tmp/names || exit 54; "
	"  while read -r ref; do printf '%s\n' \"$dir/$ref.lock\" \"$common/$ref.lock\"; done </tmp/names "
	">/tmp/locks; "
	"  printf '%s\n' \"$common/packed-refs.lock\" \"$common/packed-refs.new\" "
	"\"$common/reftable/tables.list.lock\" >>/tmp/locks; "
	"  for i in 1 2 3 4 5 6 7 8 9 10; do "
	"    held=; while read -r lock; do [ ! -f \"$lock\" ] || held=1; done </tmp/locks; [ \"$held\" ] || "
	"break; sleep 0.1; done; "
	"  [ -z \"$held\" ] || while read -r lock; do [ ! -f \"$lock\" ] || rm -f \"$lock\"; done "
	"</tmp/locks; "
	"}; "
	"failed() { [ $? -lt 128 ] || unlock; rm -f \"$mark\"; look; exit 54; }; " /* somebody moved one just
										      now, or git could not */
	"rm -f \"$objects/pack/tmp_aisbx_$id\".*; "
	"[ ! -f \"$mark\" ] || { unlock; rm -f \"$mark\"; }; "
	"look() { "
	"  head= at=branch; ask symbolic-ref -q HEAD; case $? in 0) read -r head </tmp/said;; 1) at=;; *) "
	"cat /tmp/why; exit 54;; esac; "
	"  [ \"$at\" ] || { ask rev-parse -q --verify HEAD; case $? in 0) read -r at </tmp/said;; 1) at=-;; "
	"*) cat /tmp/why; exit 54;; esac; }; "
	"  { echo \"HEAD $at\" && g for-each-ref --format='%(refname) %(objectname)' refs/heads refs/tags; } "
	">/tmp/refs || exit 54; "
	"  awk 'NR == FNR { at[$1] = $2; next } $1 != \"ref\" { next } "
	"    { is = $2 in at ? at[$2] : \"-\" } is == $4 { next } is != $3 { print $2 \" is at \" is "
	">\"/dev/stderr\"; exit 9 } "
	"    $2 == \"HEAD\" { print \"option no-deref\" } "
	"    $4 == \"-\" { print \"delete \" $2 \" \" $3; next } $3 == \"-\" { print \"create \" $2 \" \" "
	"$4; next } "
	"    { print \"update \" $2 \" \" $4 \" \" $3 }' /tmp/refs /tmp/orders >/tmp/todo; "
	"  case $? in 0) ;; 9) exit 53;; *) exit 54;; esac; "
	"}; look; "
	"head_new= index_old= index_new= all=; "
	"while read -r what a b rest; do case $what in "
	"  head) head_new=$b; case $head in \"$a\" | \"$b\") ;; *) echo \"HEAD is at ${head:-no branch}\"; "
	"exit 53;; esac;; "
	"  index) index_old=$a index_new=$b;; end) all=1;; "
	"esac; done </tmp/orders; [ \"$all\" ] || { echo \"not all orders came\"; exit 54; }; "
	"for pack in \"$out\"/objects/pack/pack-*.pack; do "
	"  [ -f \"$pack\" ] || continue; name=${pack##*/}; name=${name%.pack}; "
	"  for end in pack rev idx; do "
	"    [ -f \"${pack%.pack}.$end\" ] && [ ! -f \"$objects/pack/$name.$end\" ] || continue; "
	"    tmp=$objects/pack/tmp_aisbx_$id.$end; "
	"    cp \"${pack%.pack}.$end\" \"$tmp\" && chmod 444 \"$tmp\" && sync \"$tmp\" && mv \"$tmp\" "
	"\"$objects/pack/$name.$end\" || "
	"      { rm -f \"$tmp\"; exit 54; }; "
	"  done; "
	"done; "
	"sync \"$objects/pack\" 2>/dev/null; "
	/* HEAD leaves a branch before that goes, and comes to one when that is there. */
	"switch() { [ -z \"$head_new\" ] || g symbolic-ref -m \"$note\" HEAD \"$head_new\" || failed; }; "
	": >\"$mark\" || exit 54; "
	"{ echo start && cat /tmp/todo && echo prepare && echo commit; } >/tmp/transaction || exit 54; "
	"goes=; while read -r what rest; do [ \"$what\" != delete ] || goes=1; done </tmp/todo; "
	"if [ \"$goes\" ]; then switch; head_new=; fi; "
	"[ ! -s /tmp/todo ] || "
	"  g -c core.logAllRefUpdates=true update-ref -m \"$note\" --create-reflog --stdin </tmp/transaction "
	">/dev/null || failed; "
	"switch; rm -f \"$mark\"; "
	"[ -n \"$index_new\" ] || exit 0; "
	"index=$dir/index; new=$index.aisbx; "
	"[ \"$index_old\" != - ] || { ask hash-object -t tree /dev/null && read -r index_old </tmp/said || "
	"exit 54; }; "
	"[ \"$(head -c 200 \"$index.lock\" 2>/dev/null)\" != \"aisbx $id\" ] || rm -f \"$index.lock\"; "
	"lock() { "
	"  echo \"aisbx $id\" >\"$new.mine\" || return; ! ln \"$new.mine\" \"$index.lock\" 2>/dev/null || "
	"return 0; "
	"  [ ! -e \"$index.lock\" ] && ( set -C; : >\"$index.lock\" ) 2>/dev/null; " /* a file system without
											links */
	"}; "
	"lock || { rm -f \"$new.mine\"; echo index >&3; exit 0; }; "
	"trap 'rm -f \"$new.mine\" \"$new\" \"$new.lock\" \"$index.lock\"' EXIT; rm -f \"$new\" "
	"\"$new.lock\"; "
	"follow() { "
	"  g ls-files -u >/tmp/unmerged && [ ! -s /tmp/unmerged ] || return; "
	"  [ ! -f \"$index\" ] || cp \"$index\" \"$new\" || return; "
	"  export GIT_INDEX_FILE=\"$new\"; "
	"  g diff-index --cached --no-renames --name-only -z \"$index_old\" >/tmp/staged || return; "
	"  : >/tmp/entries; [ ! -s /tmp/staged ] || xargs -0 git ls-files -s -z -- </tmp/staged "
	">/tmp/entries || return; "
	"  g diff-files --name-only --diff-filter=A -z >/tmp/intents || return; " /* those of 'git add -N' */
	"  if [ \"$index_new\" = - ]; then g read-tree --empty; else g read-tree -i -m \"$index_new\"; fi || "
	"return; "
	"  [ ! -s /tmp/staged ] || { g update-index -z --force-remove --stdin </tmp/staged && "
	"    g update-index -z --index-info </tmp/entries; } || return; "
	"  [ ! -s /tmp/intents ] || { g update-index -z --force-remove --stdin </tmp/intents && "
	"    g add -f -N --pathspec-from-file=/tmp/intents --pathspec-file-nul; } || return; "
	"  g update-index -q --refresh >/dev/null; "
	"  g ls-files >/tmp/listed || return; if [ -s /tmp/listed ]; then mv \"$new\" \"$index\"; else rm -f "
	"\"$index\"; fi; "
	"}; "
	"follow || echo index >&3";

/* $1: "in" or "out": the clean repository from the scratch directory to the tree, or back; $2: which
 * directory the tree must be. */
static const char place_script[] = GIT_BEGIN
	"tree=" GIT_SCRATCH_DIR "/tree desk=" GIT_SCRATCH_DIR "/desk; "
	"is=$(stat -c %d:%i \"$tree\") || exit 54; [ \"$is\" = \"$2\" ] || { echo \"another directory is "
	"there now\"; exit 53; }; "
	"git=$tree/.git in=$tree/.git.aisbx out=$tree/.git.aisbx-out taken=$desk/taken; rm -rf \"$in\"; "
	"if [ $1 = in ] && [ ! -e \"$git\" ]; then "
	"  from=$desk/new/.git; [ ! -d \"$taken\" ] || from=$taken; "
	"  cp -a \"$from\" \"$in\" && sync -f \"$in\" && mv -T \"$in\" \"$git\" || { rm -rf \"$in\"; exit "
	"54; }; "
	"elif [ $1 = out ] && [ -e \"$git\" ]; then " /* a copy first: the scratch directory is another mount,
							 and half a repository is none */
	"  rm -rf \"$taken\" \"$taken.new\"; "
	"  cp -a \"$git\" \"$taken.new\" && sync -f \"$taken.new\" && mv -T \"$taken.new\" \"$taken\" && mv "
	"-T \"$git\" \"$out\" || exit 54; "
	"fi; "
	"rm -rf \"$out\"";

static const char *or_dash(const char *s)
{
	return s && *s ? s : "-";
}

static void write_change(const struct git_change *c, struct buf *b)
{
	buf_addf(b, "tree %s\nnumber %u\n", *c->tree ? c->tree : ".", c->number);
	if (c->dir)
		buf_addf(b, "dir %s\ncommon %s\n", c->dir, c->common);
	for (size_t i = 0; i < c->n; i++)
		buf_addf(b, "ref %s %s %s\n", c->moves[i].ref, or_dash(c->moves[i].old), c->moves[i].now);
	if (c->head_now)
		buf_addf(b, "head %s %s\n", c->head_old, c->head_now);
	if (c->index_now[0])
		buf_addf(b, "index %s %s\n", c->index_old, c->index_now);
}

int box_git_record(const struct box_git *g, const char *scratch_dir, struct journal *j, struct aisbx_error *e)
{
	const uint32_t version = VERSION;
	scoped(buf_finish) struct buf record = { 0 };
	int r = 0;

	for (size_t i = 0; i < g->n; i++) {
		scoped(buf_finish) struct buf text = { 0 };
		scoped(drop_mem) char *from = NULL;
		char name[32];

		snprintf(name, sizeof(name), "git-%u", g->changes[i].number);
		from = path_join(scratch_dir, name);
		write_change(&g->changes[i], &text);
		if (!from || !buf_str(&text))
			return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "record the changes of branches");
		if (renameat(AT_FDCWD, from, j->fd, name) < 0)
			return aisbx_fail(e, AISBX_AREA_BOX, errno, "store the commits of the box");
		record_add(&record, &version, sizeof(version), text.data);
	}
	if (g->n)
		r = record_write(j->fd, FILE_NAME, &record, true);
	if (r == 0 && g->n && syncfs(j->fd) < 0)
		r = -errno;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "record the changes of branches") : 0;
}

static int keep(char **place, const char *word)
{
	char *copy = strdup(word);

	if (!copy)
		return -ENOMEM;
	free(*place);
	*place = copy;
	return 0;
}

static void copy_id(char ret[GIT_ID_MAX], const char *word)
{
	snprintf(ret, GIT_ID_MAX, "%s", word);
}

static int read_ref(struct git_change *c, char *ref, const char *old, const char *now)
{
	struct git_move *grown = realloc(c->moves, (c->n + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	c->moves = grown;
	grown[c->n] = (struct git_move){ .ref = strdup(ref) };
	copy_id(grown[c->n].old, old);
	copy_id(grown[c->n].now, now);
	return grown[c->n++].ref ? 0 : -ENOMEM;
}

/* A line of our own writing. */
static int read_line(struct git_change *c, char *line)
{
	char *words[4] = { line, line, line, line }, *at = line;
	size_t n = 1, most = !strncmp(line, "ref ", 4)                                   ? 4
			     : !strncmp(line, "head ", 5) || !strncmp(line, "index ", 6) ? 3
											 : 2;

	for (; n < most && (at = strchr(at, ' ')); n++) {
		*at++ = '\0';
		words[n] = at;
	}
	if (n < most)
		return -EUCLEAN;
	if (!strcmp(line, "tree"))
		return keep(&c->tree, strcmp(words[1], ".") != 0 ? words[1] : "");
	if (!strcmp(line, "dir"))
		return keep(&c->dir, words[1]);
	if (!strcmp(line, "common"))
		return keep(&c->common, words[1]);
	if (!strcmp(line, "number"))
		c->number = (unsigned int)strtoul(words[1], NULL, 10);
	else if (!strcmp(line, "ref"))
		return read_ref(c, words[1], words[2], words[3]);
	else if (!strcmp(line, "head"))
		return keep(&c->head_old, words[1]) < 0 ? -ENOMEM : keep(&c->head_now, words[2]);
	else if (!strcmp(line, "index")) {
		copy_id(c->index_old, words[1]);
		copy_id(c->index_now, words[2]);
	}
	return 0;
}

static int read_change(struct box_git *g, const char *text)
{
	struct git_change *grown = realloc(g->changes, (g->n + 1) * sizeof(*grown));
	scoped(drop_mem) char *copy = strdup(text);
	char *save = NULL;
	int r = 0;

	if (grown)
		g->changes = grown;
	if (!grown || !copy)
		return -ENOMEM;
	grown[g->n++] = (struct git_change){ .tree = strdup("") };
	if (!grown[g->n - 1].tree)
		return -ENOMEM;
	for (char *line = strtok_r(copy, "\n", &save); r == 0 && line; line = strtok_r(NULL, "\n", &save))
		r = read_line(&grown[g->n - 1], line);
	return r;
}

static int read_record(const struct journal *j, struct box_git *ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf record = { 0 };
	const char *text;
	uint32_t version;
	size_t at = 0;
	int r = record_read(j->fd, FILE_NAME, &record);

	if (r == -ENOENT)
		return 0;
	while (r == 0 && (text = record_next(&record, &at, &version, sizeof(version))))
		r = version == VERSION ? read_change(ret, text) : -EUCLEAN;
	if (r == 0 && at != record.len)
		r = -EUCLEAN;
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "read how promotion '%s' changed branches", j->id)
		     : 0;
}

static int orders_fd(const struct git_change *c, bool back, int *ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf b = { 0 };

	for (size_t i = 0; i < c->n; i++) {
		const char *old = or_dash(c->moves[i].old), *now = c->moves[i].now;

		buf_addf(&b, "ref %s %s %s\n", c->moves[i].ref, back ? now : old, back ? old : now);
	}
	if (c->head_now)
		buf_addf(&b, "head %s %s\n", back ? c->head_now : c->head_old,
			 back ? c->head_old : c->head_now);
	if (c->index_now[0])
		buf_addf(&b, "index %s %s\n", back ? c->index_now : c->index_old,
			 back ? c->index_old : c->index_now);
	buf_addf(&b, "end\n");
	return git_input(&b, ret, e);
}

static char *scratch_dir_of(const struct journal *j, const struct git_change *c)
{
	char *path = NULL;

	return asprintf(&path, "%s/%s/git-%u", j->base, j->id, c->number) < 0 ? NULL : path;
}

/*
 * Which directory PATH is, that lies below the target without any link on the way: the box that gets it to
 * write to is told, and looks whether it got that one.
 */
static int identify(struct journal *j, const char *path, char ret[64], struct aisbx_error *e)
{
	const char *below = path_below(path, j->target);
	struct stat st;
	int r;

	tree_root_forget(&j->tree);
	r = below ? tree_root_stat(&j->tree, *below ? below : ".", &st) : -EXDEV;
	if (r > 0 && !S_ISDIR(st.st_mode))
		r = -ENOTDIR;
	if (r <= 0)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ESTALE,
				    "'%s' is not the same directory as before: %s", path,
				    r ? strerror(-r) : "it was removed");
	snprintf(ret, 64, "%llu:%llu", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	return 0;
}

/* A linked work tree has its HEAD and index in a directory of its own, which may or may not be in the
 * repository's. */
static size_t add_mounts(const struct git_change *c, const char *scratch_dir, bool back,
			 struct run_mount ret[3])
{
	size_t n = 0;

	ret[n++] = (struct run_mount){ .host = c->common, .guest = c->common, .writable = true };
	if (!path_is_within(c->dir, c->common))
		ret[n++] = (struct run_mount){ .host = c->dir, .guest = c->dir, .writable = true };
	if (!back && access(scratch_dir, F_OK) == 0)
		ret[n++] = (struct run_mount){ .host = scratch_dir, .guest = GIT_SCRATCH_DIR };
	return n;
}

static int move_one(struct box_state *s, struct journal *j, const struct git_change *c, bool back,
		    struct aisbx_error *after, struct aisbx_error *e)
{
	struct run_mount mounts[3];
	scoped(git_run_finish) struct git_run g = { .state = s,
						    .project = j->target,
						    .tree = c->tree,
						    .script = move_script,
						    .mounts = mounts,
						    .output = -1 };
	scoped(strlist_finish) struct strlist args = { 0 };
	scoped(drop_mem) char *scratch_dir = scratch_dir_of(j, c);
	scoped(drop_fd) int orders = -1;
	char line[200], common[64] = "", dir[64] = "";
	int r = orders_fd(c, back, &orders, e);

	if (r == 0)
		r = identify(j, c->common, common, e);
	if (r == 0)
		r = identify(j, c->dir, dir, e);
	strlist_addf(&args, "aisbx %s: box %s, promotion %s", back ? "undo" : "promote", j->head.box_name,
		     j->id);
	strlist_add(&args, c->common);
	strlist_add(&args, common);
	strlist_add(&args, c->dir);
	strlist_add(&args, dir);
	strlist_add(&args, j->id);
	if (r < 0)
		return r;
	if (!scratch_dir || args.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "move branches");
	g.n_mounts = add_mounts(c, scratch_dir, back, mounts);
	g.args = &args;
	g.input = orders;
	r = git_run(&g, e);
	if (r < 0)
		return aisbx_context(e, "move branches of '%s/%s'", j->target, c->tree);
	git_last_line(&g, line, sizeof(line));
	if (g.status == GIT_MOVED)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_BOX, ESTALE,
				    "a branch of '%s/%s' was moved meanwhile (%s)", j->target, c->tree, line);
	if (g.status)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EIO,
				    "git could not move branches of '%s/%s'%s%s", j->target, c->tree,
				    *line ? ": " : "", line);
	if (strstr(g.said.data, "index") && after)
		aisbx_refuse(after, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
			     "the index of '%s/%s' could not be updated, because it is in use, has "
			     "conflicts, or there is no space; 'git reset' updates it",
			     j->target, c->tree);
	return 0;
}

/* Of one who was cut off. */
static bool has_leftover(const char *git)
{
	static const char *const ends[] = { ".aisbx", ".aisbx-out" };
	struct stat st;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		scoped(drop_mem) char *path = NULL;

		if (asprintf(&path, "%s%s", git, ends[i]) < 0 || lstat(path, &st) == 0)
			return true;
	}
	return false;
}

/* A clean repository where there was none. */
static int place_one(struct box_state *s, struct journal *j, const struct git_change *c, bool back,
		     struct aisbx_error *e)
{
	scoped(drop_mem) char *tree = *c->tree ? path_join(j->target, c->tree) : strdup(j->target);
	scoped(drop_mem) char *git = tree ? path_join(tree, ".git") : NULL;
	scoped(drop_mem) char *scratch_dir = scratch_dir_of(j, c);
	const struct run_mount mounts[] = {
		{ .host = tree, .guest = GIT_SCRATCH_DIR "/tree", .writable = true },
		{ .host = scratch_dir, .guest = GIT_SCRATCH_DIR "/desk", .writable = true }
	};
	scoped(git_run_finish) struct git_run g = { .state = s,
						    .project = j->target,
						    .tree = "",
						    .script = place_script,
						    .mounts = mounts,
						    .n_mounts = 2,
						    .input = -1,
						    .output = -1 };
	scoped(strlist_finish) struct strlist args = { 0 };
	char line[200], id[64] = "";
	struct stat st;
	int r;

	if (!git || !scratch_dir)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make a repository");
	r = identify(j, tree, id, e);
	if (r < 0)
		return r;
	strlist_add(&args, back ? "out" : "in");
	strlist_add(&args, id);
	if (args.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make a repository");
	if ((lstat(git, &st) == 0) != back && !has_leftover(git)) /* done already, or gone */
		return 0;
	g.args = &args;
	r = git_run(&g, e);
	if (r < 0)
		return aisbx_context(e, "make the repository '%s'", git);
	git_last_line(&g, line, sizeof(line));
	return g.status ? aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EIO,
				       "the repository '%s' could not be %s%s%s", git,
				       back ? "taken back" : "made", *line ? ": " : "", line)
			: 0;
}

static int act(struct box_state *s, struct journal *j, const struct git_change *c, bool back,
	       struct aisbx_error *after, struct aisbx_error *e)
{
	return c->dir ? move_one(s, j, c, back, after, e) : place_one(s, j, c, back, e);
}

int box_git_forward(struct box_state *s, struct journal *j, bool *ret_mixed, struct aisbx_error *after,
		    struct aisbx_error *e)
{
	scoped(box_git_finish) struct box_git g = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	size_t n = 0;
	int r = read_record(j, &g, e);

	*ret_mixed = false;
	while (r == 0 && n < g.n)
		r = act(s, j, &g.changes[n++], false, after, e);
	for (; r < 0 && n; n--) { /* all or none; of the one that failed nobody knows how far it came */
		int back = act(s, j, &g.changes[n - 1], true, NULL, &ignored);

		*ret_mixed |= back < 0 && back != -ESTALE;
	}
	return r;
}

/* Each by itself, the last first when it goes back. */
static int act_all(struct box_state *s, struct journal *j, bool back, struct aisbx_error *after,
		   struct aisbx_error *e)
{
	scoped(box_git_finish) struct box_git g = { 0 };
	int r = read_record(j, &g, e);

	for (size_t i = 0; r == 0 && i < g.n; i++) {
		r = act(s, j, &g.changes[back ? g.n - 1 - i : i], back, after, e);
		if (r == -ESTALE) { /* it is somebody's now */
			*e = (struct aisbx_error)AISBX_ERROR_INIT;
			r = 0;
		}
	}
	return r;
}

int box_git_again(struct box_state *s, struct journal *j, struct aisbx_error *e)
{
	return act_all(s, j, false, NULL, e);
}

int box_git_back(struct box_state *s, struct journal *j, struct aisbx_error *after, struct aisbx_error *e)
{
	return act_all(s, j, true, after, e);
}

static bool is_moved(const struct git_repo *r, const struct git_move *m)
{
	const char *is = !r ? NULL : !strcmp(m->ref, "HEAD") ? r->at : git_ref_find(r, m->ref);

	return strcmp(or_dash(is), m->now) != 0 &&
	       strcmp(or_dash(is), or_dash(m->old)) != 0; /* old: taken back already */
}

static void tell_changed(const struct git_change *c, const struct git_repo *r, struct strlist *ret)
{
	const char *slash = *c->tree ? "/" : "";
	bool other = c->head_now && r &&
		     (!r->head || (strcmp(r->head, c->head_now) != 0 && strcmp(r->head, c->head_old) != 0));

	for (size_t i = 0; i < c->n; i++)
		if (is_moved(r, &c->moves[i]))
			strlist_addf(ret, "%s%s.git (%s)", c->tree, slash, c->moves[i].ref);
	if (other)
		strlist_addf(ret, "%s%s.git (HEAD)", c->tree, slash);
	if (!c->dir && r && r->n_refs != c->n) /* it has more than it was made with */
		strlist_addf(ret, "%s%s.git", c->tree, slash);
}

int box_git_changed(struct box_state *s, struct journal *j, struct strlist *ret, struct aisbx_error *e)
{
	scoped(git_run_finish) struct git_run run = {
		.state = s, .project = j->target, .tree = "", .input = -1, .output = -1
	};
	scoped(box_git_finish) struct box_git g = { 0 };
	scoped(git_list_finish) struct git_list list = { 0 };
	scoped(strlist_finish) struct strlist trees = { 0 };
	int r = read_record(j, &g, e);

	if (r < 0 || !g.n)
		return r;
	for (size_t i = 0; i < g.n; i++)
		strlist_add(&trees, g.changes[i].tree);
	r = git_list_read(&run, &trees, &list, e);
	for (size_t i = 0; r == 0 && i < g.n; i++)
		tell_changed(&g.changes[i], git_list_find(&list, g.changes[i].tree), ret);
	return r < 0         ? r
	       : ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "check the state of branches")
			     : 0;
}

int box_git_paths(const struct journal *j, struct strlist *ret, struct aisbx_error *e)
{
	scoped(box_git_finish) struct box_git g = { 0 };
	int r = read_record(j, &g, e);

	for (size_t i = 0; r == 0 && i < g.n; i++)
		if (!g.changes[i].dir)
			strlist_addf(ret, "%s%s.git", g.changes[i].tree, *g.changes[i].tree ? "/" : "");
	return r;
}
