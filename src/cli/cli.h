/* SPDX-License-Identifier: Apache-2.0 */
/* The command line as an interface to the operation table. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "op/op.h"

/* Options every operation has on the command line. */
struct cli_common {
	bool json;
	bool quiet;
	bool help;
	int before_dashes; /* arguments before "--"; -1: there was none */
};

/* Converts the words after the operation's name to arguments; RET_ARGS is a new reference. */
int cli_parse(const struct op *op, char **argv, struct cli_common *ret_common, json_t **ret_args,
	      struct aisbx_error *e);

/* To an error of OP about ARGS that lack something: how it is written, and where such names come from. */
void cli_hint_missing(const struct op *op, const json_t *args, struct aisbx_error *e);

/* ALL: every operation, not only the common ones. */
void cli_help(bool all, FILE *out);
/* Whether there are operations of two words that begin with FIRST, and a list of them. */
bool cli_has_words(const char *first);
void cli_help_words(const char *first, FILE *out);
/* WHOLE: each paragraph in one line, because OUT folds them. */
void cli_help_op(const struct op *op, bool whole, FILE *out);

/* complete.c: prints what may be typed next, where the last of WORDS is; returns the exit status. */
int cli_complete(char **words);

/* Prints a result for people, if the operation has a view for it. */
void cli_render(const struct op *op, const struct cli_common *common, const json_t *result);

/* The output of `doctor`. */
void cli_render_doctor(const json_t *result);

/* render_drift.c: if the result contains any */
void cli_render_drift(const json_t *result);
/* render_box.c */
void cli_render_boxes(const json_t *result);
void cli_render_tree(const json_t *result);
void cli_render_diff(const json_t *result);
void cli_render_history(const json_t *result);
/* Files of the project whose values are treated as secrets, after `create`. */
void cli_render_secret_files(const json_t *result);
/* Lines that `history --grep` found in the output of run R. */
void cli_render_found_lines(const json_t *r);
/* render_template.c */
void cli_render_language(const json_t *result, bool quiet);
void cli_render_languages(const json_t *result);
void cli_render_templates(const json_t *result);
/* render_runs.c */
void cli_render_ps(const json_t *result);
void cli_render_stats(const json_t *result);
/* render_show.c */
void cli_render_box(const json_t *result);
void cli_render_file_stat(const json_t *result);
void cli_render_artifact_show(const json_t *result);
void cli_render_gc(const json_t *result);
/* render_shell.c: what a shell changed, and what to do with it */
void cli_render_shell(const json_t *result, bool quiet);
/* That a run goes on without the person. */
void cli_render_attach(const json_t *result, bool quiet);
/* render_net.c */
void cli_render_net_rules(const json_t *result);
void cli_render_ports(const json_t *result);
/* What a run did with its network. */
void cli_render_net(const json_t *net);
/* A name that a run was not told; and all of these of a run that ended well, in one line. */
bool cli_is_lookup(const json_t *violation);
void cli_render_lookups(const json_t *violations);
/* render_replay.c */
void cli_render_replay(const json_t *result);
/*
 * What a scan found in a program before it ran, and which files the program left, if the result contains
 * that.
 */
void cli_render_warnings(const json_t *result);
void cli_render_files(const json_t *result);
/* render_image.c */
void cli_render_image(const json_t *result, bool quiet);
void cli_render_images(const json_t *result);
void cli_render_image_init(const json_t *result, bool quiet);
void cli_render_image_push(const json_t *result);
void cli_render_template_pull(const json_t *result, bool quiet);
void cli_render_du(const json_t *result);
void cli_render_image_show(const json_t *result);
void cli_render_image_verify(const json_t *result);
/* render_file.c */
void cli_render_file_read(const json_t *result);
void cli_render_file_ls(const json_t *result);
void cli_render_file_watch(const json_t *result);
void cli_render_artifacts(const json_t *result);
void cli_render_artifact(const json_t *result);
/* render_guard.c */
void cli_render_guard(const json_t *result);
/* render_scan.c */
void cli_render_scan(const json_t *result);
void cli_render_gate(const json_t *result);
/* render_agent.c */
void cli_render_intents(const json_t *result);
void cli_render_install(const json_t *result);
void cli_render_commit(const json_t *result);
void cli_render_plan(const json_t *result);
void cli_render_plans(const json_t *result);
/* How many tests passed, and by which command, if the result contains that. */
void cli_render_tests(const json_t *result);
/* render_pipeline.c */
void cli_render_pipeline(const json_t *result);
void cli_render_pipeline_show(const json_t *result);
void cli_render_pipelines(const json_t *result);
/* ask.c: while RESULT is a pipeline that waits for a person at the terminal, asks and continues. */
int cli_ask(struct op_context *ctx, json_t **result, struct aisbx_error *e);
/*
 * rm_all.c: puts the boxes of PROJECT into ARGS, of `rm`, after the person has agreed; YES: without asking.
 */
int cli_rm_all(struct op_context *ctx, const char *project, bool yes, json_t *args, struct aisbx_error *e);
/* render_promote.c */
void cli_render_promote(const json_t *result);
/* "system" of a result; and, for root's packages, "commands". */
void cli_render_system(const json_t *result);
void cli_render_commands(const json_t *result);
void cli_render_undo(const json_t *result);
void cli_render_combine(const json_t *result);
void cli_render_recover(const json_t *result);

/* How words of other tools in a profile or policy were read: "notes" of a result, to standard error. */
void cli_render_notes(const json_t *result);
/* render_use.c */
void cli_render_use(const json_t *result);

/* render_profile.c */
void cli_render_profile_ls(const json_t *result);
void cli_render_profile_show(const json_t *result);
void cli_render_profile_check(const json_t *result);
void cli_render_profile_explain(const json_t *result);
void cli_render_profile_diff(const json_t *result);
/* A mapping as YAML; DEPTH of indentation. */
void cli_put_yaml(const json_t *map, int depth);

/* render_project.c */
void cli_render_project_check(const json_t *result);
void cli_render_project_show(const json_t *result);

/* render_try.c */
void cli_render_try(const json_t *result);
/* Events before the result: of a branch, the progress table, or a line if its state changed; of a stage, a
 * line. */
void cli_try_item(const json_t *item);
struct column;
/* ROWS to stdout, as wide as its window; if it is not a terminal, as wide as needed. */
void cli_print_columns(const struct column *columns, const json_t *rows);
/* render_experiment.c */
void cli_render_experiment(const json_t *result);
void cli_render_experiment_ready(const json_t *result);
void cli_render_experiments(const json_t *result);

/* Only the names of what was made: for scripts. */
void cli_render_names(const json_t *result);

/*
 * Untrusted text made safe for a terminal: ASCII controls become '?', invisible or direction-changing
 * characters "\u202e"; see base/unicode.h.
 */
void cli_print_safe(FILE *out, const char *text);
/* The same for a name or command, which must not look like two lines. */
void cli_print_name(FILE *out, const char *name);
/* The last lines of OUTPUT, which came from a box, indented. */
void cli_print_last_lines(FILE *out, const char *output);

#endif
