// SPDX-License-Identifier: Apache-2.0
// Arguments and results of every operation. Made by tools/sdk-types from `aisbx schema`: change the table, not this file.
// Results list what can be there; what an operation leaves out depends on its arguments.

/** Run a command in a fresh clone of this machine */
export interface RunExecArgs {
  /** run in this box, which keeps the changes; default: one that goes with the run */
  box?: string;
  /** what the box may do: a name that 'aisbx profile ls' shows, or a file (with a '/'); default: $AISBX_PROFILE, or dev */
  profile?: string;
  /** how the walls are built: native (default) */
  driver?: "native";
  /** directory cloned writable into the box; default: the current one */
  project?: string;
  /** directory to start in; default: the project */
  cwd?: string;
  /** show a file or directory, read-only */
  ro?: string[];
  /** share a file or directory: changes are made to the real one */
  rw?: string[];
  /** cover a file or directory */
  hide?: string[];
  /** set a variable, or pass the caller's on */
  env?: string[];
  /** give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env behind it the variable NAME. It is taken out of all output */
  secret?: string[];
  /** none, or loopback: the box's own */
  net?: "none" | "loopback";
  /** the system calls there are: default, or fewer, for a language: python, javascript, shell, go, rust, java, c */
  seccomp?: "default" | "python" | "javascript" | "shell" | "go" | "rust" | "java" | "c";
  /** the same as --net none */
  "no-net"?: boolean;
  /** end the run after this long; 0: never */
  timeout?: string | number;
  /** processors at any time, such as 2 or 0.5; 0: all */
  cpu?: number;
  /** processor time of all processes together */
  "cpu-time"?: string | number;
  /** memory of all processes together, with files in memory */
  mem?: string | number;
  /** bytes the box may write */
  disk?: string | number;
  /** files, directories and links the box may make */
  inodes?: number;
  /** bytes of one file */
  "file-size"?: string | number;
  /** processes and threads at once */
  pids?: number;
  /** open files per process */
  files?: number;
  /** bytes let through of each output stream; with --json kept in the result (default 4m) */
  output?: string | number;
  /** start the services of this file; default: of the project's aisbx.yaml, if there is one */
  services?: string;
  /** start none */
  "no-services"?: boolean;
  /** give the command a terminal of the box's own */
  tty?: boolean;
  /** print the run's id and leave it running; see logs, wait, kill */
  detach?: boolean;
  /** pass standard input on, which is always so; with --detach: keep it open for 'aisbx input' */
  interactive?: boolean;
  /** keep what 'aisbx replay' needs: output, and of a box snapshots before and after */
  record?: boolean;
  /** run with this wall missing; the result says so (see 'aisbx doctor' for names) */
  without?: string[];
  /** the command and its arguments; behind the profile's entrypoint, if it has one */
  command?: string[];
}

export interface RunExecResultTruncated {
  /** bytes */
  stdout?: number;
  /** bytes */
  stderr?: number;
}

export interface RunExecResultIsolation {
  /** what built them */
  driver?: string;
  /** full; reduced when a person gave walls up; none when the command never started */
  level?: string;
  /** names of the walls that were read back */
  walls?: unknown[];
  /** names of the walls that were given up */
  missing?: unknown[];
  /** capabilities kept, valid only inside the box's user namespace */
  caps?: unknown[];
}

export interface RunExecResultUsage {
  /** from start to end */
  wall_ms?: number;
  /** of all processes of the box */
  cpu_ms?: number;
  /** most memory of all processes together, bytes; without a control group as seen by looking */
  mem_peak?: number;
  /** most processes and threads at once; 0 when nobody had the time to look */
  pids_peak?: number;
  /** bytes written that were still there at the end */
  disk?: number;
  /** files, directories and links made that were still there at the end */
  inodes?: number;
}

export interface RunExecResultLimit {
  /** wall_time, cpu_time, memory, processes, file_size, disk, inodes or lifetime */
  kind?: string;
  /** the limit, in milliseconds or bytes or a plain number */
  value?: number;
  /** what was used of it */
  used?: number;
  /** the option that sets another */
  raise_with?: string;
}

export interface RunExecResultViolationsItem {
  /** syscall, decoy, net or limit */
  kind?: string;
  /** what was tried */
  what?: string;
  /** name of the program that tried */
  by?: string | null;
  /** its process, as the host counts; the first of several */
  pid?: number | null;
  /** the rule that said no */
  rule?: string;
  /** what would allow it */
  allow_with?: string;
  /** how often */
  count?: number;
}

export interface RunExecResultServicesItem {
  /** as in the file */
  name?: string;
  /** running when the command ended; waiting, starting, restarting; exited with 0 by itself; failed */
  state?: string;
  /** of a failed one: exec, ended, restarts, timeout (not ready in time) or join */
  error?: string | null;
  /** how often it was started again */
  restarts?: number;
  /** of its last end by itself */
  exit_code?: number | null;
  /** that ended it then */
  signal?: number | null;
  /** from its start until it was ready */
  ready_ms?: number | null;
  /** the last of what it wrote */
  output?: string;
}

/** What run.exec gives. */
export interface RunExecResult {
  /** id of this run */
  run?: string;
  /** follows the run through logs and traces */
  trace_id?: string;
  /** ok, failed, limit, denied, interrupted or error */
  status?: string;
  /** of the command; null when a signal or limit ended it */
  exit_code?: number | null;
  /** what aisbx run exits with: the command's own, 124, 126, 127 or 128+N */
  exit_status?: number;
  /** that ended the command */
  signal?: number | null;
  /** what the command wrote; bytes that are not UTF-8 become U+FFFD */
  stdout?: string;
  /** as stdout */
  stderr?: string;
  /** bytes cut off because of the output limit */
  truncated?: RunExecResultTruncated;
  /** the walls around the command, as measured from inside */
  isolation?: RunExecResultIsolation;
  /** what the run took */
  usage?: RunExecResultUsage;
  /** every limit the run had: its name, with `value` and `by`, what held it */
  limits?: Record<string, unknown>;
  /** the limit that ended the run, or refused what it needed */
  limit?: RunExecResultLimit | null;
  /** what the command tried and was refused, a decoy it opened, the limit it came to */
  violations?: RunExecResultViolationsItem[];
  /** of further kinds, when there were too many to keep */
  violations_not_listed?: number;
  /** what ran beside the command, as the file has them */
  services?: RunExecResultServicesItem[];
  /** why the command could not be executed */
  error?: string | null;
  /** only there when the box's automatic snapshot failed: why */
  snapshot_error?: string;
  /** only there when files of the project are of a group that the box does not know: what to do */
  unknown_group?: string;
  /** only there when output of a detached run could not be kept: why */
  log_error?: string;
  /** with --detach: true, and of the other fields only run, trace_id and box are there */
  detached?: boolean;
  /** with --detach: id of its box, null if that goes with the run */
  box?: string | null;
  /** only there when output could not be written where the caller wants it: why; the exit status is not 0 then */
  output_error?: string;
  /** only there when the run could not be written to the history: why */
  history_error?: string;
}

/** Run a run again and tell what is not the same */
export interface RunReplayArgs {
  /** id of the run; its beginning is enough */
  run: string;
  /** replay it N times: tells chance from change; default 1 */
  times?: number;
  /** do not remove the boxes of the replays */
  keep?: boolean;
}

export interface RunReplayResultStdout {
  /** to the last byte */
  same?: boolean;
  /** as below */
  kind?: string | null;
  /** the first 20 that differ: line, was, is */
  lines?: unknown[];
}

export interface RunReplayResultStderr {
  /** to the last byte */
  same?: boolean;
  /** as below */
  kind?: string | null;
  /** the first 20 that differ: line, was, is */
  lines?: unknown[];
}

export interface RunReplayResultChangesPathsItem {
  /** below the project; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** as the kinds of diff */
  how?: string;
  /** as below */
  kind?: string;
}

export interface RunReplayResultChanges {
  /** no path differs */
  same?: boolean;
  /** paths that differ */
  count?: number;
  /** the first 100 of them */
  paths?: RunReplayResultChangesPathsItem[];
}

export interface RunReplayResultNotDeterministicItem {
  /** exit_code, signal, status, stdout, stderr or "file PATH" */
  what?: string;
  /** time, number, address, temporary name, order, mixed (of these), attributes, bytes or content */
  kind?: string;
  /** members was and is; of a text with its line */
  example?: Record<string, unknown> | null;
}

export interface RunReplayResultChangedItem {
  /** exit_code, signal, status, stdout, stderr or "file PATH" */
  what?: string;
  /** time, number, address, temporary name, order, mixed (of these), attributes, bytes or content */
  kind?: string;
  /** members was and is; of a text with its line */
  example?: Record<string, unknown> | null;
}

export interface RunReplayResultNotComparedItem {
  /** start, stdin, stdout, stderr, changes, project, terminal or "variable NAME" */
  what?: string;
  /** for a person */
  why?: string;
}

/** What run.replay gives. */
export interface RunReplayResult {
  /** id of the run that was replayed */
  run?: string;
  /** ids of the replays, runs like all others */
  replay?: unknown[];
  /** with keep: ids of their boxes */
  boxes?: unknown[];
  /** nothing that was compared differs */
  same?: boolean;
  /** members was, and is: of the first replay */
  exit_code?: Record<string, unknown>;
  /** as exit_code */
  status?: Record<string, unknown>;
  /** as exit_code: what run tells as usage */
  usage?: Record<string, unknown>;
  /** null: not compared */
  stdout?: RunReplayResultStdout | null;
  /** null: not compared */
  stderr?: RunReplayResultStderr | null;
  /** what the replay left of the project, against what the run left; null: not compared */
  changes?: RunReplayResultChanges | null;
  /** what differs; with several replays: between them */
  not_deterministic?: RunReplayResultNotDeterministicItem[];
  /** with several replays: what they agree in and differ from the run in, so that it was not chance */
  changed?: RunReplayResultChangedItem[];
  /** what nobody can tell, and why */
  not_compared?: RunReplayResultNotComparedItem[];
  /** files of the real project that changed since the run, the first 20 */
  project_changed?: unknown[];
}

/** List live runs */
export interface RunLsArgs {
}

export interface RunLsResultRunsItem {
  /** id */
  run?: string;
  /** starting, running, paused, ending (others that joined its box go on) or unresponsive */
  state?: string;
  /** id of its box, null if that goes with the run */
  box?: string | null;
  /** with its arguments */
  command?: string | null;
  /** milliseconds since 1970 */
  started_ms?: number | null;
  /** how long it has been running */
  wall_ms?: number;
  /** nobody waits for it */
  detached?: boolean | null;
  /** what it may do */
  profile?: string | null;
  /** it runs in the live box of another run */
  joined?: boolean;
  /** of its supervisor */
  pid?: number;
  /** as in its result */
  trace_id?: string | null;
}

/** What run.ls gives. */
export interface RunLsResult {
  /** oldest first */
  runs?: RunLsResultRunsItem[];
}

/** Wait for the end of a run */
export interface RunWaitArgs {
  /** id of the run; its beginning is enough */
  run: string;
  /** give up after this long, with exit status 125 */
  timeout?: string | number;
  /** also the last SIZE bytes it has written to each stream, if its output is kept; also of one that goes on after the timeout */
  output?: string | number;
}

export interface RunWaitResultTruncated {
  /** bytes */
  stdout?: number;
  /** bytes */
  stderr?: number;
}

/** What run.wait gives. */
export interface RunWaitResult {
  /** id */
  run?: string;
  /** ok, failed, limit, denied, interrupted or error; with --output also running */
  status?: string;
  /** of the command */
  exit_code?: number | null;
  /** what aisbx run would have exited with */
  exit_status?: number;
  /** that ended the command */
  signal?: number | null;
  /** with --output: the end of what the command wrote, if it is kept */
  stdout?: string;
  /** as stdout */
  stderr?: string;
  /** with --output: bytes before that, and those the output limit took */
  truncated?: RunWaitResultTruncated;
  /** why there is no other end */
  error?: string | null;
}

/** End runs, or pass a signal on */
export interface RunKillArgs {
  /** ids of the runs; their beginnings are enough */
  runs: string[];
  /** pass this signal on to the command, which may do with it what it likes; default: end the run */
  signal?: string;
}

/** What run.kill gives. */
export interface RunKillResult {
  /** ids of the runs */
  runs?: unknown[];
}

/** Stop every process of a run's box for a while */
export interface RunPauseArgs {
  /** ids of the runs; their beginnings are enough */
  runs: string[];
}

/** What run.pause gives. */
export interface RunPauseResult {
  /** ids of the runs */
  runs?: unknown[];
}

/** Let a paused run go on */
export interface RunResumeArgs {
  /** ids of the runs; their beginnings are enough */
  runs: string[];
}

/** What run.resume gives. */
export interface RunResumeResult {
  /** ids of the runs */
  runs?: unknown[];
}

/** Show what a detached run has written */
export interface RunLogsArgs {
  /** id of the run; its beginning is enough */
  run: string;
  /** go on until the run has ended */
  follow?: boolean;
  /** what this service of the run has written */
  service?: string;
  /** with the time before each line */
  timestamps?: boolean;
}

/** What run.logs gives. */
export interface RunLogsResult {
  /** of a record: microseconds since 1970 */
  time_us?: number;
  /** of a record: stdout or stderr */
  stream?: string;
  /** of a record: what was written; bytes that are not UTF-8 become U+FFFD */
  data?: string;
  /** in the last line: id */
  run?: string;
  /** in the last line: the run had ended, and this is all */
  complete?: boolean;
  /** the records, where they cannot be told one by one */
  records?: unknown[];
}

/** Write to the input of a detached run */
export interface RunInputArgs {
  /** id of the run; its beginning is enough */
  run: string;
  /** afterwards close it: the command sees the end of its input */
  close?: boolean;
}

/** What run.input gives. */
export interface RunInputResult {
  /** id */
  run?: string;
  /** that were passed on */
  bytes?: number;
  /** the command's input is closed now */
  closed?: boolean;
}

/** Run a command in a live box */
export interface BoxExecArgs {
  /** name or id of a live box, or id of a live run */
  target: string;
  /** directory to start in; default: the project */
  cwd?: string;
  /** set a variable, or pass the caller's on */
  env?: string[];
  /** give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env behind it the variable NAME. It is taken out of all output */
  secret?: string[];
  /** end the command after this long; 0: never */
  timeout?: string | number;
  /** bytes let through of each output stream */
  output?: string | number;
  /** give the command a terminal of the box's own */
  tty?: boolean;
  /** pass standard input on; always so, accepted for habit (-it) */
  interactive?: boolean;
  /** the command and its arguments */
  command: string[];
}

/** What box.exec gives. */
export interface BoxExecResult {
  /** id of this run; the rest as in the result of run */
  run?: string;
  /** ok, failed, limit, denied, interrupted or error */
  status?: string;
  /** of the command */
  exit_code?: number | null;
  /** what the command wrote */
  stdout?: string;
  /** as stdout */
  stderr?: string;
}

/** Show what live runs use */
export interface RunStatsArgs {
  /** only these; default: all live runs */
  runs?: string[];
  /** again and again, until the runs have ended; without RUN until it is interrupted */
  follow?: boolean;
  /** how often, with --follow; default 1s */
  interval?: string | number;
}

export interface RunStatsResultRunsItemOutput {
  /** to standard output */
  stdout?: number;
  /** to standard error */
  stderr?: number;
}

export interface RunStatsResultRunsItem {
  /** id */
  run?: string;
  /** as in ps */
  state?: string;
  /** with its arguments */
  command?: string | null;
  /** how long it has been running */
  wall_ms?: number;
  /** processor time so far; null, as all below, where it runs in another's box */
  cpu_ms?: number | null;
  /** of one processor, since the look before */
  cpu_percent?: number | null;
  /** bytes of memory now */
  mem?: number | null;
  /** most bytes of memory so far */
  mem_peak?: number | null;
  /** processes and threads now */
  pids?: number | null;
  /** most of them so far */
  pids_peak?: number | null;
  /** bytes written that are there now */
  disk?: number | null;
  /** files, directories and links made that are there now */
  inodes?: number | null;
  /** bytes written so far */
  output?: RunStatsResultRunsItemOutput;
}

/** What run.stats gives. */
export interface RunStatsResult {
  /** when this was, in milliseconds since 1970 */
  time_ms?: number;
  /** oldest first */
  runs?: RunStatsResultRunsItem[];
}

/** Run a program given as text, in a box of its own */
export interface RunCodeArgs {
  /** python, javascript or shell */
  lang: "python" | "javascript" | "shell";
  /** the program itself */
  code?: string;
  /** with --context: where the interpreter lives */
  box?: string;
  /** in an interpreter that stays in the box and remembers what earlier programs defined; the first starts it */
  context?: string;
  /** end that interpreter; there is no program then */
  "end-context"?: boolean;
  /** at its start: it ends when it has had nothing to do for so long; default: 30min, 0: with its box */
  idle?: string | number;
  /** copy the files that the program left in its directory to this one; nothing is overwritten, and traps stay behind */
  out?: string;
  /** scan the program by this policy first; default: what the profile says; none: do not */
  policy?: string;
  /** run it where the policy says to ask, and with --out copy traps, too */
  yes?: boolean;
  /** what the box may do; default: that of the language */
  profile?: string;
  /** show a file or directory, read-only */
  ro?: string[];
  /** set a variable, or pass the caller's on */
  env?: string[];
  /** give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env behind it the variable NAME. It is taken out of all output */
  secret?: string[];
  /** none, or loopback: the box's own */
  net?: "none" | "loopback";
  /** end the program after this long; 0: never */
  timeout?: string | number;
  /** processors at any time, such as 2 or 0.5; 0: all */
  cpu?: number;
  /** processor time of all processes together */
  "cpu-time"?: string | number;
  /** memory of all processes together */
  mem?: string | number;
  /** bytes the program may write */
  disk?: string | number;
  /** files, directories and links it may make */
  inodes?: number;
  /** bytes of one file */
  "file-size"?: string | number;
  /** processes and threads at once */
  pids?: number;
  /** open files per process */
  files?: number;
  /** bytes let through of each output stream */
  output?: string | number;
  /** the program; - (default): from standard input, of which then nothing is left for the program */
  file?: string;
  /** arguments of the program */
  args?: string[];
}

export interface RunCodeResultScanFindingsItem {
  /** its id in the policy */
  rule?: string;
  /** low, medium, high or critical */
  severity?: string;
  /** import, call, use, command, write, text, hidden, broken or unread */
  kind?: string;
  /** what was found: of a module, a function, a command, a file; or a text */
  name?: string;
  /** the same with its arguments; '?' stands for what only running would tell */
  call?: string;
  /** by an alias, a text put together or the like */
  indirect?: boolean;
  /** in a program inside a text */
  nested?: boolean;
  /** from 1 */
  line?: number;
  /** from 1, in bytes */
  column?: number;
  /** where it ends */
  end_line?: number;
  /** one behind its last byte */
  end_column?: number;
  /** the line of the source, or the part of a long one */
  text?: string;
  /** bytes of the line before that part */
  text_offset?: number;
  /** the reason of the rule */
  why?: string;
  /** what to do instead */
  advice?: string | null;
}

export interface RunCodeResultScan {
  /** python, javascript, typescript or shell */
  language?: string;
  /** of the program */
  bytes?: number;
  /** none, low, medium, high or critical: that of its worst finding */
  risk?: string;
  /** what the policy says to that: allow, warn, sandbox, ask or refuse */
  action?: string;
  /** findings that are not listed */
  more?: number;
  /** by line and column */
  findings?: RunCodeResultScanFindingsItem[];
}

export interface RunCodeResultException {
  /** such as ValueError; null for a shell */
  name?: string | null;
  /** what it says */
  message?: string | null;
  /** of the program */
  line?: number | null;
  /** with --context: the whole of it */
  traceback?: string | null;
}

export interface RunCodeResultFilesItem {
  /** below the directory; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** bytes */
  size?: number;
  /** type of a picture or document, by its first bytes: image/png, image/svg+xml, ... */
  media?: string | null;
  /** with --out: why it was not copied */
  error?: string | null;
}

/** What run.code gives. */
export interface RunCodeResult {
  /** id of this run; what is not listed here is as in the result of run */
  run?: string;
  /** ok, failed, limit, denied (by the scan: nothing ran), interrupted or error */
  status?: string;
  /** of the interpreter */
  exit_code?: number | null;
  /** what aisbx run-code exits with */
  exit_status?: number;
  /** what the program wrote */
  stdout?: string;
  /** as stdout */
  stderr?: string;
  /** as given */
  language?: string;
  /** what the scan found before it ran; null: nobody looked */
  scan?: RunCodeResultScan | null;
  /** of a program that failed, where its stderr tells and is part of the result */
  exception?: RunCodeResultException | null;
  /** with --context: as given */
  box?: string;
  /** with --context: as given */
  context?: string;
  /** with --context: the interpreter was started for this, so it remembers nothing from before */
  context_new?: boolean;
  /** with --context: there is no interpreter any more, and what it remembered is gone */
  context_ended?: boolean;
  /** with --context: the value of the last expression, as the language writes it */
  text?: string | null;
  /** with --context: figures of matplotlib that were open, as base64 of PNG */
  charts?: unknown[];
  /** regular files that the program left in its directory, by path */
  files?: RunCodeResultFilesItem[];
  /** links and the like, files past the thousandth, directories that could not be read */
  files_not_listed?: number;
  /** only there when the files could not be listed: why */
  files_error?: string;
  /** as in the result of run */
  violations?: unknown[];
  /** as in the result of run */
  limit?: Record<string, unknown> | null;
  /** why the program could not be started */
  error?: string | null;
}

/** Find out the smallest profile that suffices for a command */
export interface RunLearnArgs {
  /** write the profile to this file, which must not be there yet; default: to standard output */
  output?: string;
  /** name of the profile; default: learned */
  name?: string;
  /** what to begin with; default: dev */
  profile?: string;
  /** directory cloned writable; default: the current one */
  project?: string;
  /** directory to start in; default: the project */
  cwd?: string;
  /** show a file or directory, read-only; becomes part of the profile */
  ro?: string[];
  /** set or pass on a variable; becomes part of the profile */
  env?: string[];
  /** the command and its arguments; it gets no input */
  command: string[];
}

export interface RunLearnResultValuesItem {
  /** as in the profile */
  key?: string;
  /** as in the profile */
  value?: string;
  /** what it came from */
  why?: string;
}

export interface RunLearnResultRefusedItem {
  /** what was tried */
  what?: string;
  /** the rule that said no */
  rule?: string;
}

/** What run.learn gives. */
export interface RunLearnResult {
  /** the text of the profile */
  profile?: string;
  /** where it was written */
  file?: string | null;
  /** of the command, every time */
  exit_code?: number | null;
  /** that ended it, every time */
  signal?: number | null;
  /** how often it ran */
  runs?: number;
  /** it printed the same every time, so that was compared, too */
  steady?: boolean;
  /** what the profile says */
  values?: RunLearnResultValuesItem[];
  /** what the command tried and does without: no profile would allow it */
  refused?: RunLearnResultRefusedItem[];
}

/** Run, test, build, format, lint or bench a project by its own command */
export interface IntentRunArgs {
  /** run, test, build, format, lint or bench */
  intent: "run" | "test" | "build" | "format" | "lint" | "bench";
  /** in this box, which keeps the changes; default: one that goes with the run */
  box?: string;
  /** what the box may do; default: as for run */
  profile?: string;
  /** directory cloned writable into the box; default: the current one */
  project?: string;
  /** directory of the project whose own way is meant; default: the project */
  cwd?: string;
  /** set a variable, or pass the caller's on */
  env?: string[];
  /** give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env behind it the variable NAME. It is taken out of all output */
  secret?: string[];
  /** none, or loopback: the box's own */
  net?: "none" | "loopback";
  /** end the run after this long; 0: never */
  timeout?: string | number;
  /** processors at any time, such as 2 or 0.5; 0: all */
  cpu?: number;
  /** processor time of all processes together */
  "cpu-time"?: string | number;
  /** memory of all processes together, with files in memory */
  mem?: string | number;
  /** bytes the box may write */
  disk?: string | number;
  /** files, directories and links the box may make */
  inodes?: number;
  /** bytes of one file */
  "file-size"?: string | number;
  /** processes and threads at once */
  pids?: number;
  /** open files per process */
  files?: number;
  /** bytes let through of each output stream; with --json kept in the result (default 4m) */
  output?: string | number;
  /** start none of the project's services */
  "no-services"?: boolean;
  /** keep what 'aisbx replay' needs: output, and of a box snapshots before and after */
  record?: boolean;
  /** further arguments for the command */
  args?: string[];
}

export interface IntentRunResultTests {
  /** tests */
  passed?: number;
  /** tests, with errors */
  failed?: number;
  /** tests, with those known to fail */
  skipped?: number;
  /** who says so: pytest, unittest, node, tap, jest, vitest, mocha, cargo, go, meson, ctest, surefire, junit, deno */
  runner?: string;
}

/** What intent.run gives. */
export interface IntentRunResult {
  /** as given */
  intent?: string;
  /** the words that were run */
  command?: unknown[];
  /** the file of the project that says so */
  found_in?: string;
  /** how tests went, by what their runner wrote; null when that is not plain, and for other intents */
  tests?: IntentRunResultTests | null;
  /** id of this run; what is not listed here is as in the result of run */
  run?: string;
  /** ok, failed, limit, denied, interrupted or error */
  status?: string;
  /** of the command; it alone says whether the tests passed */
  exit_code?: number | null;
  /** what aisbx do exits with */
  exit_status?: number;
  /** what the command wrote */
  stdout?: string;
  /** as stdout */
  stderr?: string;
  /** as in the result of run */
  limit?: Record<string, unknown> | null;
  /** as in the result of run */
  violations?: unknown[];
  /** why the command could not be started */
  error?: string | null;
}

/** Show how a project is run, tested, built, formatted, linted */
export interface IntentLsArgs {
  /** as this box has the project; default: as it is now */
  box?: string;
  /** the project; default: the current directory */
  project?: string;
  /** directory of the project to look in; default: the project */
  cwd?: string;
}

export interface IntentLsResultIntentsItem {
  /** run, test, build, format, lint or bench */
  intent?: string;
  /** its words */
  command?: unknown[];
  /** the file that says so */
  found_in?: string;
  /** what of it */
  why?: string;
  /** it is the one that 'aisbx do' takes */
  used?: boolean;
}

/** What intent.ls gives. */
export interface IntentLsResult {
  /** every way that was found, by intent, the best first */
  intents?: IntentLsResultIntentsItem[];
}

/** Tell whether a box is as it must be to go further */
export interface GateCheckArgs {
  /** what is judged; '.', or nothing: the directory as it is */
  box?: string;
  /** what must hold; default: all gates of the project */
  checks?: string[];
  /** a text for a shell that must exit with 0 */
  command?: string[];
  /** a policy below the project, asked by opa */
  rego?: string;
  /** what must be true of it: data.aisbx.allow */
  query?: string;
  /** directory whose aisbx.yaml counts; default: the project of the box, or the current one */
  dir?: string;
  /** what the commands may do; default: as the box has it, or as for run */
  profile?: string;
}

export interface GateCheckResultChecksItem {
  /** as it was written */
  check?: string;
  /** intent, expression, command or rego */
  kind?: string;
  /** the gate it belongs to */
  gate?: string | null;
  /** it holds */
  passed?: boolean;
  /** what made it so; what is not known is named */
  why?: string;
  /** id of what was run for it; 'aisbx logs' shows what that wrote */
  run?: string | null;
  /** what a command said */
  score?: number | null;
  /** what the box had changed of what this is judged by, below the project: the person's own counted */
  judges?: unknown[];
}

export interface GateCheckResultDriftFilesItem {
  /** below the project; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** deleted, renamed, changed, added, lost or touched */
  kind?: string;
  /** of what was renamed: what it was called */
  from?: string | null;
  /** the box changed it, too */
  both?: boolean;
}

export interface GateCheckResultDrift {
  /** since what: box, snapshot or pin */
  of?: string;
  /** when that was; milliseconds since 1970 */
  since_ms?: number;
  /** files that were written; also new ones, where aisbx has no list of the names there were */
  changed?: number;
  /** new ones */
  added?: number;
  /** files and directories that are gone */
  deleted?: number;
  /** files and directories with another name */
  renamed?: number;
  /** directories from which something went, no list says what */
  lost?: number;
  /** with other permissions, owner, links or times; of what the box changed: whose content is as it was */
  touched?: number;
  /** changes that are not told, for git ignores the files */
  ignored?: number;
  /** files and directories that were looked at */
  looked?: number;
  /** false: the time was up before all were looked at, or the clock was set back */
  complete?: boolean;
  /** the clock is behind the moment the box was made: little can be told */
  clock_back?: boolean;
  /** of git, if it is another one now */
  branch?: string | null;
  /** the branch when the box was made */
  was?: string | null;
  /** the first 100; those that the box changed, too, come first */
  files?: GateCheckResultDriftFilesItem[];
  /** why nothing can be told */
  error?: string;
}

/** What gate.check gives. */
export interface GateCheckResult {
  /** all of it holds */
  passed?: boolean;
  /** name of what was judged; null: a directory */
  box?: string | null;
  /** of the box, taken because something had to be run: this is what was judged */
  snapshot?: string | null;
  /** names of the gates that were asked for */
  gates?: unknown[];
  /** every aisbx.yaml that counted: of the project and of directories above it, the outermost first */
  files?: unknown[];
  /** one after the other, all of them */
  checks?: GateCheckResultChecksItem[];
  /** processor time of what was run to judge */
  cpu_ms?: number;
  /** all that were asked for, by their names; null: not known */
  facts?: Record<string, unknown>;
  /** what changed in the real project, outside of boxes, since the box or snapshot was made */
  drift?: GateCheckResultDrift;
}

/** Write down a goal and the steps to it */
export interface PlanCreateArgs {
  /** what it is for, in words */
  goal: string;
  /** run, test, build, format, lint or bench, or a command for a shell; in their order */
  step: string[];
  /** steps run in this box, which keeps what they change; default: each in one of its own */
  box?: string;
}

export interface PlanCreateResultStepsItem {
  /** from 1 */
  step?: number;
  /** as given */
  what?: string;
  /** intent or command */
  kind?: string;
  /** pending, running, ok, failed or skipped */
  state?: string;
  /** id of its last run; see history */
  run?: string | null;
  /** of that */
  exit_code?: number | null;
  /** why there was none */
  note?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
}

/** What plan.create gives. */
export interface PlanCreateResult {
  /** its id */
  plan?: string;
  /** as given */
  goal?: string;
  /** open, running, failed (a step is), done */
  state?: string;
  /** id of the box its steps run in; null: each in one of its own */
  box?: string | null;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in their order */
  steps?: PlanCreateResultStepsItem[];
}

/** List plans */
export interface PlanLsArgs {
  /** only those whose goal or steps contain this */
  match?: string;
  /** at most N; default 20 */
  limit?: number;
}

export interface PlanLsResultPlansItemStepsItem {
  /** from 1 */
  step?: number;
  /** as given */
  what?: string;
  /** intent or command */
  kind?: string;
  /** pending, running, ok, failed or skipped */
  state?: string;
  /** id of its last run; see history */
  run?: string | null;
  /** of that */
  exit_code?: number | null;
  /** why there was none */
  note?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
}

export interface PlanLsResultPlansItem {
  /** its id */
  plan?: string;
  /** as given */
  goal?: string;
  /** open, running, failed (a step is), done */
  state?: string;
  /** id of the box its steps run in; null: each in one of its own */
  box?: string | null;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in their order */
  steps?: PlanLsResultPlansItemStepsItem[];
}

/** What plan.ls gives. */
export interface PlanLsResult {
  /** newest first */
  plans?: PlanLsResultPlansItem[];
}

/** Show a plan and how far it came */
export interface PlanShowArgs {
  /** id of the plan; its beginning is enough */
  plan: string;
}

export interface PlanShowResultStepsItem {
  /** from 1 */
  step?: number;
  /** as given */
  what?: string;
  /** intent or command */
  kind?: string;
  /** pending, running, ok, failed or skipped */
  state?: string;
  /** id of its last run; see history */
  run?: string | null;
  /** of that */
  exit_code?: number | null;
  /** why there was none */
  note?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
}

/** What plan.show gives. */
export interface PlanShowResult {
  /** its id */
  plan?: string;
  /** as given */
  goal?: string;
  /** open, running, failed (a step is), done */
  state?: string;
  /** id of the box its steps run in; null: each in one of its own */
  box?: string | null;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in their order */
  steps?: PlanShowResultStepsItem[];
}

/** Do the next step of a plan */
export interface PlanStepArgs {
  /** id of the plan; its beginning is enough */
  plan: string;
  /** in this box; default: the plan's */
  box?: string;
  /** end the step after this long; 0: never */
  timeout?: string | number;
  /** do the step that failed once more */
  again?: boolean;
  /** go on without the step that failed */
  skip?: boolean;
}

export interface PlanStepResultStepsItem {
  /** from 1 */
  step?: number;
  /** as given */
  what?: string;
  /** intent or command */
  kind?: string;
  /** pending, running, ok, failed or skipped */
  state?: string;
  /** id of its last run; see history */
  run?: string | null;
  /** of that */
  exit_code?: number | null;
  /** why there was none */
  note?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
}

/** What plan.step gives. */
export interface PlanStepResult {
  /** its id */
  plan?: string;
  /** as given */
  goal?: string;
  /** open, running, failed (a step is), done */
  state?: string;
  /** id of the box its steps run in; null: each in one of its own */
  box?: string | null;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in their order */
  steps?: PlanStepResultStepsItem[];
  /** the step that was done now; null: the last one was skipped */
  did?: number | null;
  /** as of run, or of do for an intent */
  result?: Record<string, unknown> | null;
}

/** Remove plans */
export interface PlanRmArgs {
  /** ids; beginnings are enough */
  plans: string[];
}

/** What plan.rm gives. */
export interface PlanRmResult {
  /** ids */
  removed?: unknown[];
}

/** Try several approaches at once, each in its own box, and keep the best */
export interface ExperimentTryArgs {
  /** start from it; default: the project as it is */
  box?: string;
  /** a shell command that must succeed; default: the project's own way to test */
  test?: string;
  /** who wins: the best of all that pass (default), the first that does; all: only compare */
  mode?: "first" | "best" | "all";
  /** as the project's aisbx.yaml has it; options say otherwise */
  experiment?: string;
  /** must hold as well: a gate of the project's aisbx.yaml, an intent or an expression; may be given again */
  gate?: string[];
  /** what branches are compared by: facts as in gates; default: how long the test took */
  score?: string;
  /** whether the least (default) or the most of the score is best */
  prefer?: "least" | "most";
  /** test each K times; one that fails sometimes has not passed */
  repeat?: number;
  /** stop what still runs after this long */
  "budget-time"?: string | number;
  /** the same when all branches together have used so much processor time */
  "budget-cpu"?: string | number;
  /** start no more runs than this, commands and tests of all branches */
  "budget-runs"?: number;
  /** so many branches at once; default: all */
  parallel?: number;
  /** promote the winner, through the project's stages if it has some */
  promote?: boolean;
  /** keep the boxes of the others, too */
  keep?: boolean;
  /** names of the branches, in their order; default: 1, 2, ... */
  name?: string[];
  /** what the boxes may do; default: as for run */
  profile?: string;
  /** directory cloned writable into the boxes; default: the current one */
  project?: string;
  /** share a file or directory with all of them: changes are made to the real one */
  rw?: string[];
  /** show a file or directory, read-only */
  ro?: string[];
  /** set a variable, or pass the caller's on */
  env?: string[];
  /** give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env behind it the variable NAME. It is taken out of all output */
  secret?: string[];
  /** none, or loopback: the box's own */
  net?: "none" | "loopback";
  /** end the run after this long; 0: never */
  timeout?: string | number;
  /** processors at any time, such as 2 or 0.5; 0: all */
  cpu?: number;
  /** processor time of all processes together */
  "cpu-time"?: string | number;
  /** memory of all processes together, with files in memory */
  mem?: string | number;
  /** bytes the box may write */
  disk?: string | number;
  /** files, directories and links the box may make */
  inodes?: number;
  /** bytes of one file */
  "file-size"?: string | number;
  /** processes and threads at once */
  pids?: number;
  /** open files per process */
  files?: number;
  /** bytes let through of each output stream; with --json kept in the result (default 4m) */
  output?: string | number;
  /** start none of the project's services */
  "no-services"?: boolean;
  /** shell commands, one for each copy */
  branches?: string[];
  /** what to try: one word is a text for a shell, several are a command and its arguments; the next begins behind '--' */
  command?: string[];
}

export interface ExperimentTryResultBranchesItem {
  /** its place in what was asked, from 1 */
  n?: number;
  /** as given, or its number */
  name?: string;
  /** as given */
  command?: string;
  /** its box; null: it was removed */
  box?: string | null;
  /** of the box: what was judged */
  snapshot?: string | null;
  /** winner, passed, failed, flaky (passed some of its tests), stopped or waiting */
  state?: string;
  /** among those that passed, from 1 */
  rank?: number | null;
  /** ids of its runs: the command, then the tests */
  runs?: unknown[];
  /** from start to end */
  wall_ms?: number;
  /** of all its runs */
  cpu_ms?: number;
  /** most memory of one of its runs, bytes */
  mem_peak?: number;
  /** how many passed, failed, were skipped, if the runner says so */
  tests?: Record<string, unknown> | null;
  /** how many files it created, modified, deleted */
  changes?: Record<string, unknown> | null;
  /** by what it is compared: --score, or the milliseconds of its test */
  score?: number | null;
  /** how many of its tests passed: 3/3 */
  passed_of?: string | null;
  /** why it is not the winner; empty when there is nothing to say */
  why?: string;
  /** the last of what its last run wrote */
  stdout_tail?: string;
  /** as stdout_tail */
  stderr_tail?: string;
}

export interface ExperimentTryResultDiffersItem {
  /** the best */
  branch?: string;
  /** the other */
  against?: string;
  /** paths below the project that differ, at most 50 */
  files?: unknown[];
  /** how many more there are */
  more?: number;
}

/** What experiment.try gives. */
export interface ExperimentTryResult {
  /** its id */
  experiment?: string;
  /** first, best or all */
  mode?: string;
  /** won; none passed; compared (mode all); budget used up, perhaps with a winner; interrupted */
  state?: string;
  /** name of the branch */
  winner?: string | null;
  /** the winner's box, which stays */
  box?: string | null;
  /** those that passed first, by their rank */
  branches?: ExperimentTryResultBranchesItem[];
  /** how the best differs from each other that passed */
  differs?: ExperimentTryResultDiffersItem[];
  /** with --promote: as of promote */
  promotion?: Record<string, unknown> | null;
  /** with --promote in a project with stages: as of pipeline run */
  pipeline?: Record<string, unknown> | null;
  /** all of it */
  wall_ms?: number;
}

/** Make boxes to try different things in, to be judged when they are ready */
export interface ExperimentOpenArgs {
  /** start from it; default: the project as it is */
  box?: string;
  /** a shell command that must succeed; default: the project's own way to test */
  test?: string;
  /** who wins: the best of all that pass (default), the first that does; all: only compare */
  mode?: "first" | "best" | "all";
  /** as the project's aisbx.yaml has it; options say otherwise */
  experiment?: string;
  /** must hold as well: a gate of the project's aisbx.yaml, an intent or an expression; may be given again */
  gate?: string[];
  /** what branches are compared by: facts as in gates; default: how long the test took */
  score?: string;
  /** whether the least (default) or the most of the score is best */
  prefer?: "least" | "most";
  /** test each K times; one that fails sometimes has not passed */
  repeat?: number;
  /** so many boxes; default 2 */
  count?: number;
  /** names of the branches, in their order; default: 1, 2, ... */
  name?: string[];
  /** what the boxes may do; default: as for run */
  profile?: string;
  /** directory cloned writable into the boxes; default: the current one */
  project?: string;
}

export interface ExperimentOpenResultBranchesItem {
  /** its place in what was asked, from 1 */
  n?: number;
  /** as given, or its number */
  name?: string;
  /** as given */
  command?: string;
  /** its box; null: it was removed */
  box?: string | null;
  /** of the box: what was judged */
  snapshot?: string | null;
  /** winner, passed, failed, flaky (passed some of its tests), stopped or waiting */
  state?: string;
  /** among those that passed, from 1 */
  rank?: number | null;
  /** ids of its runs: the command, then the tests */
  runs?: unknown[];
  /** from start to end */
  wall_ms?: number;
  /** of all its runs */
  cpu_ms?: number;
  /** most memory of one of its runs, bytes */
  mem_peak?: number;
  /** how many passed, failed, were skipped, if the runner says so */
  tests?: Record<string, unknown> | null;
  /** how many files it created, modified, deleted */
  changes?: Record<string, unknown> | null;
  /** by what it is compared: --score, or the milliseconds of its test */
  score?: number | null;
  /** how many of its tests passed: 3/3 */
  passed_of?: string | null;
  /** why it is not the winner; empty when there is nothing to say */
  why?: string;
  /** the last of what its last run wrote */
  stdout_tail?: string;
  /** as stdout_tail */
  stderr_tail?: string;
}

/** What experiment.open gives. */
export interface ExperimentOpenResult {
  /** its id */
  experiment?: string;
  /** in the project's file; empty: none */
  name?: string;
  /** first, best or all */
  mode?: string;
  /** running, open, or as it ended: won, none, compared, budget, interrupted, error */
  state?: string;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** name of the branch */
  winner?: string | null;
  /** the winner's */
  box?: string | null;
  /** in their order, or ranked when it has ended */
  branches?: ExperimentOpenResultBranchesItem[];
}

/** Have a branch of an open experiment judged */
export interface ExperimentReadyArgs {
  /** its id; the beginning is enough */
  experiment: string;
  /** name of the branch */
  branch: string;
}

/** What experiment.ready gives. */
export interface ExperimentReadyResult {
  /** its id */
  experiment?: string;
  /** its name */
  branch?: string;
  /** its test passed, every time */
  passed?: boolean;
  /** with mode first: it was the first, and the experiment has ended */
  won?: boolean;
  /** why not */
  why?: string;
  /** as a branch in the result of try */
  record?: Record<string, unknown>;
  /** when it has won: as of experiment end */
  ended?: Record<string, unknown> | null;
}

/** Show an experiment and its branches */
export interface ExperimentShowArgs {
  /** its id; the beginning is enough */
  experiment: string;
}

export interface ExperimentShowResultBranchesItem {
  /** its place in what was asked, from 1 */
  n?: number;
  /** as given, or its number */
  name?: string;
  /** as given */
  command?: string;
  /** its box; null: it was removed */
  box?: string | null;
  /** of the box: what was judged */
  snapshot?: string | null;
  /** winner, passed, failed, flaky (passed some of its tests), stopped or waiting */
  state?: string;
  /** among those that passed, from 1 */
  rank?: number | null;
  /** ids of its runs: the command, then the tests */
  runs?: unknown[];
  /** from start to end */
  wall_ms?: number;
  /** of all its runs */
  cpu_ms?: number;
  /** most memory of one of its runs, bytes */
  mem_peak?: number;
  /** how many passed, failed, were skipped, if the runner says so */
  tests?: Record<string, unknown> | null;
  /** how many files it created, modified, deleted */
  changes?: Record<string, unknown> | null;
  /** by what it is compared: --score, or the milliseconds of its test */
  score?: number | null;
  /** how many of its tests passed: 3/3 */
  passed_of?: string | null;
  /** why it is not the winner; empty when there is nothing to say */
  why?: string;
  /** the last of what its last run wrote */
  stdout_tail?: string;
  /** as stdout_tail */
  stderr_tail?: string;
}

/** What experiment.show gives. */
export interface ExperimentShowResult {
  /** its id */
  experiment?: string;
  /** in the project's file; empty: none */
  name?: string;
  /** first, best or all */
  mode?: string;
  /** running, open, or as it ended: won, none, compared, budget, interrupted, error */
  state?: string;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** name of the branch */
  winner?: string | null;
  /** the winner's */
  box?: string | null;
  /** in their order, or ranked when it has ended */
  branches?: ExperimentShowResultBranchesItem[];
}

/** List experiments */
export interface ExperimentLsArgs {
  /** so many at most; default 20 */
  limit?: number;
}

export interface ExperimentLsResultExperimentsItemBranchesItem {
  /** its place in what was asked, from 1 */
  n?: number;
  /** as given, or its number */
  name?: string;
  /** as given */
  command?: string;
  /** its box; null: it was removed */
  box?: string | null;
  /** of the box: what was judged */
  snapshot?: string | null;
  /** winner, passed, failed, flaky (passed some of its tests), stopped or waiting */
  state?: string;
  /** among those that passed, from 1 */
  rank?: number | null;
  /** ids of its runs: the command, then the tests */
  runs?: unknown[];
  /** from start to end */
  wall_ms?: number;
  /** of all its runs */
  cpu_ms?: number;
  /** most memory of one of its runs, bytes */
  mem_peak?: number;
  /** how many passed, failed, were skipped, if the runner says so */
  tests?: Record<string, unknown> | null;
  /** how many files it created, modified, deleted */
  changes?: Record<string, unknown> | null;
  /** by what it is compared: --score, or the milliseconds of its test */
  score?: number | null;
  /** how many of its tests passed: 3/3 */
  passed_of?: string | null;
  /** why it is not the winner; empty when there is nothing to say */
  why?: string;
  /** the last of what its last run wrote */
  stdout_tail?: string;
  /** as stdout_tail */
  stderr_tail?: string;
}

export interface ExperimentLsResultExperimentsItem {
  /** its id */
  experiment?: string;
  /** in the project's file; empty: none */
  name?: string;
  /** first, best or all */
  mode?: string;
  /** running, open, or as it ended: won, none, compared, budget, interrupted, error */
  state?: string;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** name of the branch */
  winner?: string | null;
  /** the winner's */
  box?: string | null;
  /** in their order, or ranked when it has ended */
  branches?: ExperimentLsResultExperimentsItemBranchesItem[];
}

/** What experiment.ls gives. */
export interface ExperimentLsResult {
  /** newest first */
  experiments?: ExperimentLsResultExperimentsItem[];
}

/** End an open experiment: the best branch that passed wins */
export interface ExperimentEndArgs {
  /** its id; the beginning is enough */
  experiment: string;
  /** promote the winner, through the project's stages if it has some */
  promote?: boolean;
  /** keep the boxes of the others, too */
  keep?: boolean;
}

export interface ExperimentEndResultBranchesItem {
  /** its place in what was asked, from 1 */
  n?: number;
  /** as given, or its number */
  name?: string;
  /** as given */
  command?: string;
  /** its box; null: it was removed */
  box?: string | null;
  /** of the box: what was judged */
  snapshot?: string | null;
  /** winner, passed, failed, flaky (passed some of its tests), stopped or waiting */
  state?: string;
  /** among those that passed, from 1 */
  rank?: number | null;
  /** ids of its runs: the command, then the tests */
  runs?: unknown[];
  /** from start to end */
  wall_ms?: number;
  /** of all its runs */
  cpu_ms?: number;
  /** most memory of one of its runs, bytes */
  mem_peak?: number;
  /** how many passed, failed, were skipped, if the runner says so */
  tests?: Record<string, unknown> | null;
  /** how many files it created, modified, deleted */
  changes?: Record<string, unknown> | null;
  /** by what it is compared: --score, or the milliseconds of its test */
  score?: number | null;
  /** how many of its tests passed: 3/3 */
  passed_of?: string | null;
  /** why it is not the winner; empty when there is nothing to say */
  why?: string;
  /** the last of what its last run wrote */
  stdout_tail?: string;
  /** as stdout_tail */
  stderr_tail?: string;
}

/** What experiment.end gives. */
export interface ExperimentEndResult {
  /** its id */
  experiment?: string;
  /** in the project's file; empty: none */
  name?: string;
  /** first, best or all */
  mode?: string;
  /** running, open, or as it ended: won, none, compared, budget, interrupted, error */
  state?: string;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** name of the branch */
  winner?: string | null;
  /** the winner's */
  box?: string | null;
  /** in their order, or ranked when it has ended */
  branches?: ExperimentEndResultBranchesItem[];
  /** as of try */
  differs?: unknown[];
  /** with --promote: as of promote */
  promotion?: Record<string, unknown> | null;
  /** with --promote in a project with stages: as of pipeline run */
  pipeline?: Record<string, unknown> | null;
}

/** Make a box: a branch of this machine that keeps its changes */
export interface BoxCreateArgs {
  /** directory that can be written in the box; default: the current one */
  project?: string;
  /** what its runs may do: a name that 'aisbx profile ls' shows, or a file (with a '/'); default: $AISBX_PROFILE, or dev */
  profile?: string;
  /** its life: then runs in it end, and gc removes it */
  ttl?: string | number;
  /** give every run in it this secret, read anew each time; as in run */
  secret?: string[];
  /** for others than the session or token that makes it, too; a person has all anyway */
  shared?: boolean;
  /** keep the project as it is now, whatever is done to it outside: a copy, which takes its time */
  pin?: boolean;
  /** take a snapshot after each run that changed something */
  autosnap?: boolean;
  /** record every run in it, as 'run --record' does */
  record?: boolean;
  /** its name; default: its id */
  name?: string;
}

export interface BoxCreateResultPin {
  /** what changes outside from then on is not in it; milliseconds since 1970 */
  since_ms?: number;
  /** files, directories and links in it */
  files?: number;
  /** in these files */
  bytes?: number;
  /** they take no room of their own: the file system shares them */
  shared?: boolean;
  /** files and directories that could not be read: they are empty in it */
  unreadable?: number;
}

/** What box.create gives. */
export interface BoxCreateResult {
  /** of the box; stays the same */
  id?: string;
  /** can be changed */
  name?: string;
  /** directory of the host it was cloned from, writable */
  project?: string | null;
  /** what its runs may do unless they say otherwise */
  profile?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** how many it has */
  snapshots?: number;
  /** a snapshot after each run that changed something */
  autosnap?: boolean;
  /** the session or token that made it; null: a person */
  owner?: string | null;
  /** others than its owner have it, too */
  shared?: boolean;
  /** with pin: the copy of the project */
  pin?: BoxCreateResultPin;
}

/** List boxes */
export interface BoxLsArgs {
}

export interface BoxLsResultBoxesItem {
  /** of the box; stays the same */
  id?: string;
  /** can be changed */
  name?: string;
  /** directory of the host it was cloned from, writable */
  project?: string | null;
  /** what its runs may do unless they say otherwise */
  profile?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** how many it has */
  snapshots?: number;
  /** a snapshot after each run that changed something */
  autosnap?: boolean;
  /** the session or token that made it; null: a person */
  owner?: string | null;
  /** others than its owner have it, too */
  shared?: boolean;
  /** there, moved (found elsewhere), replaced (another directory has its name) or missing */
  project_is?: string;
  /** where a project that was moved is now */
  project_now?: string | null;
}

/** What box.ls gives. */
export interface BoxLsResult {
  /** oldest first */
  boxes?: BoxLsResultBoxesItem[];
}

/** Show one box and its snapshots */
export interface BoxShowArgs {
  /** name or id of the box */
  box: string;
  /** list what was changed in the real project since the box was made */
  stale?: boolean;
  /** how long to look for what changed in the real project meanwhile; default: 300ms */
  drift?: string;
}

export interface BoxShowResultSnapshotListItem {
  /** of the snapshot */
  id?: string;
  /** of the snapshot */
  name?: string;
  /** id of the box */
  box?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** taken by aisbx itself */
  automatic?: boolean;
}

export interface BoxShowResultStaleItem {
  /** below the project; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
}

export interface BoxShowResultDriftFilesItem {
  /** below the project; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** deleted, renamed, changed, added, lost or touched */
  kind?: string;
  /** of what was renamed: what it was called */
  from?: string | null;
  /** the box changed it, too */
  both?: boolean;
}

export interface BoxShowResultDrift {
  /** since what: box, snapshot or pin */
  of?: string;
  /** when that was; milliseconds since 1970 */
  since_ms?: number;
  /** files that were written; also new ones, where aisbx has no list of the names there were */
  changed?: number;
  /** new ones */
  added?: number;
  /** files and directories that are gone */
  deleted?: number;
  /** files and directories with another name */
  renamed?: number;
  /** directories from which something went, no list says what */
  lost?: number;
  /** with other permissions, owner, links or times; of what the box changed: whose content is as it was */
  touched?: number;
  /** changes that are not told, for git ignores the files */
  ignored?: number;
  /** files and directories that were looked at */
  looked?: number;
  /** false: the time was up before all were looked at, or the clock was set back */
  complete?: boolean;
  /** the clock is behind the moment the box was made: little can be told */
  clock_back?: boolean;
  /** of git, if it is another one now */
  branch?: string | null;
  /** the branch when the box was made */
  was?: string | null;
  /** the first 100; those that the box changed, too, come first */
  files?: BoxShowResultDriftFilesItem[];
  /** why nothing can be told */
  error?: string;
}

/** What box.show gives. */
export interface BoxShowResult {
  /** of the box; stays the same */
  id?: string;
  /** can be changed */
  name?: string;
  /** directory of the host it was cloned from, writable */
  project?: string | null;
  /** what its runs may do unless they say otherwise */
  profile?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** how many it has */
  snapshots?: number;
  /** a snapshot after each run that changed something */
  autosnap?: boolean;
  /** the session or token that made it; null: a person */
  owner?: string | null;
  /** others than its owner have it, too */
  shared?: boolean;
  /** there, moved (found elsewhere), replaced (another directory has its name) or missing */
  project_is?: string;
  /** where a project that was moved is now */
  project_now?: string | null;
  /** since when it has a copy of the project; null: it sees the real one */
  pinned_ms?: number | null;
  /** its snapshots, oldest first */
  snapshot_list?: BoxShowResultSnapshotListItem[];
  /** it was at work when the machine stopped: what it has since its last snapshot may be incomplete */
  torn?: boolean;
  /** with --stale: what was changed outside since the box was made */
  stale?: BoxShowResultStaleItem[];
  /** what changed in the real project, outside of boxes, since the box or snapshot was made */
  drift?: BoxShowResultDrift;
}

/** Make boxes that start from a box or one of its snapshots */
export interface BoxForkArgs {
  /** make N of them: NAME-1, NAME-2, ... */
  count?: number;
  /** name of the new box; default: its id */
  name?: string;
  /** its life: then runs in it end, and gc removes it */
  ttl?: string | number;
  /** for others than the session or token that makes it, too; a person has all anyway */
  shared?: boolean;
  /** where to start from */
  from: string;
  /** how long to look for what changed in the real project meanwhile; default: 300ms */
  drift?: string;
}

export interface BoxForkResultBoxesItem {
  /** of the box; stays the same */
  id?: string;
  /** can be changed */
  name?: string;
  /** directory of the host it was cloned from, writable */
  project?: string | null;
  /** what its runs may do unless they say otherwise */
  profile?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** how many it has */
  snapshots?: number;
  /** a snapshot after each run that changed something */
  autosnap?: boolean;
  /** the session or token that made it; null: a person */
  owner?: string | null;
  /** others than its owner have it, too */
  shared?: boolean;
}

export interface BoxForkResultDriftFilesItem {
  /** below the project; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** deleted, renamed, changed, added, lost or touched */
  kind?: string;
  /** of what was renamed: what it was called */
  from?: string | null;
  /** the box changed it, too */
  both?: boolean;
}

export interface BoxForkResultDrift {
  /** since what: box, snapshot or pin */
  of?: string;
  /** when that was; milliseconds since 1970 */
  since_ms?: number;
  /** files that were written; also new ones, where aisbx has no list of the names there were */
  changed?: number;
  /** new ones */
  added?: number;
  /** files and directories that are gone */
  deleted?: number;
  /** files and directories with another name */
  renamed?: number;
  /** directories from which something went, no list says what */
  lost?: number;
  /** with other permissions, owner, links or times; of what the box changed: whose content is as it was */
  touched?: number;
  /** changes that are not told, for git ignores the files */
  ignored?: number;
  /** files and directories that were looked at */
  looked?: number;
  /** false: the time was up before all were looked at, or the clock was set back */
  complete?: boolean;
  /** the clock is behind the moment the box was made: little can be told */
  clock_back?: boolean;
  /** of git, if it is another one now */
  branch?: string | null;
  /** the branch when the box was made */
  was?: string | null;
  /** the first 100; those that the box changed, too, come first */
  files?: BoxForkResultDriftFilesItem[];
  /** why nothing can be told */
  error?: string;
}

/** What box.fork gives. */
export interface BoxForkResult {
  /** the new boxes */
  boxes?: BoxForkResultBoxesItem[];
  /** what changed in the real project, outside of boxes, since the box or snapshot was made */
  drift?: BoxForkResultDrift;
}

/** Take a snapshot of a box */
export interface BoxSnapArgs {
  /** of which box */
  box: string;
  /** its name; default: its id */
  name?: string;
  /** keep the real project as it is now, too: from here on the box has a copy of it */
  pin?: boolean;
  /** also of a box that was at work when the machine stopped: its files may be incomplete */
  "as-is"?: boolean;
}

export interface BoxSnapResultPin {
  /** what changes outside from then on is not in it; milliseconds since 1970 */
  since_ms?: number;
  /** files, directories and links in it */
  files?: number;
  /** in these files */
  bytes?: number;
  /** they take no room of their own: the file system shares them */
  shared?: boolean;
  /** files and directories that could not be read: they are empty in it */
  unreadable?: number;
}

export interface BoxSnapResultDriftFilesItem {
  /** below the project; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** deleted, renamed, changed, added, lost or touched */
  kind?: string;
  /** of what was renamed: what it was called */
  from?: string | null;
  /** the box changed it, too */
  both?: boolean;
}

export interface BoxSnapResultDrift {
  /** since what: box, snapshot or pin */
  of?: string;
  /** when that was; milliseconds since 1970 */
  since_ms?: number;
  /** files that were written; also new ones, where aisbx has no list of the names there were */
  changed?: number;
  /** new ones */
  added?: number;
  /** files and directories that are gone */
  deleted?: number;
  /** files and directories with another name */
  renamed?: number;
  /** directories from which something went, no list says what */
  lost?: number;
  /** with other permissions, owner, links or times; of what the box changed: whose content is as it was */
  touched?: number;
  /** changes that are not told, for git ignores the files */
  ignored?: number;
  /** files and directories that were looked at */
  looked?: number;
  /** false: the time was up before all were looked at, or the clock was set back */
  complete?: boolean;
  /** the clock is behind the moment the box was made: little can be told */
  clock_back?: boolean;
  /** of git, if it is another one now */
  branch?: string | null;
  /** the branch when the box was made */
  was?: string | null;
  /** the first 100; those that the box changed, too, come first */
  files?: BoxSnapResultDriftFilesItem[];
  /** why nothing can be told */
  error?: string;
}

/** What box.snap gives. */
export interface BoxSnapResult {
  /** of the snapshot */
  id?: string;
  /** unique in its box */
  name?: string;
  /** id of the box */
  box?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** taken by aisbx itself */
  automatic?: boolean;
  /** with pin: the copy of the project */
  pin?: BoxSnapResultPin;
  /** what changed in the real project, outside of boxes, since the box or snapshot was made */
  drift?: BoxSnapResultDrift;
}

/** Take a box back to a snapshot */
export interface BoxRollbackArgs {
  /** which box */
  box: string;
  /** name or id */
  snapshot: string;
  /** how long to look for what changed in the real project meanwhile; default: 300ms */
  drift?: string;
}

export interface BoxRollbackResultDriftFilesItem {
  /** below the project; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** deleted, renamed, changed, added, lost or touched */
  kind?: string;
  /** of what was renamed: what it was called */
  from?: string | null;
  /** the box changed it, too */
  both?: boolean;
}

export interface BoxRollbackResultDrift {
  /** since what: box, snapshot or pin */
  of?: string;
  /** when that was; milliseconds since 1970 */
  since_ms?: number;
  /** files that were written; also new ones, where aisbx has no list of the names there were */
  changed?: number;
  /** new ones */
  added?: number;
  /** files and directories that are gone */
  deleted?: number;
  /** files and directories with another name */
  renamed?: number;
  /** directories from which something went, no list says what */
  lost?: number;
  /** with other permissions, owner, links or times; of what the box changed: whose content is as it was */
  touched?: number;
  /** changes that are not told, for git ignores the files */
  ignored?: number;
  /** files and directories that were looked at */
  looked?: number;
  /** false: the time was up before all were looked at, or the clock was set back */
  complete?: boolean;
  /** the clock is behind the moment the box was made: little can be told */
  clock_back?: boolean;
  /** of git, if it is another one now */
  branch?: string | null;
  /** the branch when the box was made */
  was?: string | null;
  /** the first 100; those that the box changed, too, come first */
  files?: BoxRollbackResultDriftFilesItem[];
  /** why nothing can be told */
  error?: string;
}

/** What box.rollback gives. */
export interface BoxRollbackResult {
  /** its name */
  box?: string;
  /** what it is like again */
  snapshot?: string;
  /** what changed in the real project, outside of boxes, since the box or snapshot was made */
  drift?: BoxRollbackResultDrift;
}

/** Show the history of all boxes as a tree */
export interface BoxTreeArgs {
}

export interface BoxTreeResultBoxesItem {
  /** of the box; stays the same */
  id?: string;
  /** can be changed */
  name?: string;
  /** directory of the host it was cloned from, writable */
  project?: string | null;
  /** what its runs may do unless they say otherwise */
  profile?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** how many it has */
  snapshots?: number;
  /** a snapshot after each run that changed something */
  autosnap?: boolean;
  /** the session or token that made it; null: a person */
  owner?: string | null;
  /** others than its owner have it, too */
  shared?: boolean;
  /** id of the snapshot it goes on from; null: the machine as it is */
  on?: string | null;
}

export interface BoxTreeResultSnapshotsItem {
  /** of the snapshot */
  id?: string;
  /** unique in its box */
  name?: string;
  /** id of the box */
  box?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** taken by aisbx itself */
  automatic?: boolean;
  /** id of the snapshot before it; null: the machine as it is */
  parent?: string | null;
}

/** What box.tree gives. */
export interface BoxTreeResult {
  /** every box */
  boxes?: BoxTreeResultBoxesItem[];
  /** every snapshot */
  snapshots?: BoxTreeResultSnapshotsItem[];
}

/** Give a box another name, or tell it where its project went */
export interface BoxRenameArgs {
  /** name or id of the box */
  box: string;
  /** its new name */
  name?: string;
  /** where its project is now, which was moved or renamed */
  project?: string;
}

/** What box.rename gives. */
export interface BoxRenameResult {
  /** of the box */
  id?: string;
  /** its name from now on */
  name?: string;
  /** directory of its project from now on */
  project?: string | null;
}

/** Give a box a longer or a shorter life */
export interface BoxRenewArgs {
  /** name or id of the box */
  box: string;
  /** from now on; 0: it has no end */
  ttl: string | number;
}

/** What box.renew gives. */
export interface BoxRenewResult {
  /** of the box; stays the same */
  id?: string;
  /** can be changed */
  name?: string;
  /** directory of the host it was cloned from, writable */
  project?: string | null;
  /** what its runs may do unless they say otherwise */
  profile?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** how many it has */
  snapshots?: number;
  /** a snapshot after each run that changed something */
  autosnap?: boolean;
  /** the session or token that made it; null: a person */
  owner?: string | null;
  /** others than its owner have it, too */
  shared?: boolean;
}

/** Remove boxes with everything in them */
export interface BoxRmArgs {
  /** names or ids of the boxes */
  boxes: string[];
}

/** What box.rm gives. */
export interface BoxRmResult {
  /** names of the boxes that are gone */
  removed?: unknown[];
}

/** Remove expired boxes and layers nobody needs */
export interface BoxGcArgs {
}

/** What box.gc gives. */
export interface BoxGcResult {
  /** boxes removed because their time had come */
  expired?: number;
  /** layers removed because nothing stood on them */
  layers?: number;
  /** promotions that cannot be taken back any more */
  promotions?: number;
  /** directories a crash had left */
  leftovers?: number;
  /** layers, promotions and artifacts that no record speaks of: moved to 'lost' in the state directory */
  aside?: number;
  /** times at which that was done more than 30 days ago: what was moved then was removed */
  forgotten?: number;
  /** logs of detached runs, older than a week or beyond 1 GiB */
  logs?: number;
}

/** Show what a box changed */
export interface BoxDiffArgs {
  /** what to compare with the real project */
  box: string;
  /** instead: from the first to this one */
  other?: string;
  /** as a patch for 'git apply' or 'patch -p1'; of binary files only that they differ */
  patch?: boolean;
  /** what git ignores, too */
  ignored?: boolean;
  /** count lines, as 'git diff --stat' does */
  stat?: boolean;
  /** how long to look for what changed in the real project meanwhile; default: 300ms */
  drift?: string;
}

export interface BoxDiffResultSummary {
  /** only in the second */
  created?: number;
  /** other content */
  modified?: number;
  /** only in the first */
  deleted?: number;
  /** another type of file */
  replaced?: number;
  /** other permissions, same content */
  mode?: number;
  /** other extended attributes, the rest the same */
  xattr?: number;
}

export interface BoxDiffResultChangesItemOld {
  /** null when it is no UTF-8; then its bytes are in target_hex */
  target?: string | null;
}

export interface BoxDiffResultChangesItemNew {
  /** null when it is no UTF-8; then its bytes are in target_hex */
  target?: string | null;
}

export interface BoxDiffResultChangesItem {
  /** as in the summary */
  kind?: string;
  /** below the project; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** file, directory, symlink, fifo, socket or device */
  type?: string;
  /** mode and size before, if it was there; target of a symlink */
  old?: BoxDiffResultChangesItemOld;
  /** mode and size after, if it is there; target of a symlink */
  new?: BoxDiffResultChangesItemNew;
  /** of a file: NUL in its first 8000 bytes; null when it cannot be read */
  binary?: boolean | null;
  /** with stat or patch: lines; null of what is no text */
  added?: number | null;
  /** as added */
  removed?: number | null;
}

export interface BoxDiffResultIgnored {
  /** files and links */
  files?: number;
  /** in them */
  bytes?: number;
}

export interface BoxDiffResultRepositoriesItem {
  /** below the project; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
}

export interface BoxDiffResultStat {
  /** files and symlinks, not those with other times or attributes only */
  files?: number;
  /** lines */
  insertions?: number;
  /** lines */
  deletions?: number;
}

export interface BoxDiffResultDriftFilesItem {
  /** below the project; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** deleted, renamed, changed, added, lost or touched */
  kind?: string;
  /** of what was renamed: what it was called */
  from?: string | null;
  /** the box changed it, too */
  both?: boolean;
}

export interface BoxDiffResultDrift {
  /** since what: box, snapshot or pin */
  of?: string;
  /** when that was; milliseconds since 1970 */
  since_ms?: number;
  /** files that were written; also new ones, where aisbx has no list of the names there were */
  changed?: number;
  /** new ones */
  added?: number;
  /** files and directories that are gone */
  deleted?: number;
  /** files and directories with another name */
  renamed?: number;
  /** directories from which something went, no list says what */
  lost?: number;
  /** with other permissions, owner, links or times; of what the box changed: whose content is as it was */
  touched?: number;
  /** changes that are not told, for git ignores the files */
  ignored?: number;
  /** files and directories that were looked at */
  looked?: number;
  /** false: the time was up before all were looked at, or the clock was set back */
  complete?: boolean;
  /** the clock is behind the moment the box was made: little can be told */
  clock_back?: boolean;
  /** of git, if it is another one now */
  branch?: string | null;
  /** the branch when the box was made */
  was?: string | null;
  /** the first 100; those that the box changed, too, come first */
  files?: BoxDiffResultDriftFilesItem[];
  /** why nothing can be told */
  error?: string;
}

/** What box.diff gives. */
export interface BoxDiffResult {
  /** directory the paths are below */
  project?: string;
  /** how many of each kind */
  summary?: BoxDiffResultSummary;
  /** sorted by path */
  changes?: BoxDiffResultChangesItem[];
  /** only when there are more than can be listed: of each list that lacks some, how many */
  more?: Record<string, unknown>;
  /** left out, for git ignores it */
  ignored?: BoxDiffResultIgnored;
  /** git directories in which something happened; promote tells what */
  repositories?: BoxDiffResultRepositoriesItem[];
  /** with stat: sums */
  stat?: BoxDiffResultStat;
  /** with patch: unified; bytes that are not UTF-8 become U+FFFD, so that it may not apply */
  patch?: string;
  /** what changed in the real project, outside of boxes, since the box or snapshot was made */
  drift?: BoxDiffResultDrift;
}

/** Make one box of the changes of two */
export interface BoxCombineArgs {
  /** the first box */
  box: string;
  /** the box whose changes come on top */
  other: string;
  /** of the new box; default: its id */
  name?: string;
  /** what becomes of conflicts: stop (default: no box is made), keep the first box's version, or overwrite it */
  conflict?: "stop" | "keep" | "overwrite";
}

export interface BoxCombineResultChangesItem {
  /** below the target; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** what the box did: created, modified, deleted, replaced, mode, xattr or touched */
  kind?: string;
  /** file, directory, symlink, fifo, socket or device */
  type?: string;
  /** apply, merge or conflict */
  outcome?: string;
}

export interface BoxCombineResultConflictsItem {
  /** below the target; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** what the box did */
  box?: string;
  /** what the other side did meanwhile */
  host?: string;
  /** for a person */
  reason?: string;
  /** what --conflict said */
  resolution?: string;
}

/** What box.combine gives. */
export interface BoxCombineResult {
  /** the new one, as in show; null when conflicts stand against it */
  box?: Record<string, unknown> | null;
  /** a directory before what is in it */
  changes?: BoxCombineResultChangesItem[];
  /** each path once */
  conflicts?: BoxCombineResultConflictsItem[];
  /** only when there are more than can be listed: of each list that lacks some, how many */
  more?: Record<string, unknown>;
}

/** Make a git commit in a box */
export interface RepoCommitArgs {
  /** name or id */
  box: string;
  /** what the commit says */
  message: string;
  /** who commits; default: as your own git configuration says */
  author?: string;
  /** only what was added in the box before (git add) */
  staged?: boolean;
  /** only these, below the project; default: all that changed */
  paths?: string[];
}

export interface RepoCommitResultFilesItem {
  /** added, modified, deleted, type or changed */
  change?: string;
  /** in the repository; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
}

/** What repo.commit gives. */
export interface RepoCommitResult {
  /** its id */
  commit?: string;
  /** that it is on; null: none */
  branch?: string | null;
  /** id of the run that made it */
  run?: string;
  /** what it changes, against the commit before */
  files?: RepoCommitResultFilesItem[];
  /** files past the thousandth */
  files_not_listed?: number;
}

/** Bring a box's changes into the real project */
export interface PromoteArgs {
  /** whose changes */
  box: string;
  /** only these, with all below them */
  paths?: string[];
  /** another directory than the project */
  to?: string;
  /** one file or directory of the box, changed or not; --to says where */
  artifact?: string;
  /** what git ignores, too: build products, caches, secrets in .env */
  ignored?: boolean;
  /** branches and tags of its repositories that the box is not on, too */
  refs?: boolean;
  /** join commits of both sides in a fork of the box, judge that by the gates, bring it home */
  merge?: boolean;
  /** as --merge, with the box's commits put on top of the real ones */
  rebase?: boolean;
  /** only show what would happen */
  "dry-run"?: boolean;
  /** go on in spite of the traps that are shown */
  yes?: boolean;
  /** go on though this secret, given to the box by --secret, is in it */
  "allow-secret"?: string[];
  /** of conflicts: stop (default: nothing is changed), keep the real file, overwrite it, put the box's version beside it (both), mark the lines in it (mark) */
  conflict?: "stop" | "keep" | "overwrite" | "both" | "mark";
  /** how long to look for what changed in the real project meanwhile; default: 300ms */
  drift?: string;
}

export interface PromoteResultSummary {
  /** files and directories */
  created?: number;
  /** other content */
  modified?: number;
  /** a directory counts once */
  deleted?: number;
  /** another type of file */
  replaced?: number;
  /** other permissions or owner, same content */
  mode?: number;
  /** other extended attributes, the rest the same */
  xattr?: number;
  /** another time, the rest the same */
  touched?: number;
  /** of these: changed on both sides, and both went in */
  merged?: number;
  /** changed on both sides, and only one can be */
  conflicts?: number;
  /** changes that would run code later */
  traps?: number;
  /** places where a secret is that was not allowed */
  secrets?: number;
}

export interface PromoteResultChangesItem {
  /** below the target; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** what the box did: created, modified, deleted, replaced, mode, xattr or touched */
  kind?: string;
  /** file, directory, symlink, fifo, socket or device */
  type?: string;
  /** apply, merge or conflict */
  outcome?: string;
}

export interface PromoteResultConflictsItem {
  /** below the target; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** what the box did */
  box?: string;
  /** what the other side did meanwhile */
  host?: string;
  /** for a person */
  reason?: string;
  /** what --conflict said */
  resolution?: string;
}

export interface PromoteResultTrapsItem {
  /** below the target; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** git-hook, git-config, editor, agent, tool, lifecycle, startup, ci, gate, setuid, symlink or capability */
  kind?: string;
  /** for a person */
  why?: string;
}

export interface PromoteResultSecretsItem {
  /** below the target; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** as --secret named it */
  name?: string;
  /** plain, base64, hex, url-encoded or escaped */
  form?: string;
  /** it is named by allow-secret */
  allowed?: boolean;
}

export interface PromoteResultStaleItem {
  /** below the target; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** what was done to it */
  host?: string;
}

export interface PromoteResultIgnored {
  /** files and links */
  files?: number;
  /** in them */
  bytes?: number;
}

export interface PromoteResultBranchesItem {
  /** of the work tree, below the target; "" is the target; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** as the real repository has it: refs/heads/main */
  branch?: string;
  /** as the box has it */
  from?: string;
  /** the commit it stood at; null: there was none */
  old?: string | null;
  /** the commit it stands at */
  new?: string | null;
  /** forward, created, aside (the real one went another way), repository (a new one) or switched */
  how?: string;
  /** that are new to the real repository */
  commits?: number;
}

export interface PromoteResultLeftItem {
  /** below the target; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** fifo, socket or device */
  type?: string;
}

export interface PromoteResultDriftFilesItem {
  /** below the project; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** deleted, renamed, changed, added, lost or touched */
  kind?: string;
  /** of what was renamed: what it was called */
  from?: string | null;
  /** the box changed it, too */
  both?: boolean;
}

export interface PromoteResultDrift {
  /** since what: box, snapshot or pin */
  of?: string;
  /** when that was; milliseconds since 1970 */
  since_ms?: number;
  /** files that were written; also new ones, where aisbx has no list of the names there were */
  changed?: number;
  /** new ones */
  added?: number;
  /** files and directories that are gone */
  deleted?: number;
  /** files and directories with another name */
  renamed?: number;
  /** directories from which something went, no list says what */
  lost?: number;
  /** with other permissions, owner, links or times; of what the box changed: whose content is as it was */
  touched?: number;
  /** changes that are not told, for git ignores the files */
  ignored?: number;
  /** files and directories that were looked at */
  looked?: number;
  /** false: the time was up before all were looked at, or the clock was set back */
  complete?: boolean;
  /** the clock is behind the moment the box was made: little can be told */
  clock_back?: boolean;
  /** of git, if it is another one now */
  branch?: string | null;
  /** the branch when the box was made */
  was?: string | null;
  /** the first 100; those that the box changed, too, come first */
  files?: PromoteResultDriftFilesItem[];
  /** why nothing can be told */
  error?: string;
}

/** What promote gives. */
export interface PromoteResult {
  /** its id, for undo; null when nothing was changed */
  promotion?: string | null;
  /** name of the box */
  box?: string;
  /** its id */
  box_id?: string;
  /** directory the paths are below */
  target?: string;
  /** the target was changed */
  applied?: boolean;
  /** it was only asked */
  dry_run?: boolean;
  /** how many of each kind */
  summary?: PromoteResultSummary;
  /** a directory before what is in it */
  changes?: PromoteResultChangesItem[];
  /** each path once */
  conflicts?: PromoteResultConflictsItem[];
  /** only when there are more than can be listed: of each list that lacks some, how many */
  more?: Record<string, unknown>;
  /** changes that would run code later, or lead out of the tree */
  traps?: PromoteResultTrapsItem[];
  /** secrets of the box, in names, contents, links or attributes; nothing is changed while one is not allowed */
  secrets?: PromoteResultSecretsItem[];
  /** what was changed outside since the box took it, of what the box changed */
  stale?: PromoteResultStaleItem[];
  /** left out, for git ignores it */
  ignored?: PromoteResultIgnored;
  /** of git: what moved, or would */
  branches?: PromoteResultBranchesItem[];
  /** of git: what stayed in the box */
  stayed?: unknown[];
  /** pipes, sockets and devices that the box made: they stay there */
  left?: PromoteResultLeftItem[];
  /** a sentence: the real project is on another branch than when the box began; stops as a conflict does */
  switched?: string | null;
  /** what failed after the target was changed; the change itself is whole */
  error?: string;
  /** what changed in the real project, outside of boxes, since the box or snapshot was made */
  drift?: PromoteResultDrift;
}

/** Take a promotion back */
export interface UndoArgs {
  /** which; default: the newest of this project */
  promotion?: string;
  /** without PROMOTION: the newest of this box */
  box?: string;
  /** without PROMOTION: the newest of the project that DIR is in */
  project?: string;
  /** only show what stands against it */
  "dry-run"?: boolean;
  /** what becomes of files that were changed since: stop (default: nothing is taken back), keep them, or overwrite them (they are put aside for a month) */
  conflict?: "stop" | "keep" | "overwrite";
}

export interface UndoResultConflictsItem {
  /** below the target; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
}

/** What undo gives. */
export interface UndoResult {
  /** which */
  promotion?: string;
  /** name its box had */
  box?: string;
  /** directory the paths are below */
  target?: string;
  /** the target is as it was before */
  undone?: boolean;
  /** it was only asked */
  dry_run?: boolean;
  /** what was changed since the promotion */
  conflicts?: UndoResultConflictsItem[];
  /** only when there are more than can be listed: of each list that lacks some, how many */
  more?: Record<string, unknown>;
  /** what could not be taken back besides, in a sentence */
  error?: string;
}

/** Finish a promotion that was cut off; make a lost store anew */
export interface RecoverArgs {
  /** leave one that cannot be finished half done, for good; what it replaced stays in promotions/broken-ID of the state directory */
  "give-up"?: boolean;
  /** make the store anew, when it is gone, damaged or an older copy, from what lies beside it; the old file is kept */
  rebuild?: boolean;
}

export interface RecoverResultRecoveredItem {
  /** which */
  promotion?: string;
  /** finished (the tree is the new one), discarded or taken back (it is the old one), or given up */
  action?: string;
}

export interface RecoverResultRebuilt {
  /** boxes */
  boxes?: number;
  /** snapshots */
  snapshots?: number;
  /** promotions that can be taken back */
  promotions?: number;
  /** artifacts that were kept */
  artifacts?: number;
  /** runs of the history: those that could be read of the old store */
  runs?: number;
  /** what the old file is called now, in the state directory; null: there was none */
  aside?: string | null;
  /** in words: what could not be had */
  missing?: unknown[];
}

/** What recover gives. */
export interface RecoverResult {
  /** empty when nothing was broken */
  recovered?: RecoverResultRecoveredItem[];
  /** only with --rebuild: what the new store has */
  rebuilt?: RecoverResultRebuilt;
}

/** Show what has run */
export interface RunHistoryArgs {
  /** only this one, with its whole result; the beginning of its id is enough */
  run?: string;
  /** only of this box */
  box?: string;
  /** only runs that ended so */
  status?: "ok" | "failed" | "limit" | "denied" | "interrupted" | "error";
  /** only commands that contain this */
  match?: string;
  /** only of the last TIME, e.g. 2h */
  since?: string | number;
  /** at most N; default 20 */
  limit?: number;
  /** with results: usage, violations, walls */
  full?: boolean;
  /** not runs, but what happened to boxes */
  events?: boolean;
}

export interface RunHistoryResultRunsItem {
  /** id */
  run?: string;
  /** id of its box, null if that went with the run */
  box?: string | null;
  /** as in the result of run */
  status?: string;
  /** of the command */
  exit_code?: number | null;
  /** milliseconds since 1970 */
  started_ms?: number;
  /** how long it took */
  wall_ms?: number;
  /** with its arguments */
  command?: string;
  /** with RUN or --full: the result of run, without output; null if none was kept */
  result?: Record<string, unknown> | null;
}

export interface RunHistoryResultEventsItem {
  /** grows with every event */
  seq?: number;
  /** milliseconds since 1970 */
  time_ms?: number;
  /** box.created, box.forked, box.snapshotted, box.rolled-back, box.removed, box.expired */
  kind?: string;
  /** id of the box */
  box?: string | null;
  /** id of the run */
  run?: string | null;
  /** more about it, by kind: name, snapshot, from */
  what?: Record<string, unknown> | null;
}

/** What run.history gives. */
export interface RunHistoryResult {
  /** newest first; not there with --events */
  runs?: RunHistoryResultRunsItem[];
  /** newest first; only there with --events */
  events?: RunHistoryResultEventsItem[];
}

/** Tell what programs would do, before they run */
export interface CodeScanArgs {
  /** what to scan; '-' is standard input */
  files?: string[];
  /** instead: every file a box changed that is in a language it can read */
  box?: string;
  /** the language; default: by the name of the file, then by its first line (#!) */
  lang?: "python" | "javascript" | "typescript" | "shell";
  /** the rules: a file, or a name in ~/.config/aisbx/scan or /etc/aisbx/scan; default: those built in */
  policy?: string;
  /** as a SARIF 2.1.0 log, for editors and code hosts */
  sarif?: boolean;
  /** also everything that was found and rules could judge: for who writes rules */
  facts?: boolean;
}

export interface CodeScanResultFindingsItem {
  /** its id in the policy */
  rule?: string;
  /** low, medium, high or critical */
  severity?: string;
  /** import, call, use, command, write, text, hidden, broken or unread */
  kind?: string;
  /** what was found: of a module, a function, a command, a file; or a text */
  name?: string;
  /** the same with its arguments; '?' stands for what only running would tell */
  call?: string;
  /** by an alias, a text put together or the like */
  indirect?: boolean;
  /** in a program inside a text */
  nested?: boolean;
  /** from 1 */
  line?: number;
  /** from 1, in bytes */
  column?: number;
  /** where it ends */
  end_line?: number;
  /** one behind its last byte */
  end_column?: number;
  /** the line of the source, or the part of a long one */
  text?: string;
  /** bytes of the line before that part */
  text_offset?: number;
  /** the reason of the rule */
  why?: string;
  /** what to do instead */
  advice?: string | null;
}

export interface CodeScanResultFilesItemFindingsItem {
  /** its id in the policy */
  rule?: string;
  /** low, medium, high or critical */
  severity?: string;
  /** import, call, use, command, write, text, hidden, broken or unread */
  kind?: string;
  /** what was found: of a module, a function, a command, a file; or a text */
  name?: string;
  /** the same with its arguments; '?' stands for what only running would tell */
  call?: string;
  /** by an alias, a text put together or the like */
  indirect?: boolean;
  /** in a program inside a text */
  nested?: boolean;
  /** from 1 */
  line?: number;
  /** from 1, in bytes */
  column?: number;
  /** where it ends */
  end_line?: number;
  /** one behind its last byte */
  end_column?: number;
  /** the line of the source, or the part of a long one */
  text?: string;
  /** bytes of the line before that part */
  text_offset?: number;
  /** the reason of the rule */
  why?: string;
  /** what to do instead */
  advice?: string | null;
}

export interface CodeScanResultFilesItem {
  /** as named, or below the project of the box; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** python, javascript, typescript or shell */
  language?: string;
  /** of the program */
  bytes?: number;
  /** none, low, medium, high or critical: that of its worst finding */
  risk?: string;
  /** what the policy says to that: allow, warn, sandbox, ask or refuse */
  action?: string;
  /** findings that are not listed */
  more?: number;
  /** by line and column */
  findings?: CodeScanResultFilesItemFindingsItem[];
}

/** What code.scan gives. */
export interface CodeScanResult {
  /** the rules it was judged by */
  policy?: string;
  /** programs */
  scanned?: number;
  /** with several files or a box: changed files in no language it can read */
  skipped?: number;
  /** of the program; also null for standard input; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** python, javascript, typescript or shell */
  language?: string;
  /** of the program */
  bytes?: number;
  /** none, low, medium, high or critical: that of its worst finding */
  risk?: string;
  /** what the policy says to that: allow, warn, sandbox, ask or refuse */
  action?: string;
  /** findings that are not listed */
  more?: number;
  /** by line and column */
  findings?: CodeScanResultFindingsItem[];
  /** with facts: kind, name, args, from, indirect, nested, line and column of each */
  facts?: unknown[];
  /** with several files or a box: path, language, bytes, risk, action, more and findings of each that has some */
  files?: CodeScanResultFilesItem[];
  /** with sarif: the log */
  sarif?: Record<string, unknown>;
}

/** Bring a box's changes through the stages of its project */
export interface PipelineRunArgs {
  /** whose changes */
  box: string;
  /** stop behind this stage; default: all of them */
  to?: string;
  /** what becomes of files of a directory that were changed on both sides: stop there (default), keep them, or overwrite them */
  conflict?: "stop" | "keep" | "overwrite";
  /** you approve of every stage that asks; commands of stages run outside of any box */
  yes?: boolean;
}

export interface PipelineRunResultStagesItemTarget {
  /** directory, branch or command */
  kind?: string;
  /** which */
  where?: string;
  /** how many of each kind of change; see promote */
  summary?: Record<string, unknown>;
  /** changes that would run code later; see promote */
  traps?: unknown[];
  /** changed on both sides; see promote */
  conflicts?: unknown[];
}

export interface PipelineRunResultStagesItemBeforeChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** for a person */
  why?: string | null;
}

export interface PipelineRunResultStagesItemBefore {
  /** all of them hold */
  passed?: boolean;
  /** what was asked */
  checks?: PipelineRunResultStagesItemBeforeChecksItem[];
}

export interface PipelineRunResultStagesItemAfterChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** for a person */
  why?: string | null;
}

export interface PipelineRunResultStagesItemAfter {
  /** all of them hold */
  passed?: boolean;
  /** what was asked */
  checks?: PipelineRunResultStagesItemAfterChecksItem[];
}

export interface PipelineRunResultStagesItemApproval {
  /** yes or no */
  approved?: boolean;
  /** who */
  name?: string;
  /** user id */
  uid?: number;
  /** approve, terminal, yes or asked */
  way?: string;
  /** as given */
  note?: string;
  /** milliseconds since 1970 */
  time_ms?: number;
}

export interface PipelineRunResultStagesItem {
  /** its name */
  stage?: string;
  /** pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a person must look) */
  state?: string;
  /** for a person */
  why?: string | null;
  /** id of what was put into its target */
  promotion?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** where it goes, and what would change there */
  target?: PipelineRunResultStagesItemTarget;
  /** what its gates said of what would go in */
  before?: PipelineRunResultStagesItemBefore;
  /** what its gates said of its target then */
  after?: PipelineRunResultStagesItemAfter;
  /** id of the commit on its branch */
  commit?: string;
  /** the end of what its command wrote */
  output?: string;
  /** what a person said of it */
  approval?: PipelineRunResultStagesItemApproval | null;
}

/** What pipeline.run gives. */
export interface PipelineRunResult {
  /** its id */
  pipeline?: string;
  /** running (or cut off: 'live' tells), waiting, done, stopped or undone */
  state?: string;
  /** somebody works on it, or on another of its project, now */
  live?: boolean;
  /** name its box had */
  box?: string;
  /** id of what goes through */
  snapshot?: string;
  /** whose aisbx.yaml says which stages there are */
  project?: string;
  /** it is being, or was, taken back */
  back?: boolean;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in their order */
  stages?: PipelineRunResultStagesItem[];
}

/** Go on with a pipeline that was cut off, or that waited */
export interface PipelineResumeArgs {
  /** id of the pipeline; its beginning is enough */
  pipeline: string;
}

export interface PipelineResumeResultStagesItemTarget {
  /** directory, branch or command */
  kind?: string;
  /** which */
  where?: string;
  /** how many of each kind of change; see promote */
  summary?: Record<string, unknown>;
  /** changes that would run code later; see promote */
  traps?: unknown[];
  /** changed on both sides; see promote */
  conflicts?: unknown[];
}

export interface PipelineResumeResultStagesItemBeforeChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** for a person */
  why?: string | null;
}

export interface PipelineResumeResultStagesItemBefore {
  /** all of them hold */
  passed?: boolean;
  /** what was asked */
  checks?: PipelineResumeResultStagesItemBeforeChecksItem[];
}

export interface PipelineResumeResultStagesItemAfterChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** for a person */
  why?: string | null;
}

export interface PipelineResumeResultStagesItemAfter {
  /** all of them hold */
  passed?: boolean;
  /** what was asked */
  checks?: PipelineResumeResultStagesItemAfterChecksItem[];
}

export interface PipelineResumeResultStagesItemApproval {
  /** yes or no */
  approved?: boolean;
  /** who */
  name?: string;
  /** user id */
  uid?: number;
  /** approve, terminal, yes or asked */
  way?: string;
  /** as given */
  note?: string;
  /** milliseconds since 1970 */
  time_ms?: number;
}

export interface PipelineResumeResultStagesItem {
  /** its name */
  stage?: string;
  /** pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a person must look) */
  state?: string;
  /** for a person */
  why?: string | null;
  /** id of what was put into its target */
  promotion?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** where it goes, and what would change there */
  target?: PipelineResumeResultStagesItemTarget;
  /** what its gates said of what would go in */
  before?: PipelineResumeResultStagesItemBefore;
  /** what its gates said of its target then */
  after?: PipelineResumeResultStagesItemAfter;
  /** id of the commit on its branch */
  commit?: string;
  /** the end of what its command wrote */
  output?: string;
  /** what a person said of it */
  approval?: PipelineResumeResultStagesItemApproval | null;
}

/** What pipeline.resume gives. */
export interface PipelineResumeResult {
  /** its id */
  pipeline?: string;
  /** running (or cut off: 'live' tells), waiting, done, stopped or undone */
  state?: string;
  /** somebody works on it, or on another of its project, now */
  live?: boolean;
  /** name its box had */
  box?: string;
  /** id of what goes through */
  snapshot?: string;
  /** whose aisbx.yaml says which stages there are */
  project?: string;
  /** it is being, or was, taken back */
  back?: boolean;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in their order */
  stages?: PipelineResumeResultStagesItem[];
}

/** Show a pipeline and how far it came */
export interface PipelineShowArgs {
  /** id of the pipeline; its beginning is enough */
  pipeline: string;
}

export interface PipelineShowResultStagesItemTarget {
  /** directory, branch or command */
  kind?: string;
  /** which */
  where?: string;
  /** how many of each kind of change; see promote */
  summary?: Record<string, unknown>;
  /** changes that would run code later; see promote */
  traps?: unknown[];
  /** changed on both sides; see promote */
  conflicts?: unknown[];
}

export interface PipelineShowResultStagesItemBeforeChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** for a person */
  why?: string | null;
}

export interface PipelineShowResultStagesItemBefore {
  /** all of them hold */
  passed?: boolean;
  /** what was asked */
  checks?: PipelineShowResultStagesItemBeforeChecksItem[];
}

export interface PipelineShowResultStagesItemAfterChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** for a person */
  why?: string | null;
}

export interface PipelineShowResultStagesItemAfter {
  /** all of them hold */
  passed?: boolean;
  /** what was asked */
  checks?: PipelineShowResultStagesItemAfterChecksItem[];
}

export interface PipelineShowResultStagesItemApproval {
  /** yes or no */
  approved?: boolean;
  /** who */
  name?: string;
  /** user id */
  uid?: number;
  /** approve, terminal, yes or asked */
  way?: string;
  /** as given */
  note?: string;
  /** milliseconds since 1970 */
  time_ms?: number;
}

export interface PipelineShowResultStagesItem {
  /** its name */
  stage?: string;
  /** pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a person must look) */
  state?: string;
  /** for a person */
  why?: string | null;
  /** id of what was put into its target */
  promotion?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** where it goes, and what would change there */
  target?: PipelineShowResultStagesItemTarget;
  /** what its gates said of what would go in */
  before?: PipelineShowResultStagesItemBefore;
  /** what its gates said of its target then */
  after?: PipelineShowResultStagesItemAfter;
  /** id of the commit on its branch */
  commit?: string;
  /** the end of what its command wrote */
  output?: string;
  /** what a person said of it */
  approval?: PipelineShowResultStagesItemApproval | null;
}

/** What pipeline.show gives. */
export interface PipelineShowResult {
  /** its id */
  pipeline?: string;
  /** running (or cut off: 'live' tells), waiting, done, stopped or undone */
  state?: string;
  /** somebody works on it, or on another of its project, now */
  live?: boolean;
  /** name its box had */
  box?: string;
  /** id of what goes through */
  snapshot?: string;
  /** whose aisbx.yaml says which stages there are */
  project?: string;
  /** it is being, or was, taken back */
  back?: boolean;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in their order */
  stages?: PipelineShowResultStagesItem[];
}

/** List pipelines */
export interface PipelineLsArgs {
  /** at most N; default 20 */
  limit?: number;
}

export interface PipelineLsResultPipelinesItemStagesItemTarget {
  /** directory, branch or command */
  kind?: string;
  /** which */
  where?: string;
  /** how many of each kind of change; see promote */
  summary?: Record<string, unknown>;
  /** changes that would run code later; see promote */
  traps?: unknown[];
  /** changed on both sides; see promote */
  conflicts?: unknown[];
}

export interface PipelineLsResultPipelinesItemStagesItemBeforeChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** for a person */
  why?: string | null;
}

export interface PipelineLsResultPipelinesItemStagesItemBefore {
  /** all of them hold */
  passed?: boolean;
  /** what was asked */
  checks?: PipelineLsResultPipelinesItemStagesItemBeforeChecksItem[];
}

export interface PipelineLsResultPipelinesItemStagesItemAfterChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** for a person */
  why?: string | null;
}

export interface PipelineLsResultPipelinesItemStagesItemAfter {
  /** all of them hold */
  passed?: boolean;
  /** what was asked */
  checks?: PipelineLsResultPipelinesItemStagesItemAfterChecksItem[];
}

export interface PipelineLsResultPipelinesItemStagesItemApproval {
  /** yes or no */
  approved?: boolean;
  /** who */
  name?: string;
  /** user id */
  uid?: number;
  /** approve, terminal, yes or asked */
  way?: string;
  /** as given */
  note?: string;
  /** milliseconds since 1970 */
  time_ms?: number;
}

export interface PipelineLsResultPipelinesItemStagesItem {
  /** its name */
  stage?: string;
  /** pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a person must look) */
  state?: string;
  /** for a person */
  why?: string | null;
  /** id of what was put into its target */
  promotion?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** where it goes, and what would change there */
  target?: PipelineLsResultPipelinesItemStagesItemTarget;
  /** what its gates said of what would go in */
  before?: PipelineLsResultPipelinesItemStagesItemBefore;
  /** what its gates said of its target then */
  after?: PipelineLsResultPipelinesItemStagesItemAfter;
  /** id of the commit on its branch */
  commit?: string;
  /** the end of what its command wrote */
  output?: string;
  /** what a person said of it */
  approval?: PipelineLsResultPipelinesItemStagesItemApproval | null;
}

export interface PipelineLsResultPipelinesItem {
  /** its id */
  pipeline?: string;
  /** running (or cut off: 'live' tells), waiting, done, stopped or undone */
  state?: string;
  /** somebody works on it, or on another of its project, now */
  live?: boolean;
  /** name its box had */
  box?: string;
  /** id of what goes through */
  snapshot?: string;
  /** whose aisbx.yaml says which stages there are */
  project?: string;
  /** it is being, or was, taken back */
  back?: boolean;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in their order */
  stages?: PipelineLsResultPipelinesItemStagesItem[];
}

/** What pipeline.ls gives. */
export interface PipelineLsResult {
  /** newest first */
  pipelines?: PipelineLsResultPipelinesItem[];
}

/** Take a pipeline back, the last stage first */
export interface PipelineUndoArgs {
  /** id of the pipeline; its beginning is enough */
  pipeline: string;
  /** when taking back: what becomes of files that were changed since: stop (default), keep or overwrite */
  conflict?: "stop" | "keep" | "overwrite";
}

export interface PipelineUndoResultStagesItemTarget {
  /** directory, branch or command */
  kind?: string;
  /** which */
  where?: string;
  /** how many of each kind of change; see promote */
  summary?: Record<string, unknown>;
  /** changes that would run code later; see promote */
  traps?: unknown[];
  /** changed on both sides; see promote */
  conflicts?: unknown[];
}

export interface PipelineUndoResultStagesItemBeforeChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** for a person */
  why?: string | null;
}

export interface PipelineUndoResultStagesItemBefore {
  /** all of them hold */
  passed?: boolean;
  /** what was asked */
  checks?: PipelineUndoResultStagesItemBeforeChecksItem[];
}

export interface PipelineUndoResultStagesItemAfterChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** for a person */
  why?: string | null;
}

export interface PipelineUndoResultStagesItemAfter {
  /** all of them hold */
  passed?: boolean;
  /** what was asked */
  checks?: PipelineUndoResultStagesItemAfterChecksItem[];
}

export interface PipelineUndoResultStagesItemApproval {
  /** yes or no */
  approved?: boolean;
  /** who */
  name?: string;
  /** user id */
  uid?: number;
  /** approve, terminal, yes or asked */
  way?: string;
  /** as given */
  note?: string;
  /** milliseconds since 1970 */
  time_ms?: number;
}

export interface PipelineUndoResultStagesItem {
  /** its name */
  stage?: string;
  /** pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a person must look) */
  state?: string;
  /** for a person */
  why?: string | null;
  /** id of what was put into its target */
  promotion?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** where it goes, and what would change there */
  target?: PipelineUndoResultStagesItemTarget;
  /** what its gates said of what would go in */
  before?: PipelineUndoResultStagesItemBefore;
  /** what its gates said of its target then */
  after?: PipelineUndoResultStagesItemAfter;
  /** id of the commit on its branch */
  commit?: string;
  /** the end of what its command wrote */
  output?: string;
  /** what a person said of it */
  approval?: PipelineUndoResultStagesItemApproval | null;
}

/** What pipeline.undo gives. */
export interface PipelineUndoResult {
  /** its id */
  pipeline?: string;
  /** running (or cut off: 'live' tells), waiting, done, stopped or undone */
  state?: string;
  /** somebody works on it, or on another of its project, now */
  live?: boolean;
  /** name its box had */
  box?: string;
  /** id of what goes through */
  snapshot?: string;
  /** whose aisbx.yaml says which stages there are */
  project?: string;
  /** it is being, or was, taken back */
  back?: boolean;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in their order */
  stages?: PipelineUndoResultStagesItem[];
}

/** Approve of the stage at which a pipeline waits */
export interface PipelineApproveArgs {
  /** id of the pipeline; its beginning is enough */
  pipeline: string;
  /** say no: the stage fails, and nothing further happens */
  reject?: boolean;
  /** kept with your word */
  note?: string;
  /** only if it is about this snapshot: the one that was looked at */
  snapshot?: string;
  /** only say so; 'aisbx pipeline resume' goes on */
  "no-resume"?: boolean;
}

export interface PipelineApproveResultStagesItemTarget {
  /** directory, branch or command */
  kind?: string;
  /** which */
  where?: string;
  /** how many of each kind of change; see promote */
  summary?: Record<string, unknown>;
  /** changes that would run code later; see promote */
  traps?: unknown[];
  /** changed on both sides; see promote */
  conflicts?: unknown[];
}

export interface PipelineApproveResultStagesItemBeforeChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** for a person */
  why?: string | null;
}

export interface PipelineApproveResultStagesItemBefore {
  /** all of them hold */
  passed?: boolean;
  /** what was asked */
  checks?: PipelineApproveResultStagesItemBeforeChecksItem[];
}

export interface PipelineApproveResultStagesItemAfterChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** for a person */
  why?: string | null;
}

export interface PipelineApproveResultStagesItemAfter {
  /** all of them hold */
  passed?: boolean;
  /** what was asked */
  checks?: PipelineApproveResultStagesItemAfterChecksItem[];
}

export interface PipelineApproveResultStagesItemApproval {
  /** yes or no */
  approved?: boolean;
  /** who */
  name?: string;
  /** user id */
  uid?: number;
  /** approve, terminal, yes or asked */
  way?: string;
  /** as given */
  note?: string;
  /** milliseconds since 1970 */
  time_ms?: number;
}

export interface PipelineApproveResultStagesItem {
  /** its name */
  stage?: string;
  /** pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a person must look) */
  state?: string;
  /** for a person */
  why?: string | null;
  /** id of what was put into its target */
  promotion?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** where it goes, and what would change there */
  target?: PipelineApproveResultStagesItemTarget;
  /** what its gates said of what would go in */
  before?: PipelineApproveResultStagesItemBefore;
  /** what its gates said of its target then */
  after?: PipelineApproveResultStagesItemAfter;
  /** id of the commit on its branch */
  commit?: string;
  /** the end of what its command wrote */
  output?: string;
  /** what a person said of it */
  approval?: PipelineApproveResultStagesItemApproval | null;
}

/** What pipeline.approve gives. */
export interface PipelineApproveResult {
  /** its id */
  pipeline?: string;
  /** running (or cut off: 'live' tells), waiting, done, stopped or undone */
  state?: string;
  /** somebody works on it, or on another of its project, now */
  live?: boolean;
  /** name its box had */
  box?: string;
  /** id of what goes through */
  snapshot?: string;
  /** whose aisbx.yaml says which stages there are */
  project?: string;
  /** it is being, or was, taken back */
  back?: boolean;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in their order */
  stages?: PipelineApproveResultStagesItem[];
}

/** Read a file of a box */
export interface FileReadArgs {
  /** name or id of the box */
  box: string;
  /** the file; in the box, relative to the project unless it begins with / */
  path: string;
  /** first line, counted from 1 */
  from?: number;
  /** so many lines */
  count?: number;
  /** first byte, counted from 0 */
  offset?: string | number;
  /** at most so many bytes; default: 1m, at most 16m */
  limit?: string | number;
  /** of the content in the result: utf-8 (default), which refuses what is no text, or base64 */
  encoding?: "utf-8" | "base64";
}

/** What file.read gives. */
export interface FileReadResult {
  /** of it, in the box */
  path?: string;
  /** file, directory, link or other */
  type?: string;
  /** bytes */
  size?: number;
  /** permissions, octal */
  mode?: string;
  /** when it was changed, milliseconds since 1970 */
  mtime_ms?: number;
  /** of its content; null for what is no file, or one above 256 MiB */
  sha256?: string | null;
  /** what was read */
  content?: string;
  /** of the content: utf-8 or base64 */
  encoding?: string;
  /** where it begins, in bytes */
  offset?: number;
  /** where to read on; null: that was the end */
  next_offset?: number | null;
  /** how many the file has; null for one above 256 MiB */
  lines?: number | null;
  /** with from or count: the first line */
  line?: number;
  /** then: the line to read on from; null: that was the last */
  next_line?: number | null;
  /** a secret that a box was given was taken out of the content */
  redacted?: boolean;
  /** only there when a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only there when the box's automatic snapshot failed: why */
  snapshot_error?: string;
}

/** Write or edit a file of a box */
export interface FileWriteArgs {
  /** name or id of the box */
  box: string;
  /** the file; directories that are missing are made; in the box, relative to the project unless it begins with / */
  path: string;
  /** what it shall hold; default: standard input */
  content?: string;
  /** edit: this exact text, which the file must have once, ... */
  replace?: string;
  /** ... becomes this */
  with?: string;
  /** write behind what is there */
  append?: boolean;
  /** of the texts given: utf-8 (default) or base64; standard input is taken as it is */
  encoding?: "utf-8" | "base64";
  /** only if the file has this content now, as read told it; absent: only if there is none */
  if?: string;
  /** permissions, such as 755; default: those it has, or 644 */
  mode?: string;
}

/** What file.write gives. */
export interface FileWriteResult {
  /** of it, in the box */
  path?: string;
  /** file, directory, link or other */
  type?: string;
  /** bytes */
  size?: number;
  /** permissions, octal */
  mode?: string;
  /** when it was changed, milliseconds since 1970 */
  mtime_ms?: number;
  /** of its content; null for what is no file, or one above 256 MiB */
  sha256?: string | null;
  /** there was none before */
  created?: boolean;
  /** only there when a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only there when the box's automatic snapshot failed: why */
  snapshot_error?: string;
}

/** List files of a box */
export interface FileLsArgs {
  /** name or id of the box */
  box: string;
  /** the directory; default: the project; in the box, relative to the project unless it begins with / */
  path?: string;
  /** levels below it; 1 (default): only what is in it */
  depth?: number;
  /** only names like this, such as *.py; with a / it is compared with the whole path below the directory */
  pattern?: string;
  /** at most so many entries; default: 1000 */
  limit?: number;
}

export interface FileLsResultEntriesItem {
  /** below the directory; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** file, directory, link or other */
  type?: string;
  /** bytes */
  size?: number;
  /** permissions, octal */
  mode?: string;
  /** when it was changed, milliseconds since 1970 */
  mtime_ms?: number;
  /** of a link: where it leads; null when that is no UTF-8 */
  target?: string | null;
  /** then: its bytes */
  target_hex?: string;
}

/** What file.ls gives. */
export interface FileLsResult {
  /** of the directory, in the box */
  path?: string;
  /** what is there, by name; links are not followed */
  entries?: FileLsResultEntriesItem[];
  /** there are more than were listed */
  more?: boolean;
  /** only there when a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only there when the box's automatic snapshot failed: why */
  snapshot_error?: string;
}

/** Tell type, size and sum of a file of a box */
export interface FileStatArgs {
  /** name or id of the box */
  box: string;
  /** what to look at; a link is not followed; in the box, relative to the project unless it begins with / */
  path: string;
}

/** What file.stat gives. */
export interface FileStatResult {
  /** of it, in the box */
  path?: string;
  /** file, directory, link or other */
  type?: string;
  /** bytes */
  size?: number;
  /** permissions, octal */
  mode?: string;
  /** when it was changed, milliseconds since 1970 */
  mtime_ms?: number;
  /** of its content; null for what is no file, or one above 256 MiB */
  sha256?: string | null;
  /** of a link: where it leads; null when that is no UTF-8 */
  target?: string | null;
  /** then: its bytes */
  target_hex?: string;
  /** only there when a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only there when the box's automatic snapshot failed: why */
  snapshot_error?: string;
}

/** Remove a file of a box */
export interface FileRmArgs {
  /** name or id of the box */
  box: string;
  /** what to remove; of a link, the link; in the box, relative to the project unless it begins with / */
  path: string;
  /** a directory with all that is in it */
  recursive?: boolean;
  /** nothing there is no error */
  force?: boolean;
}

/** What file.rm gives. */
export interface FileRmResult {
  /** of it, in the box */
  path?: string;
  /** false: there was nothing */
  removed?: boolean;
  /** only there when a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only there when the box's automatic snapshot failed: why */
  snapshot_error?: string;
}

/** Move or rename a file of a box */
export interface FileMvArgs {
  /** name or id of the box */
  box: string;
  /** what to move; in the box, relative to the project unless it begins with / */
  path: string;
  /** its new path, not a directory to put it in; directories that are missing are made */
  to: string;
  /** replace what is there */
  force?: boolean;
}

/** What file.mv gives. */
export interface FileMvResult {
  /** where it is now */
  path?: string;
  /** where it was */
  from?: string;
  /** file, directory, link or other */
  type?: string;
  /** only there when a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only there when the box's automatic snapshot failed: why */
  snapshot_error?: string;
}

/** Make a directory in a box */
export interface FileMkdirArgs {
  /** name or id of the box */
  box: string;
  /** the directory; those above it are made, too; in the box, relative to the project unless it begins with / */
  path: string;
  /** permissions, such as 700; default: 755 */
  mode?: string;
}

/** What file.mkdir gives. */
export interface FileMkdirResult {
  /** of it, in the box */
  path?: string;
  /** file, directory, link or other */
  type?: string;
  /** bytes */
  size?: number;
  /** permissions, octal */
  mode?: string;
  /** when it was changed, milliseconds since 1970 */
  mtime_ms?: number;
  /** of its content; null for what is no file, or one above 256 MiB */
  sha256?: string | null;
  /** there was none before */
  created?: boolean;
  /** only there when a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only there when the box's automatic snapshot failed: why */
  snapshot_error?: string;
}

/** Tell changes of files of a box as they happen */
export interface FileWatchArgs {
  /** name or id of the box */
  box: string;
  /** the directory; default: the project; in the box, relative to the project unless it begins with / */
  path?: string;
  /** also all below what is in it */
  recursive?: boolean;
  /** end after this long; default: when it is interrupted */
  timeout?: string | number;
}

/** What file.watch gives. */
export interface FileWatchResult {
  /** of the directory, in the box */
  path?: string;
  /** how many were told */
  events?: number;
}

/** Keep a file or directory of a box beyond it */
export interface ArtifactSaveArgs {
  /** name or id of the box */
  box: string;
  /** the file or directory; in the box, relative to the project unless it begins with / */
  path: string;
  /** to find it by; default: as it is called in the box */
  name?: string;
  /** what is worth knowing about it */
  note?: string;
  /** go on though this secret, given to the box by --secret, is in it */
  "allow-secret"?: string[];
}

/** What artifact.save gives. */
export interface ArtifactSaveResult {
  /** of the artifact */
  id?: string;
  /** can be given to several; the newest is meant */
  name?: string;
  /** what somebody wrote about it */
  note?: string | null;
  /** id of the box it comes from, which may be gone */
  box?: string;
  /** of the box then */
  box_name?: string;
  /** the newest run of that box then */
  run?: string | null;
  /** where it was, in the box */
  path?: string;
  /** file or directory */
  type?: string;
  /** of a file: of its content; of a directory: of all that is kept of it */
  sha256?: string;
  /** bytes that are kept */
  size?: number;
  /** files and links in it */
  files?: number;
  /** type of the content, such as image/png */
  media?: string;
  /** permissions, octal */
  mode?: string;
  /** when it was kept, milliseconds since 1970 */
  created_ms?: number;
  /** pipes, sockets and devices, which are not kept */
  left_out?: number;
  /** only there when a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only there when the box's automatic snapshot failed: why */
  snapshot_error?: string;
}

/** List what was kept of boxes */
export interface ArtifactLsArgs {
  /** only those of this box, which may be gone */
  box?: string;
}

export interface ArtifactLsResultArtifactsItem {
  /** of the artifact */
  id?: string;
  /** can be given to several; the newest is meant */
  name?: string;
  /** what somebody wrote about it */
  note?: string | null;
  /** id of the box it comes from, which may be gone */
  box?: string;
  /** of the box then */
  box_name?: string;
  /** the newest run of that box then */
  run?: string | null;
  /** where it was, in the box */
  path?: string;
  /** file or directory */
  type?: string;
  /** of a file: of its content; of a directory: of all that is kept of it */
  sha256?: string;
  /** bytes that are kept */
  size?: number;
  /** files and links in it */
  files?: number;
  /** type of the content, such as image/png */
  media?: string;
  /** permissions, octal */
  mode?: string;
  /** when it was kept, milliseconds since 1970 */
  created_ms?: number;
}

/** What artifact.ls gives. */
export interface ArtifactLsResult {
  /** newest first */
  artifacts?: ArtifactLsResultArtifactsItem[];
}

/** Tell what an artifact is */
export interface ArtifactShowArgs {
  /** its id, or its name: then the newest of that name */
  artifact: string;
}

export interface ArtifactShowResultEntriesItem {
  /** below the directory; null when it is no UTF-8 */
  path?: string | null;
  /** then: its bytes */
  path_hex?: string;
  /** file, directory or link */
  type?: string;
  /** bytes */
  size?: number;
  /** permissions, octal */
  mode?: string;
  /** of a link */
  target?: string | null;
  /** when that is no UTF-8: its bytes */
  target_hex?: string;
}

/** What artifact.show gives. */
export interface ArtifactShowResult {
  /** of the artifact */
  id?: string;
  /** can be given to several; the newest is meant */
  name?: string;
  /** what somebody wrote about it */
  note?: string | null;
  /** id of the box it comes from, which may be gone */
  box?: string;
  /** of the box then */
  box_name?: string;
  /** the newest run of that box then */
  run?: string | null;
  /** where it was, in the box */
  path?: string;
  /** file or directory */
  type?: string;
  /** of a file: of its content; of a directory: of all that is kept of it */
  sha256?: string;
  /** bytes that are kept */
  size?: number;
  /** files and links in it */
  files?: number;
  /** type of the content, such as image/png */
  media?: string;
  /** permissions, octal */
  mode?: string;
  /** when it was kept, milliseconds since 1970 */
  created_ms?: number;
  /** of a directory: what is in it, at most a thousand */
  entries?: ArtifactShowResultEntriesItem[];
  /** then: there are more than were listed */
  more?: boolean;
}

/** Read an artifact */
export interface ArtifactReadArgs {
  /** its id, or its name: then the newest of that name */
  artifact: string;
  /** of a directory: which file in it */
  path?: string;
  /** first byte, counted from 0 */
  offset?: string | number;
  /** at most so many bytes; default: 1m, at most 16m */
  limit?: string | number;
  /** of the content in the result: utf-8 (default), which refuses what is no text, or base64 */
  encoding?: "utf-8" | "base64";
}

/** What artifact.read gives. */
export interface ArtifactReadResult {
  /** of it, in the box */
  path?: string;
  /** file, directory, link or other */
  type?: string;
  /** bytes */
  size?: number;
  /** permissions, octal */
  mode?: string;
  /** when it was changed, milliseconds since 1970 */
  mtime_ms?: number;
  /** of its content; null for what is no file, or one above 256 MiB */
  sha256?: string | null;
  /** what was read */
  content?: string;
  /** of the content: utf-8 or base64 */
  encoding?: string;
  /** where it begins, in bytes */
  offset?: number;
  /** where to read on; null: that was the end */
  next_offset?: number | null;
  /** a secret that a box was given was taken out of the content */
  redacted?: boolean;
  /** type of the content; null for a file of a directory */
  media?: string | null;
}

/** Put an artifact somewhere on this machine */
export interface ArtifactGetArgs {
  /** its id, or its name: then the newest of that name */
  artifact: string;
  /** where to put it, on this machine */
  to: string;
  /** replace a file that is there; directories are never replaced */
  force?: boolean;
  /** though some tool of yours would obey something of it unasked */
  yes?: boolean;
}

/** What artifact.get gives. */
export interface ArtifactGetResult {
  /** of the artifact */
  id?: string;
  /** can be given to several; the newest is meant */
  name?: string;
  /** what somebody wrote about it */
  note?: string | null;
  /** id of the box it comes from, which may be gone */
  box?: string;
  /** of the box then */
  box_name?: string;
  /** the newest run of that box then */
  run?: string | null;
  /** where it was, in the box */
  path?: string;
  /** file or directory */
  type?: string;
  /** of a file: of its content; of a directory: of all that is kept of it */
  sha256?: string;
  /** bytes that are kept */
  size?: number;
  /** files and links in it */
  files?: number;
  /** type of the content, such as image/png */
  media?: string;
  /** permissions, octal */
  mode?: string;
  /** when it was kept, milliseconds since 1970 */
  created_ms?: number;
  /** where it was put */
  to?: string;
}

/** Remove an artifact */
export interface ArtifactRmArgs {
  /** its id, or its name: then the newest of that name */
  artifact: string;
}

/** What artifact.rm gives. */
export interface ArtifactRmResult {
  /** of what is gone */
  id?: string;
  /** of it */
  name?: string;
}

/** List the profiles there are */
export interface ProfileLsArgs {
}

export interface ProfileLsResultProfilesItem {
  /** what --profile takes */
  name?: string;
  /** what it is for */
  about?: string | null;
  /** where it is: a path, or shipped:NAME */
  file?: string | null;
  /** what it stands on */
  extends?: string | null;
  /** why it cannot be used */
  error?: string | null;
}

/** What profile.ls gives. */
export interface ProfileLsResult {
  /** by name; a person's comes before the system's, and that before the shipped one */
  profiles?: ProfileLsResultProfilesItem[];
}

/** Show all that a profile says, as one file */
export interface ProfileShowArgs {
  /** a name that 'aisbx profile ls' shows, or a file (with a '/'); default: $AISBX_PROFILE, or dev */
  profile?: string;
}

/** What profile.show gives. */
export interface ProfileShowResult {
  /** its name, or the path of its file */
  name?: string;
  /** what was read: its own file, then what each extends; shipped:NAME for those that come along */
  files?: unknown[];
  /** all that holds, as a file that stands alone would say it */
  profile?: Record<string, unknown>;
}

/** Tell whether a file is a profile that can be used */
export interface ProfileCheckArgs {
  /** the file to read */
  file: string;
}

/** What profile.check gives. */
export interface ProfileCheckResult {
  /** true; what is wrong is told as an error */
  ok?: boolean;
  /** what was read: its own file, then what each extends; shipped:NAME for those that come along */
  files?: unknown[];
  /** all that holds, as a file that stands alone would say it */
  profile?: Record<string, unknown>;
}

/** Tell for each value of a profile where it comes from */
export interface ProfileExplainArgs {
  /** a name that 'aisbx profile ls' shows, or a file (with a '/'); default: $AISBX_PROFILE, or dev */
  profile?: string;
  /** as for run */
  net?: "none" | "loopback";
  /** as for run */
  "no-net"?: boolean;
  /** as for run */
  seccomp?: "default" | "python" | "javascript" | "shell" | "go" | "rust" | "java" | "c";
  /** end the run after this long; 0: never */
  timeout?: string | number;
  /** processors at any time, such as 2 or 0.5; 0: all */
  cpu?: number;
  /** processor time of all processes together */
  "cpu-time"?: string | number;
  /** memory of all processes together, with files in memory */
  mem?: string | number;
  /** bytes the box may write */
  disk?: string | number;
  /** files, directories and links the box may make */
  inodes?: number;
  /** bytes of one file */
  "file-size"?: string | number;
  /** processes and threads at once */
  pids?: number;
  /** open files per process */
  files?: number;
  /** bytes let through of each output stream; with --json kept in the result (default 4m) */
  output?: string | number;
}

export interface ProfileExplainResultValuesItem {
  /** as in a file; env.set is the key set below env */
  key?: string;
  /** of a variable or secret; the mode of a mount */
  name?: string | null;
  /** what holds */
  value?: string;
  /** the file that says so, option --NAME, or default */
  from?: string;
  /** of that file */
  line?: number | null;
}

/** What profile.explain gives. */
export interface ProfileExplainResult {
  /** its name, or the path of its file */
  profile?: string;
  /** you, variable AISBX_PROFILE or default */
  chosen_by?: string;
  /** what was read: its own file, then what each extends; shipped:NAME for those that come along */
  files?: unknown[];
  /** every key, with each of its values */
  values?: ProfileExplainResultValuesItem[];
}

/** Show in what two profiles differ */
export interface ProfileDiffArgs {
  /** a name, or a file (with a '/') */
  a: string;
  /** the other */
  b: string;
}

export interface ProfileDiffResultDifferencesItem {
  /** as in a file */
  key?: string;
}

/** What profile.diff gives. */
export interface ProfileDiffResult {
  /** the first */
  a?: string;
  /** the second */
  b?: string;
  /** keys whose values are not the same */
  differences?: ProfileDiffResultDifferencesItem[];
}

/** Show the JSON schema of profiles */
export interface ProfileSchemaArgs {
}

/** What profile.schema gives. */
export interface ProfileSchemaResult {
  /** the language it is written in */
  "$schema"?: string;
  /** what it is the schema of */
  title?: string;
  /** object */
  type?: string;
  /** every key of a profile */
  properties?: Record<string, unknown>;
}

/** Tell everything that is wrong with an aisbx.yaml */
export interface ProjectCheckArgs {
  /** the file, or a directory that has one in it or above it; default: the current directory */
  path?: string;
}

export interface ProjectCheckResultErrorsItem {
  /** where; null: of the whole file */
  line?: number | null;
  /** where in the line */
  column?: number | null;
  /** what is wrong, and what would be right */
  text?: string;
}

/** What project.check gives. */
export interface ProjectCheckResult {
  /** nothing is wrong with it */
  ok?: boolean;
  /** what was read */
  file?: string;
  /** everything that is wrong */
  errors?: ProjectCheckResultErrorsItem[];
}

/** Show what holds in a project: its gates, stages, experiments, rules */
export interface ProjectShowArgs {
  /** the project; default: the current directory */
  dir?: string;
}

/** What project.show gives. */
export interface ProjectShowResult {
  /** what was read; null: the project has none */
  file?: string | null;
  /** all that were read: that of the directory and those above it, the outermost first */
  files?: unknown[];
  /** the file names stages; if not, those shown are what holds without */
  own_stages?: boolean;
  /** all that holds, as a file would say it */
  project?: Record<string, unknown>;
}

/** Show the JSON schema of aisbx.yaml */
export interface ProjectSchemaArgs {
}

/** What project.schema gives. */
export interface ProjectSchemaResult {
  /** the language it is written in */
  "$schema"?: string;
  /** what it is the schema of */
  title?: string;
  /** object */
  type?: string;
  /** every section of the file */
  properties?: Record<string, unknown>;
}

/** Tell what this machine can do and how to get the rest */
export interface DoctorArgs {
  /** also count what earlier runs have left behind */
  leaks?: boolean;
}

export interface DoctorResultChecksItem {
  /** of the wall or ability; walls are called as in --without */
  name?: string;
  /** ok, missing, or limited: there, but a newer kernel gives more */
  status?: string;
  /** what was tried and what came of it */
  detail?: string;
  /** what brings it: a command, an option, a version */
  fix?: string | null;
  /** 'aisbx run' does not start because of it */
  refuses?: boolean;
}

export interface DoctorResultFacts {
  /** docker, podman or another this runs in, as far as it can be seen */
  container?: string | null;
  /** not inside another user namespace */
  first_userns?: boolean;
  /** the kernel's limit */
  max_user_namespaces?: number | null;
  /** Ubuntu's switch */
  apparmor_restrict_unprivileged_userns?: number | null;
  /** Debian's switch */
  unprivileged_userns_clone?: number | null;
  /** v2, v1, hybrid or none */
  cgroup?: string;
  /** controllers this user may use */
  cgroup_delegated?: unknown[];
  /** subordinate ids of this user, START:COUNT */
  subuid?: unknown[];
}

export interface DoctorResultLeaks {
  /** aisbx-jail without a supervisor */
  processes?: number;
  /** mounts of aisbx in this mount namespace */
  mounts?: number;
  /** empty cgroups of boxes whose supervisor is gone */
  cgroups?: number;
  /** network namespaces those processes hold */
  namespaces?: number;
  /** layers of runs that were killed, and directories of policies whose judge was */
  files?: number;
  /** boxes that run right now; not a leak */
  live_boxes?: number;
  /** runs whose supervisor was killed and that nobody has written down yet; not a leak */
  dead_runs?: number;
  /** network namespaces of the whole machine; null unless root */
  kernel_net_namespaces?: number | null;
  /** the leaks in words; the first 32 */
  found?: unknown[];
}

/** What doctor gives. */
export interface DoctorResult {
  /** release of the running kernel */
  kernel?: string;
  /** of the machine */
  arch?: string;
  /** who asks */
  user?: string;
  /** effective id of who asks */
  uid?: number;
  /** root: boxes have shifted ids, user: own id only, nested: inside a user namespace */
  mode?: string;
  /** a box was started just now and it worked */
  run_will_start?: boolean;
  /** of that box's isolation: full, or null when it did not start */
  level?: string | null;
  /** every wall, what building them takes, and last the box that was started */
  checks?: DoctorResultChecksItem[];
  /** what was read, not tried */
  facts?: DoctorResultFacts;
  /** only with --leaks: what runs have left; root counts everybody's, others their own */
  leaks?: DoctorResultLeaks;
}

/** Show the JSON schema of arguments and results */
export interface SchemaArgs {
  /** only this one */
  operation?: string;
}

export interface SchemaResultOperationsItem {
  /** name, as on the command line */
  name?: string;
  /** name in the protocols; null: only the command line has it */
  method?: string | null;
  /** name of the tool that models are shown; null: only when they ask for all */
  tool?: string | null;
  /** what it does */
  summary?: string;
  /** what a caller must be allowed: read, run */
  grant?: string;
  /** JSON schema */
  arguments?: Record<string, unknown>;
  /** JSON schema */
  result?: Record<string, unknown>;
}

/** What schema gives. */
export interface SchemaResult {
  /** of the format */
  version?: number;
  /** every operation with the schemas of its arguments and result */
  operations?: SchemaResultOperationsItem[];
}

/** Every method of the protocol, with what it takes and gives. */
export interface Methods {
  "run.exec": { params: RunExecArgs; result: RunExecResult };
  "run.replay": { params: RunReplayArgs; result: RunReplayResult };
  "run.ls": { params: RunLsArgs; result: RunLsResult };
  "run.wait": { params: RunWaitArgs; result: RunWaitResult };
  "run.kill": { params: RunKillArgs; result: RunKillResult };
  "run.pause": { params: RunPauseArgs; result: RunPauseResult };
  "run.resume": { params: RunResumeArgs; result: RunResumeResult };
  "run.logs": { params: RunLogsArgs; result: RunLogsResult };
  "run.input": { params: RunInputArgs; result: RunInputResult };
  "box.exec": { params: BoxExecArgs; result: BoxExecResult };
  "run.stats": { params: RunStatsArgs; result: RunStatsResult };
  "run.code": { params: RunCodeArgs; result: RunCodeResult };
  "run.learn": { params: RunLearnArgs; result: RunLearnResult };
  "intent.run": { params: IntentRunArgs; result: IntentRunResult };
  "intent.ls": { params: IntentLsArgs; result: IntentLsResult };
  "gate.check": { params: GateCheckArgs; result: GateCheckResult };
  "plan.create": { params: PlanCreateArgs; result: PlanCreateResult };
  "plan.ls": { params: PlanLsArgs; result: PlanLsResult };
  "plan.show": { params: PlanShowArgs; result: PlanShowResult };
  "plan.step": { params: PlanStepArgs; result: PlanStepResult };
  "plan.rm": { params: PlanRmArgs; result: PlanRmResult };
  "experiment.try": { params: ExperimentTryArgs; result: ExperimentTryResult };
  "experiment.open": { params: ExperimentOpenArgs; result: ExperimentOpenResult };
  "experiment.ready": { params: ExperimentReadyArgs; result: ExperimentReadyResult };
  "experiment.show": { params: ExperimentShowArgs; result: ExperimentShowResult };
  "experiment.ls": { params: ExperimentLsArgs; result: ExperimentLsResult };
  "experiment.end": { params: ExperimentEndArgs; result: ExperimentEndResult };
  "box.create": { params: BoxCreateArgs; result: BoxCreateResult };
  "box.ls": { params: BoxLsArgs; result: BoxLsResult };
  "box.show": { params: BoxShowArgs; result: BoxShowResult };
  "box.fork": { params: BoxForkArgs; result: BoxForkResult };
  "box.snap": { params: BoxSnapArgs; result: BoxSnapResult };
  "box.rollback": { params: BoxRollbackArgs; result: BoxRollbackResult };
  "box.tree": { params: BoxTreeArgs; result: BoxTreeResult };
  "box.rename": { params: BoxRenameArgs; result: BoxRenameResult };
  "box.renew": { params: BoxRenewArgs; result: BoxRenewResult };
  "box.rm": { params: BoxRmArgs; result: BoxRmResult };
  "box.gc": { params: BoxGcArgs; result: BoxGcResult };
  "box.diff": { params: BoxDiffArgs; result: BoxDiffResult };
  "box.combine": { params: BoxCombineArgs; result: BoxCombineResult };
  "repo.commit": { params: RepoCommitArgs; result: RepoCommitResult };
  "promote": { params: PromoteArgs; result: PromoteResult };
  "undo": { params: UndoArgs; result: UndoResult };
  "recover": { params: RecoverArgs; result: RecoverResult };
  "run.history": { params: RunHistoryArgs; result: RunHistoryResult };
  "code.scan": { params: CodeScanArgs; result: CodeScanResult };
  "pipeline.run": { params: PipelineRunArgs; result: PipelineRunResult };
  "pipeline.resume": { params: PipelineResumeArgs; result: PipelineResumeResult };
  "pipeline.show": { params: PipelineShowArgs; result: PipelineShowResult };
  "pipeline.ls": { params: PipelineLsArgs; result: PipelineLsResult };
  "pipeline.undo": { params: PipelineUndoArgs; result: PipelineUndoResult };
  "pipeline.approve": { params: PipelineApproveArgs; result: PipelineApproveResult };
  "file.read": { params: FileReadArgs; result: FileReadResult };
  "file.write": { params: FileWriteArgs; result: FileWriteResult };
  "file.ls": { params: FileLsArgs; result: FileLsResult };
  "file.stat": { params: FileStatArgs; result: FileStatResult };
  "file.rm": { params: FileRmArgs; result: FileRmResult };
  "file.mv": { params: FileMvArgs; result: FileMvResult };
  "file.mkdir": { params: FileMkdirArgs; result: FileMkdirResult };
  "file.watch": { params: FileWatchArgs; result: FileWatchResult };
  "artifact.save": { params: ArtifactSaveArgs; result: ArtifactSaveResult };
  "artifact.ls": { params: ArtifactLsArgs; result: ArtifactLsResult };
  "artifact.show": { params: ArtifactShowArgs; result: ArtifactShowResult };
  "artifact.read": { params: ArtifactReadArgs; result: ArtifactReadResult };
  "artifact.get": { params: ArtifactGetArgs; result: ArtifactGetResult };
  "artifact.rm": { params: ArtifactRmArgs; result: ArtifactRmResult };
  "profile.ls": { params: ProfileLsArgs; result: ProfileLsResult };
  "profile.show": { params: ProfileShowArgs; result: ProfileShowResult };
  "profile.check": { params: ProfileCheckArgs; result: ProfileCheckResult };
  "profile.explain": { params: ProfileExplainArgs; result: ProfileExplainResult };
  "profile.diff": { params: ProfileDiffArgs; result: ProfileDiffResult };
  "profile.schema": { params: ProfileSchemaArgs; result: ProfileSchemaResult };
  "project.check": { params: ProjectCheckArgs; result: ProjectCheckResult };
  "project.show": { params: ProjectShowArgs; result: ProjectShowResult };
  "project.schema": { params: ProjectSchemaArgs; result: ProjectSchemaResult };
  "doctor": { params: DoctorArgs; result: DoctorResult };
  "schema": { params: SchemaArgs; result: SchemaResult };
}
