/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each shell has its own way to a prompt that survives the person's settings: a variable, a hook, a function.
 * What is said in variables also works in a live box, in which no file can be put beforehand.
 */
#include "box/shell_start.h"

#include <stdio.h>
#include <string.h>

/* What is run at the start, for those that need more than a variable. */
#define START "AISBX_SHELL"

/* Before each prompt: whatever has set it, the box is in front of it. */
static const char bash_prompt[] = "case $PS1 in \"[$AISBX_BOX] \"*) ;; *) PS1=\"[$AISBX_BOX] $PS1\" ;; esac";

/*
 * Zsh has no such variable, and in a home without settings it would ask a dozen questions. So it reads a file
 * of ours, which removes itself and reads the person's.
 */
static const char zsh_start[] =
	"unset " START "; z=${ZDOTDIR:-$HOME}; d=$(mktemp -d /tmp/aisbx-zsh.XXXXXX) || exec \"$0\" -i\n"
	"cat >\"$d/.zshenv\" <<'EOF'\n"
	"AISBX_START=$ZDOTDIR ZDOTDIR=$AISBX_ZDOTDIR\n"
	"[[ -r $ZDOTDIR/.zshenv ]] && . $ZDOTDIR/.zshenv\n"
	"AISBX_ZDOTDIR=$ZDOTDIR ZDOTDIR=$AISBX_START\n"
	"EOF\n"
	"cat >\"$d/.zshrc\" <<'EOF'\n"
	"rm -rf -- $AISBX_START; ZDOTDIR=$AISBX_ZDOTDIR; unset AISBX_START AISBX_ZDOTDIR\n"
	"[[ $ZDOTDIR == $HOME ]] && unset ZDOTDIR\n"
	"[[ -r ${ZDOTDIR:-$HOME}/.zshrc ]] && . ${ZDOTDIR:-$HOME}/.zshrc\n"
	"_aisbx_prompt() { [[ $PS1 == \"[$AISBX_BOX] \"* ]] || PS1=\"[$AISBX_BOX] $PS1\" }\n"
	"autoload -Uz add-zsh-hook && add-zsh-hook precmd _aisbx_prompt\n"
	"EOF\n"
	"AISBX_ZDOTDIR=$z ZDOTDIR=$d exec \"$0\" -i";

static const char fish_start[] = "set -e " START "; functions -c fish_prompt _aisbx_prompt; "
				 "function fish_prompt; printf '[%s] ' $AISBX_BOX; _aisbx_prompt; end";

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void shell_start_words(const char *path, bool root, const char *prompt_command, struct strlist *argv,
		       struct strlist *env)
{
	const char *name = base_of(path);

	if (!strcmp(name, "zsh")) {
		strlist_add(argv, "/bin/sh");
		strlist_add(argv, "-c");
		strlist_add(argv, "eval \"$" START "\"");
		strlist_add(argv, path);
		strlist_addf(env, START "=%s", zsh_start);
		return;
	}
	strlist_add(argv, path);
	if (!strcmp(name, "bash")) {
		strlist_addf(env, "PROMPT_COMMAND=%s%s%s", bash_prompt, prompt_command ? "; " : "",
			     prompt_command ? prompt_command : "");
	} else if (!strcmp(name, "fish")) {
		strlist_add(argv, "-C");
		strlist_add(argv, "eval $" START);
		strlist_addf(env, START "=%s", fish_start);
	} else if (str_is_one_of(name, "sh|dash|ash|busybox|ksh|ksh93|mksh|oksh|yash")) {
		strlist_addf(env, "PS1=[$AISBX_BOX] %s ", root ? "#" : "$");
	}
}

bool shell_is_usable(const char *path)
{
	return path && path[0] == '/' && *base_of(path) &&
	       !str_is_one_of(base_of(path), "nologin|false|true|git-shell");
}
