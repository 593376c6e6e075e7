/* SPDX-License-Identifier: Apache-2.0 */
/* Objects: packed in the box, checked strictly by git in another box, outside of the real repository. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "promote/git_transfer.h"

/* In the box: objects of which standard input says, "ID" wanted and "^ID" there already. The real ones are at
 * hand: what the box took away is there all the same. */
static const char pack_script[] = GIT_BEGIN
	"[ ! -d " GIT_SCRATCH_DIR " ] || export GIT_ALTERNATE_OBJECT_DIRECTORIES=" GIT_SCRATCH_DIR "; "
	"g pack-objects --revs --stdout -q >&3";

/*
 * In a box of the real project, with the scratch directory: $1 "new" or "have", $2 the branch of a new one,
 * $3 "sha1" or "sha256", $4 "empty" when the pack is, $5 "contents" when all of it is wanted as text. In the
 * scratch directory are the pack and a list, `wishes`: of each branch its name, where the host has it ("-":
 * nowhere) and where the box has it. Takes the pack in as strictly as git can, outside of the repository, and
 * tells of each how the two stand: "RELATION COMMITS", of the first few with their number. Commits that
 * change something in a directory which has what makes a repository, in any of them or at the end, are
 * refused: checked out, git would obey it.
 */
static const char check_script[] = GIT_BEGIN
	"out=" GIT_SCRATCH_DIR " how=$1 branch=$2 format=$3 empty=$4 contents=$5; "
	"if [ $how = new ]; then "
	"  g init -q --template= --object-format=$format \"$out/new\" || exit 54; "
	"  export GIT_DIR=\"$out/new/.git\"; g symbolic-ref HEAD \"$branch\" || exit 54; "
	"else "
	"  objects=$(g rev-parse --path-format=absolute --git-path objects) || exit 54; mkdir -p "
	"\"$out/objects/pack\"; "
	"  export GIT_OBJECT_DIRECTORY=\"$out/objects\" GIT_ALTERNATE_OBJECT_DIRECTORIES=\"$objects\"; "
	"fi; "
	"[ $empty = empty ] || g index-pack --strict --stdin <\"$out/pack\" >/dev/null || exit 51; rm -f "
	"\"$out/pack\"; "
	"if [ $contents = contents ]; then "
	"  { cat \"$out/wishes\"; for idx in \"${GIT_OBJECT_DIRECTORY:-$out/new/.git/objects}\"/pack/*.idx; "
	"do "
	"    [ -f \"$idx\" ] || continue; g show-index <\"$idx\" >/tmp/index && cut -d' ' -f2 /tmp/index "
	">/tmp/objects && "
	"    g cat-file --batch --buffer </tmp/objects || exit 54; done; } >\"$out/contents\" || exit 54; "
	"fi; "
	"cut -d' ' -f3 \"$out/wishes\" >/tmp/wanted && sed 's/$/^{commit}/' /tmp/wanted >/tmp/peeled || exit "
	"54; "
	"g rev-list --objects --stdin --not --all --quiet </tmp/wanted >/dev/null || exit 52; "
	"g cat-file --batch-check='%(objecttype)' </tmp/peeled >/tmp/types || exit 54; "
	"while read -r type; do [ \"$type\" = commit ] || { echo \"$type\"; echo 'a tag is of something else "
	"than a commit'; exit 51; }; done </tmp/types; "
	/* What is new is what is there where it begins, and what is changed since. */
	"g rev-list --boundary --stdin --not --all </tmp/wanted >/tmp/commits || exit 54; "
	"sed -n '/^-/!p' /tmp/commits >/tmp/new && sed -n 's/^-//p' /tmp/commits >/tmp/starts || exit 54; "
	"g diff-tree --stdin -r -m --root --no-renames --no-commit-id --name-only -z </tmp/new >/tmp/names "
	"|| exit 54; "
	"tr '\\0' '\\n' </tmp/names >/tmp/changed && : >/tmp/there || exit 54; "
	"while read -r start; do "
	"  g ls-tree -r --name-only -z \"$start\" >/tmp/names && tr '\\0' '\\n' </tmp/names >>/tmp/there || "
	"exit 54; done </tmp/starts; "
	"awk -F/ '{ dir = \"\"; "
	"    for (i = 1; i <= NF; i++) { "
	"      if (pass && (dir, \"head\") in has && ((dir, \"commondir\") in has || ((dir, \"objects\") in "
	"has && (dir, \"refs\") in has))) { "
	"        print dir == \"\" ? \".\" : dir; exit } "
	"      name = tolower($i); if (!pass && name ~ /^(head|commondir|objects|refs)$/) has[dir, name]; "
	"      dir = dir == \"\" ? $i : dir \"/\" $i } }' pass=0 /tmp/there /tmp/changed pass=1 /tmp/changed "
	">/tmp/laid || exit 54; "
	"[ ! -s /tmp/laid ] || { cat /tmp/laid >&2; exit 55; }; "
	"leads() { ask merge-base --is-ancestor \"$1\" \"$2\" || { [ $? -eq 1 ] || { cat /tmp/why; exit 54; "
	"}; return 1; }; }; "
	"n=0; while read -r name old now; do n=$((n + 1)) commits=0; "
	"  if [ \"$old\" = - ]; then far=new; elif [ \"$old\" = \"$now\" ]; then far=same; "
	"  elif leads \"$old\" \"$now\"; then far=ahead; elif leads \"$now\" \"$old\"; then far=behind; else "
	"far=apart; fi; "
	"  [ $n -gt 30 ] || { ask rev-list --count \"$now\" --not --all && read -r commits </tmp/said || "
	"exit 54; }; "
	"  echo \"$far $commits\" >&3; "
	"done <\"$out/wishes\"; "
	"[ $how != new ] || { sed 's/^\\([^ ]*\\) [^ ]*/create \\1/' \"$out/wishes\" >/tmp/create && g "
	"update-ref --stdin </tmp/create && g read-tree HEAD; } || exit 54";

static int write_wants(const struct git_transfer *d, int *ret_fd, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf b = { 0 };

	for (size_t i = 0; i < d->wanted.n; i++)
		buf_addf(&b, "%s\n", d->wanted.list[i].now);
	for (size_t i = 0; d->host && i < d->host->n_refs; i++)
		buf_addf(&b, "^%s\n", d->host->refs[i].id);
	if (d->host && d->host->at[0])
		buf_addf(&b, "^%s\n", d->host->at);
	return git_input(&b, ret_fd, e);
}

/* DESK/git-N */
static char *scratch_dir_of(const struct git_transfer *d)
{
	char *path = NULL;

	return asprintf(&path, "%s/git-%u", d->ask->scratch_dir, d->number) < 0 ? NULL : path;
}

/* Packs what the host lacks, by the git of the box. Tells whether there is anything in it. */
static int pack(const struct git_transfer *d, const char *scratch_dir, bool *ret_empty, struct aisbx_error *e)
{
	struct run_mount objects = { .guest = GIT_SCRATCH_DIR };
	scoped(git_run_finish) struct git_run g = { .state = d->ask->state,
						    .box = d->ask->box,
						    .snapshot = d->ask->snapshot,
						    .project = d->ask->target,
						    .tree = d->box->tree,
						    .script = pack_script,
						    .input = -1,
						    .output = -1 };
	scoped(drop_mem) char *path = path_join(scratch_dir, "pack");
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
		return aisbx_fail(e, AISBX_AREA_BOX, path ? errno : ENOMEM,
				  "make a directory for commits in '%s'", scratch_dir);
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
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EBADMSG,
				    "git in the box cannot pack its commits%s%s; 'aisbx run --box %s -- git "
				    "fsck' may show more",
				    g.grumble.len ? ": " : "", git_last_line(&g, line, sizeof(line)),
				    d->ask->box->name);
	*ret_empty = !(head[8] | head[9] | head[10] | head[11]);
	return 0;
}

/* "RELATION COMMITS" of each wish. */
static int read_relations(struct git_transfer *d, const char *said)
{
	for (size_t i = 0; i < d->wanted.n; i++) {
		struct git_wanted *w = &d->wanted.list[i];
		size_t n = strcspn(said, " ");
		char *end;

		w->ahead =
			!strncmp(said, "ahead", n) || !strncmp(said, "new", n) || !strncmp(said, "same", n);
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

static int write_wanted(const struct git_transfer *d, const char *scratch_dir, struct aisbx_error *e)
{
	scoped(drop_mem) char *path = path_join(scratch_dir, "wishes");
	scoped(drop_file) FILE *f = path ? fopen(path, "wxe") : NULL;

	for (size_t i = 0; f && i < d->wanted.n; i++) {
		const struct git_wanted *w = &d->wanted.list[i];

		fprintf(f, "%s %s %s\n", w->ref ? w->ref : "HEAD", w->old ? w->old : "-", w->now);
	}
	return !f || fflush(f) ? aisbx_fail(e, AISBX_AREA_BOX, path ? errno : ENOMEM, "write '%s/wishes'",
					    scratch_dir)
			       : 0;
}

static void add_check_args(const struct git_transfer *d, bool empty, struct strlist *args)
{
	strlist_add(args, d->host ? "have" : "new");
	strlist_add(args, d->head ? d->head : "refs/heads/main");
	strlist_add(args, strlen(d->wanted.list[0].now) == 40 ? "sha1" : "sha256");
	strlist_add(args, empty ? "empty" : "full");
	strlist_add(args, d->ask->contents ? "contents" : "-");
}

static int check(struct git_transfer *d, const char *scratch_dir, bool empty, struct aisbx_error *e)
{
	const struct run_mount mount = { .host = scratch_dir, .guest = GIT_SCRATCH_DIR, .writable = true };
	scoped(git_run_finish) struct git_run g = { .state = d->ask->state,
						    .project = d->ask->target,
						    .tree = d->host ? d->box->tree : "",
						    .script = check_script,
						    .mounts = &mount,
						    .n_mounts = 1,
						    .input = -1,
						    .output = -1 };
	scoped(strlist_finish) struct strlist args = { 0 };
	char line[200];
	int r;

	add_check_args(d, empty, &args);
	if (args.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "check the commits of the box");
	g.args = &args;
	r = write_wanted(d, scratch_dir, e);
	if (r < 0)
		return r;
	r = git_run(&g, e);
	if (r < 0)
		return aisbx_context(e, "check the commits of the box");
	git_last_line(&g, line, sizeof(line));
	if (g.status == GIT_LAID_OUT)
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_BOX, EPERM,
			"the commits of the box contain a git repository in '%.100s', which git would obey "
			"after a checkout; they stay in the box. 'aisbx promote %s PATH' promotes files only",
			line, d->ask->box->name);
	if (g.status == GIT_BAD || g.status == GIT_PARTS_MISSING)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EBADMSG,
				    "the commits of the box are damaged, and stay in the box: %s; 'aisbx "
				    "promote %s PATH' promotes files only",
				    *line ? line : "parts of them are missing", d->ask->box->name);
	if (g.status || read_relations(d, g.said.data) < 0)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				    "git could not read the repository '%s/%s'%s%s", d->ask->target,
				    d->box->tree, *line ? ": " : "", line);
	return 0;
}

int git_transfer_pack(struct git_transfer *d, struct aisbx_error *e)
{
	scoped(drop_mem) char *scratch_dir = scratch_dir_of(d);
	bool empty = false;
	int r;

	if (!scratch_dir || mkdir(scratch_dir, 0700) < 0)
		return aisbx_fail(e, AISBX_AREA_BOX, scratch_dir ? errno : ENOMEM,
				  "make a directory for commits");
	r = pack(d, scratch_dir, &empty, e);
	return r < 0 ? r : check(d, scratch_dir, empty, e);
}
