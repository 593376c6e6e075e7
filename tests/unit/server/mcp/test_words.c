/* SPDX-License-Identifier: Apache-2.0 */
/* What aisbx says to people, as it is said to a model: no option, and no command that only a person can give.
 */
#include "support/test.h"

#include "server/mcp/tools.h"

static void check_of(const struct op *op, bool all, const char *text, const char *want)
{
	json_t *said = tool_said(op, all, text);

	if (!json_is_string(said) || strcmp(json_string_value(said), want) != 0)
		fail_msg("'%s'\nbecame '%s'\n  not  '%s'", text, json_string_value(said), want);
	json_decref(said);
}

static void check(const struct op *op, const char *text, const char *want)
{
	check_of(op, false, text, want);
}

#define PERSONS " (only the person can run aisbx commands, in a terminal)"

static void commands_are_tools(void **state)
{
	(void)state;
	check(&op_diff, "there is no box 'x'; 'aisbx ls --all' lists them",
	      "there is no box 'x'; sandbox_list lists them");
	check(&op_logs, "run 'r-1' has not ended; 'aisbx wait r-1' waits for it",
	      "run 'r-1' has not ended; sandbox_wait(run: r-1) waits for it");
	check(&op_diff, "'aisbx rollback try1 s' restores it",
	      "sandbox_rollback(box: try1, snapshot: s) restores it");
	check(&op_promote, "in the box, 'aisbx run --box b -- git merge 12' leaves them marked",
	      "in the box, sandbox_run(box: b, command: git merge 12) leaves them marked");
	check(&op_run, "`aisbx promote b -n` shows it", "sandbox_promote(box: b, dry_run: true) shows it");
	check(&op_gate_check, "give the checks: aisbx gate check BOX test 'not traps'",
	      "give the checks: sandbox_gate(box: BOX, checks: test 'not traps')");
	check(&op_run, "aisbx do test --timeout=5s; or wait",
	      "sandbox_intent(intent: test, timeout: 5s); or wait");
	check(&op_run, "'aisbx ls''aisbx ls'--box", "sandbox_listsandbox_list'box'");
	/* as many tools as there are */
	check(&op_run, "'aisbx intents' lists them", "'aisbx intents' lists them" PERSONS);
	check_of(&op_run, true, "'aisbx intents' lists them", "sandbox_intent_ls lists them");
}

static void options_are_arguments(void **state)
{
	(void)state;
	check(&op_plan_step, "step 1 failed ('x'); --again repeats it, --skip continues without it",
	      "step 1 failed ('x'); 'again' repeats it, 'skip' continues without it");
	check(&op_promote, "'--dry-run' only shows it", "'dry_run' only shows it");
	check(&op_promote, "choose with --conflict keep or overwrite",
	      "choose with 'conflict' keep or overwrite");
	check(&op_run, "it has expired (--ttl); fork it",
	      "it has expired ('ttl'); fork it (only the person can set 'ttl')");
	check(&op_run, "use --without landlock, or --without seccomp",
	      "use 'without' landlock, or 'without' seccomp (only the person can set 'without')");
	check(NULL, "--box names one", "'box' names one");
}

static void the_person_has_the_rest(void **state)
{
	(void)state;
	check(&op_run, "no room; 'aisbx gc' makes some", "no room; 'aisbx gc' makes some" PERSONS);
	check(&op_run, "'aisbx recover --rebuild' rebuilds the store",
	      "'aisbx recover' with the option 'rebuild' rebuilds the store" PERSONS);
	check(&op_run, "'aisbx rename b --project DIR' updates it",
	      "'aisbx rename b' with the option 'project DIR' updates it" PERSONS);
	check(&op_promote, "a person runs 'aisbx promote b --yes'", "a person runs 'aisbx promote b -y'");
	/* a tool, but with what no tool takes */
	check(&op_run, "'aisbx run --rw / -- sh' does", "'aisbx run sh' with the option 'rw /' does" PERSONS);
}

/* Names, texts and other programs are not ours to change. */
static void all_else_stays(void **state)
{
	static const char *const same[] = {
		"",
		"aisbx found no tests of this project",
		"aisbx",
		"aisbx ",
		"'aisbx ",
		"'aisbx '",
		"'aisbx nothing' is none",
		"usermod --add-subuids 1-2 me",
		"there is no file 'a--b', nor '--'",
		"--",
		"-- x",
		"docker run --security-opt seccomp=unconfined",
		"it is it's own",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		check(&op_run, same[i], same[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_are_tools),
		cmocka_unit_test(options_are_arguments),
		cmocka_unit_test(the_person_has_the_rest),
		cmocka_unit_test(all_else_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
