/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of other tools (docker, podman, bwrap, firejail, git and shells), answered with ours. Nothing here is
 * an alias: a person learns the word, and nothing is done that was not written.
 */
#include "cli/foreign.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"

struct row {
	const char *on;    /* NULL: on every operation; else those it is for, separated by '|' */
	const char *words; /* separated by '|' */
	const char *ours;  /* what to write instead */
};

/* Options, without their dashes. The first row that fits answers. */
static const struct row options[] = {
	{ "create|fork", "n|name", "the name stands by itself: 'aisbx create NAME'" },
	{ "ls", "l|la|al|lh", "'aisbx ls' lists boxes; files of a box: 'aisbx file ls BOX DIR'" },
	{ "rm", "f|force|v|r|rf|R",
	  "not needed: 'aisbx rm BOX' removes the box with everything in it; end its "
	  "runs first with 'aisbx kill RUN'" },
	{ "kill", "9|KILL|SIGKILL", "write 'aisbx kill --signal KILL RUN'" },
	{ "kill", "15|TERM|SIGTERM", "write 'aisbx kill --signal TERM RUN'" },
	{ "kill", "2|INT|SIGINT", "write 'aisbx kill --signal INT RUN'" },
	{ "logs", "tail|n|since", "'aisbx logs RUN' prints all of it: 'aisbx logs RUN | tail'" },
	{ "diff", "name-only|name-status|u|U|cached|staged",
	  "'aisbx diff BOX' lists the files, --patch shows their lines" },
	{ "commit", "a|am|all",
	  "not needed: without PATH everything is committed: 'aisbx commit BOX -m TEXT'" },
	{ "commit", "amend",
	  "roll the box back to a snapshot before the commit ('aisbx rollback BOX SNAPSHOT'), "
	  "or 'aisbx exec BOX -- git commit --amend'" },
	{ "promote", "f|force",
	  "say what to do on conflicts: --conflict overwrite; traps are accepted with "
	  "--yes" },
	{ "promote", "i|interactive|p|patch", "write --review: it asks about each file and each hunk" },
	{ "undo", "i|interactive|p", "--dry-run shows what would be done" },
	{ "history", "oneline|graph|n1", "'aisbx history' prints a line for each run" },
	{ "serve", "p|port|bind|address|addr", "write --listen PORT, or --listen ADDRESS:PORT" },
	{ "ports", "p|add|open", "write --publish PORT[:BOXPORT]" },
	{ "run|create", "v|volume|mount|bind|dev-bind|B|tmpfs-bind",
	  "host directories are given with --ro HOST[:GUEST], or --rw HOST[:GUEST] to change the real files; "
	  "the "
	  "project is there already" },
	{ "run|create", "ro-bind|ro-bind-try|R|bind-try|read-only|whitelist|noblacklist",
	  "write --ro HOST[:GUEST]; the system and the project are there already" },
	{ "run|exec", "rm", "not needed: without --box the box is removed after the run" },
	{ "run|exec|create", "w|workdir|chdir|working-dir|cd", "write -C DIR" },
	{ "run|create|exec", "network|net-host|share-net|networking",
	  "write --net none, --net allow, --net github.com:443 or the like; there is no network by default" },
	{ "run|create|exec",
	  "unshare-all|unshare-net|unshare-pid|unshare-user|unshare-ipc|unshare-uts|unshare-cgroup|new-"
	  "session|"
	  "die-with-parent|as-pid-1|proc|dev|tmpfs|private|private-tmp|private-dev|seccomp-bpf|noroot|"
	  "nonewprivs|"
	  "no-new-privs|caps.drop|init|pid|ipc|uts|userns|cgroupns",
	  "not needed: every box has all walls, its own /proc, /dev and /tmp; 'aisbx doctor' lists them" },
	{ "run|create|exec", "private-home|home",
	  "not needed: the home directory is hidden; show a part of it with "
	  "--ro HOST" },
	{ "run|create", "blacklist|tmpfs-over", "write --hide PATH" },
	{ "run|create|exec", "P|publish-all|expose", "write --publish PORT[:BOXPORT] for each port" },
	{ "run|create|exec", "entrypoint",
	  "write the command itself: 'aisbx run -- COMMAND'; without an image's entrypoint: 'aisbx create "
	  "--from IMAGE BOX', then 'aisbx run --box BOX -- COMMAND'" },
	{ "run|create|exec", "u|user|uid|gid|group-add",
	  "commands in a box run as you; as root, inside the box: 'sudo aisbx run -- COMMAND'" },
	{ "run|create|exec", "privileged|cap-add|cap-drop|security-opt|apparmor",
	  "walls are changed one by one: '--without WALL' ('aisbx doctor' lists the names), and 'aisbx "
	  "profile "
	  "ls' lists what boxes may do" },
	{ "run|create|exec", "memory|memory-swap|rlimit-as", "write --mem SIZE, such as --mem 2g" },
	{ "run|create|exec", "cpus|cpu-shares|cpuset-cpus|cpu-quota|cpu-period",
	  "write --cpu CORES, such as --cpu 0.5" },
	{ "run|create|exec", "pids-limit|rlimit-nproc", "write --pids NUMBER" },
	{ "run|create|exec", "ulimit|rlimit-nofile|rlimit-fsize",
	  "write --files NUMBER for open files, --file-size SIZE for one file" },
	{ "run|create|exec", "storage-opt|shm-size", "write --disk SIZE" },
	{ "run|create|exec", "stop-timeout|time|time-limit", "write --timeout TIME, such as --timeout 30s" },
	{ "run|create|exec", "env-file",
	  "write --env NAME=VALUE for each variable, or --secret NAME=file:PATH for a "
	  "secret" },
	{ "run|create|exec", "setenv|clearenv|unsetenv|E",
	  "write --env NAME=VALUE; few variables reach a box by themselves" },
	{ "run", "gpus", "write --gpu, or --device /dev/NAME" },
	{ "create|exec", "gpus|gpu|device",
	  "it is given to a run: 'aisbx run --gpu -- COMMAND', or --device /dev/NAME" },
	{ "run|create|exec", "restart|health-cmd",
	  "a service that is started again belongs into aisbx.yaml, section 'services'" },
	{ "run", "container-name",
	  "--name NAME names the run; a box with a name: 'aisbx create NAME', then 'aisbx run --box NAME "
	  "-- COMMAND'" },
	{ "exec", "name", "a run gets its name from 'aisbx run --box BOX --name NAME -- COMMAND'" },
	{ "run|create|exec", "hostname|h", "the host name is the name of the box: 'aisbx create NAME'" },
	{ "run|create|exec", "platform|pull|quiet-pull|tls-verify",
	  "an image is fetched before: 'aisbx image pull [--platform OS/ARCHITECTURE] NAME', then "
	  "'aisbx run --image NAME'" },
	{ "run|create|exec", "add-host|dns|link|l|label|log-driver|sysctl|cgroup-parent|ip",
	  "aisbx has nothing like it; 'aisbx run --help' lists what a run can have" },
	{ "create|fork", "i|image", "write --from IMAGE" },
	{ "run", "from", "write --image IMAGE; a box that stays: 'aisbx create --from IMAGE NAME'" },
	{ "image pull|image push", "tls-verify|src-tls-verify|dest-tls-verify|insecure",
	  "registries without TLS are named in ~/.config/aisbx/images.yaml: 'plain_http: [HOST:PORT]'" },
	{ "image pull|image push", "creds|u|username|p|password|authfile",
	  "logins are those of 'docker login', 'podman login' or 'skopeo login'" },
	{ "image pull", "a|all-tags", "one image is pulled at a time; 'aisbx image pull NAME:TAG'" },
	{ "image pull", "arch|os|variant", "write --platform OS/ARCHITECTURE, such as linux/arm64" },
	{ "image pull|image import", "t|tag", "write --name NAME" },
	{ "image import|init", "i|input", "the file stands by itself: 'aisbx image import FILE'" },
	{ "image save", "o|output", "the file stands by itself: 'aisbx image save IMAGE FILE'" },
	{ "image ls", "a|all|digests|no-trunc", "not needed: every image is listed; --json has it in full" },
	{ "image rm", "f|force",
	  "boxes and templates that stand on the image are removed first; 'aisbx image show IMAGE' lists "
	  "them" },
	{ "image pack", "t|tag|n|name", "the name stands by itself: 'aisbx image pack BOX NAME'" },
	{ "image pack", "to|f|format|file",
	  "pack makes an image here; 'aisbx image save IMAGE FILE --format ...' writes it to a file" },
	{ "template build", "t|tag|f|file|no-cache",
	  "the recipe stands by itself: 'aisbx template build RECIPE'; --rebuild builds it again" },
	{ "run|exec", "c", "shell text is given to a shell: aisbx run -- sh -c 'TEXT'" },
	{ NULL, "v|verbose|debug",
	  "set AISBX_DEBUG=1 for messages about what is done; --json prints the whole "
	  "result" },
	{ NULL, "y|yes|force|f|assume-yes", "not needed: this operation asks nothing" },
	{ NULL, "format|o|output-format", "write --json" },
	{ NULL, "V|version", "write 'aisbx --version'" },
	{ NULL, "dry-run|n", "this operation has no dry run" },
	{ NULL, "b|box", "the box stands by itself, after the operation" },
	{ NULL, "on",
	  "for a node of a fleet it stands directly behind the operation: 'aisbx run --on LABELS -- "
	  "COMMAND'" },
	{ NULL, NULL, NULL },
};

/* Operations. */
static const struct row operations[] = {
	{ NULL, "stop|terminate|end|halt|down", "to end a run: 'aisbx kill RUN'; 'aisbx ps' lists runs" },
	{ NULL, "start|up|boot|launch",
	  "a box needs no start: 'aisbx run --box BOX -- COMMAND' works at once" },
	{ NULL, "restart|reboot", "'aisbx kill RUN', then 'aisbx run --box BOX -- COMMAND' again" },
	{ NULL, "unpause|unfreeze|continue", "write 'aisbx resume RUN'" },
	{ NULL, "freeze|suspend", "write 'aisbx pause RUN'" },
	{ NULL, "images", "write 'aisbx image ls'" },
	{ NULL, "templates|recipes", "write 'aisbx template ls'" },
	{ NULL, "build|buildx",
	  "the project's own build: 'aisbx do build'; a prepared box: 'aisbx template build RECIPE'; there "
	  "are no Dockerfiles: 'aisbx create --from IMAGE BOX', 'aisbx run --box BOX -- COMMAND' for each "
	  "step, 'aisbx image pack BOX NAME'" },
	{ NULL, "pull|fetch",
	  "an image from a registry: 'aisbx image pull NAME'; changes of a box come with 'aisbx promote "
	  "BOX'" },
	{ NULL, "push|publish|deploy|sync",
	  "to bring changes into the real project: 'aisbx promote BOX'; to push "
	  "them on: 'git push', there; an image to a registry: 'aisbx image push IMAGE REFERENCE'" },
	{ NULL, "inspect|describe",
	  "'aisbx show BOX' shows a box, 'aisbx history RUN' a run, 'aisbx image show IMAGE' an image" },
	{ NULL, "rmi", "write 'aisbx image rm IMAGE'" },
	{ NULL, "pack", "write 'aisbx image pack BOX NAME'" },
	{ NULL, "verify", "an image: 'aisbx image verify IMAGE'" },
	{ NULL, "manifest|layers", "write 'aisbx image show IMAGE'" },
	{ NULL, "cp|copy",
	  "out of a box: 'aisbx promote BOX --artifact PATH --to DIR'; into one: 'aisbx file write "
	  "BOX PATH'" },
	{ NULL, "mv|move", "files of a box: 'aisbx file mv'; a box: 'aisbx rename BOX NAME'" },
	{ NULL, "cat|less|head|tail|view|open", "a file of a box: 'aisbx file read BOX PATH'" },
	{ NULL, "volume|volumes|mount",
	  "host directories are given to a run: 'aisbx run --ro HOST:GUEST -- COMMAND', "
	  "--rw to change the real files" },
	{ NULL, "network|net",
	  "the network of a run: 'aisbx run --net github.com:443 -- COMMAND'; of a live one: "
	  "'aisbx allow', 'aisbx deny'" },
	{ NULL, "port|expose", "write 'aisbx ports'" },
	{ NULL, "compose|stack|services|service",
	  "programs beside a command belong into aisbx.yaml, section "
	  "'services'; 'aisbx project schema' shows it" },
	{ NULL, "container|containers|sandbox|boxes|sandboxes",
	  "write 'aisbx ls', 'aisbx create', 'aisbx rm'" },
	{ NULL, "top|htop", "write 'aisbx stats --follow'" },
	{ NULL, "prune|clean|cleanup|purge", "write 'aisbx gc'; a box: 'aisbx rm BOX'" },
	{ NULL, "delete|remove|destroy|del|unlink", "write 'aisbx rm BOX'" },
	{ NULL, "list|ll|dir", "write 'aisbx ls'" },
	{ NULL, "new|mk",
	  "write 'aisbx create NAME'; nothing has to be prepared for 'aisbx run -- COMMAND'" },
	{ NULL, "enter|ssh|connect|console|sh|bash|zsh|fish|terminal", "write 'aisbx shell [BOX]'" },
	{ NULL, "save|export|backup",
	  "'aisbx snap BOX' keeps the state of a box, 'aisbx artifact save' a file of it, 'aisbx template "
	  "save BOX NAME' makes a template; an image to a file: 'aisbx image save IMAGE FILE'" },
	{ NULL, "load|import", "an image from a file: 'aisbx image import FILE'" },
	{ NULL, "clone", "write 'aisbx create NAME': every box is a clone of this machine" },
	{ NULL, "snapshot|checkpoint", "write 'aisbx snap BOX'" },
	{ NULL, "snapshots", "write 'aisbx show BOX', or 'aisbx tree'" },
	{ NULL, "restore|reset|checkout-snapshot",
	  "write 'aisbx rollback BOX SNAPSHOT'; what was promoted: 'aisbx "
	  "undo'" },
	{ NULL, "revert", "what was promoted: 'aisbx undo'; a box: 'aisbx rollback BOX SNAPSHOT'" },
	{ NULL, "status|st|changes", "what a box changed: 'aisbx diff BOX'; what is there: 'aisbx ls'" },
	{ NULL, "checkout|switch|select|activate",
	  "write 'aisbx use BOX'; to go back in a box: 'aisbx rollback BOX "
	  "SNAPSHOT'" },
	{ NULL, "branch|branches|worktree",
	  "a box of its own from another: 'aisbx fork BOX'; 'aisbx tree' shows all" },
	{ NULL, "merge|apply|accept|keep",
	  "into the real project: 'aisbx promote BOX'; two boxes into one: 'aisbx "
	  "combine BOX OTHER'" },
	{ NULL, "rebase", "write 'aisbx promote --rebase BOX'" },
	{ NULL, "stash",
	  "what a box changed stays in the box: 'aisbx snap BOX' keeps it under a name, 'aisbx "
	  "rollback BOX SNAPSHOT' brings it back" },
	{ NULL, "log|reflog|blame", "past runs: 'aisbx history'; output of a run: 'aisbx logs RUN'" },
	{ NULL, "add|stage",
	  "not needed: 'aisbx promote BOX' takes every change, 'aisbx promote BOX PATH' some; a "
	  "commit: 'aisbx commit BOX -m TEXT'" },
	{ NULL, "discard|abandon|drop", "write 'aisbx rm BOX'" },
	{ NULL, "cherry-pick", "some paths of a box: 'aisbx promote BOX PATH'" },
	{ NULL, "tag|label",
	  "a point of a box: 'aisbx snap BOX NAME'; an image gets its name where it goes: 'aisbx image push "
	  "IMAGE REFERENCE'" },
	{ NULL, "remote|bisect|submodule|gui", "that is for git itself: 'aisbx run -- git ...'" },
	{ NULL, "settings|configure|preferences",
	  "'aisbx config explain' shows every setting and where it comes from; they are written in a profile "
	  "("
	  "'aisbx profile ls') and in the project's aisbx.yaml" },
	{ NULL, "login|logout",
	  "for registries the logins of 'docker login', 'podman login' or 'skopeo login' are used; a shell "
	  "in a box: 'aisbx shell [BOX]'" },
	{ NULL, "search|hub|registry",
	  "write 'aisbx image pull [REGISTRY/]NAME[:TAG]'; aisbx does not search registries" },
	{ NULL, "version|info", "write 'aisbx --version'; what this machine supports: 'aisbx doctor'" },
	{ NULL, "test|bench|lint",
	  "the project's own command: 'aisbx do test', 'aisbx do bench', 'aisbx do lint'" },
	{ NULL, "update|upgrade|self-update",
	  "aisbx comes with your system's packages; limits of a box are options "
	  "of 'aisbx run'" },
	{ NULL, "system|df", "write 'aisbx du' for what is on disk, 'aisbx gc' to remove what nobody needs" },
	{ NULL, "events|watch", "'aisbx history --events', or 'aisbx file watch BOX'" },
	{ NULL, "edit|vi|vim|nano",
	  "a file of a box: 'aisbx file write BOX PATH', or 'aisbx shell BOX' and your "
	  "editor" },
	{ NULL, "sudo|su",
	  "a box has your own rights; 'sudo aisbx run -- COMMAND' gives it root's, inside the box" },
	{ NULL, "docker|podman|nerdctl",
	  "in an image: 'aisbx image pull NAME', 'aisbx run --image NAME -- COMMAND'; in a clone of this "
	  "machine: 'aisbx run -- COMMAND'" },
	{ NULL, "skopeo|crane|umoci|buildah", "write 'aisbx image pull', 'import', 'push' or 'save'" },
	{ NULL, "bwrap|firejail|nsjail", "what you would give it, write 'aisbx run -- COMMAND'" },
	{ NULL, "man|manual|docs|usage|commands|-?|/?",
	  "write 'aisbx help', 'aisbx help all' or 'aisbx OPERATION "
	  "--help'" },
	{ NULL, NULL, NULL },
};

/* Second words, after the first one of an operation of two. */
static const struct row seconds[] = {
	{ "image", "build", "write 'aisbx template build RECIPE', or 'aisbx image pack BOX NAME'" },
	{ "image", "inspect|info|describe|history|layers", "write 'aisbx image show IMAGE'" },
	{ "image", "load|add|create|unpack", "write 'aisbx image import FILE'" },
	{ "image", "list|all", "write 'aisbx image ls'" },
	{ "image", "remove|delete|rmi|del", "write 'aisbx image rm IMAGE'" },
	{ "image", "prune|clean|gc", "'aisbx image rm IMAGE' removes one, 'aisbx gc' what no image needs" },
	{ "image", "fetch|get|download|update", "write 'aisbx image pull NAME'" },
	{ "image", "publish|upload", "write 'aisbx image push IMAGE REFERENCE'" },
	{ "image", "export|write", "write 'aisbx image save IMAGE FILE'" },
	{ "image", "run|start", "write 'aisbx run --image IMAGE -- COMMAND'" },
	{ "image", "diff", "write 'aisbx diff IMAGE BOX'" },
	{ "image", "check", "write 'aisbx image verify IMAGE'" },
	{ "image", "commit", "write 'aisbx image pack BOX NAME'" },
	{ "image", "tag|rename",
	  "an image gets its name where it comes or goes: 'aisbx image pull --name NAME REFERENCE', 'aisbx "
	  "image push IMAGE REFERENCE'" },
	{ "template", "create|new|make|add|pack", "write 'aisbx template save BOX NAME'" },
	{ "template", "list|all|show|inspect", "write 'aisbx template ls'" },
	{ "template", "remove|delete|del", "write 'aisbx template rm NAME'" },
	{ "template", "use|run|start|apply|from", "write 'aisbx create --from NAME'" },
	{ "template", "update|rebuild|upgrade", "write 'aisbx template build RECIPE --rebuild'" },
	{ "template", "share|publish|send|export",
	  "write 'aisbx template push NAME REGISTRY/REPOSITORY:TAG'" },
	{ "template", "fetch|get|download|import", "write 'aisbx template pull REFERENCE'" },
	{ NULL, NULL, NULL },
};

static const char *find(const struct row *rows, const char *op, const char *word)
{
	for (; rows->words; rows++)
		if ((!rows->on || (op && str_is_one_of(op, rows->on))) && str_is_one_of(word, rows->words))
			return rows->ours;
	return NULL;
}

const char *foreign_option(const char *op, const char *word)
{
	const char *name = word + strspn(word, "-");
	char copy[64];
	const char *ours;

	snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(name, "="), name);
	ours = find(options, op, copy);
	if (ours || word[1] == '-' || !copy[0])
		return ours;
	copy[1] = '\0'; /* -v/host:/guest */
	return find(options, op, copy);
}

const char *foreign_operation(const char *word)
{
	return find(operations, NULL, word);
}

const char *foreign_second(const char *first, const char *word)
{
	return find(seconds, first, word);
}

bool foreign_is_program(const char *word)
{
	const char *path = getenv("PATH");
	char file[4096];

	if (strchr(word, '/'))
		return access(word, X_OK) == 0;
	while (path && *path && *word) {
		size_t n = strcspn(path, ":");

		if (n && snprintf(file, sizeof(file), "%.*s/%s", (int)n, path, word) < (int)sizeof(file) &&
		    access(file, X_OK) == 0)
			return true;
		path += n + (path[n] == ':');
	}
	return false;
}
