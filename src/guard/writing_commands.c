/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands that are known to write, start commands that write, or use the network: trying them behind the
 * glass would waste time. A command that is missing here costs that time and nothing else.
 */
#include <string.h>

#include "base/str.h"
#include "guard/syntax_tree.h"

static const char writers[] =
	"apt-get|chgrp|chmod|chown|cp|crontab|dd|kill|killall|ln|mkdir|mkfifo|mktemp|mv|patch|"
	"pkill|reboot|rm|rmdir|rsync|scp|shred|ssh|su|sudo|systemctl|touch|truncate|unlink|wget";

/* Of programs with many uses, those that write. */
static const struct {
	const char *program, *uses; /* " use use " */
} uses[] = {
	{ "cargo", " add b bench build c check clean clippy doc fix fmt install init new publish r remove "
		   "run t test update " },
	{ "git", " add am bisect checkout cherry-pick clean clone commit fetch filter-branch gc init merge "
		 "mv notes prune pull push rebase reset "
		 "restore revert rm switch update-index update-ref " },
	{ "go", " build clean fix fmt generate get install mod run test work " },
	{ "npm", " add audit ci exec i init install install-test it link publish rebuild remove run-script "
		 "start t test uninstall update " },
	{ "pip", " download install uninstall wheel " },
	{ "pip3", " download install uninstall wheel " },
	{ "pnpm", " add build dlx exec i install publish remove start t test update " },
	{ "yarn", " add build install publish remove start test upgrade " },
};

/* LIST begins and ends with a space, and has one between words. */
static bool is_use(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = list + 1; n && (at = strstr(at, word)) != NULL; at += n)
		if (at[-1] == ' ' && at[n] == ' ')
			return true;
	return false;
}

bool guard_writes(const struct guard_command *c, size_t first, const char *name)
{
	if (str_is_one_of(name, writers))
		return true;
	for (size_t i = 0; i < sizeof(uses) / sizeof(*uses); i++)
		if (!strcmp(uses[i].program, name))
			return c->n > first + 1 && !c->words[first + 1].unknown &&
			       is_use(uses[i].uses, c->words[first + 1].text);
	return false;
}
