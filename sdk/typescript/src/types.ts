// SPDX-License-Identifier: Apache-2.0
// Arguments and results of every operation. Made by tools/sdk-types from `aisbx schema`: change the table, not this file.
// Results list what can be there; what an operation leaves out depends on its arguments.

/** Run a command in a fresh clone of this machine */
export interface RunExecArgs {
  /** run in this box, which keeps the changes; default: a new box that is removed after the run */
  box?: string;
  /** what the box may do: a name that 'aisbx profile ls' lists, or a file (with a '/'); default: $AISBX_PROFILE, or dev */
  profile?: string;
  /** run on top of this image, not of this machine, with its entrypoint, variables, user and working directory; the project is there only with --project or --here */
  image?: string;
  /** of an ordinary user's box on an image: one (default), where every file is yours, or sub, where files belong to whom the image says, by your subordinate ids */
  ids?: "one" | "sub";
  /** bring the image from its registry if it is not here, as 'image pull' does */
  pull?: boolean;
  /** driver that builds the walls: native (default), oci or oci:RUNTIME (runc, crun, runsc, or the path of one), wasm (the command is a module, or python3 or node as WebAssembly), or chroot (the last resort, for root); 'aisbx doctor' lists the runtimes */
  driver?: string;
  /** directory that is cloned as writable into the box; default: the current one, or on the command line the project that it is in */
  project?: string;
  /** directory to start in; default: the project */
  cwd?: string;
  /** make a file or directory visible, read-only */
  ro?: string[];
  /** share a file or directory: changes affect the real one */
  rw?: string[];
  /** hide a file or directory */
  hide?: string[];
  /** show a character device of /dev that you may open, or a directory of them: /dev/dri */
  device?: string[];
  /** show the devices of graphics processors: /dev/dri, /dev/nvidia*, /dev/kfd */
  gpu?: boolean;
  /** set a variable, or pass on the caller's value */
  env?: string[];
  /** give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env appended, the variable NAME. It is removed from all output. With ,inject=HOST appended, the box gets only a placeholder, and requests to HOST get the secret on their way out */
  secret?: string[];
  /** values in .env and similar files of the project that look like secrets: scrub (remove them from output, the default) or plain */
  "secret-files"?: "scrub" | "plain";
  /** what the box reaches: none, loopback (an interface of its own), allow (what the profile's rules name), ask (a person is asked about the rest), a preset (python-packages, npm, crates, go, maven, debian, github, github:OWNER/REPO[:read]) or a rule such as github.com:443 */
  net?: string[];
  /** make port BOXPORT of the box (default: PORT) reachable at port PORT of this machine's loopback; PORT 0: any that is free, which 'aisbx ports' shows */
  publish?: string[];
  /** allowed system calls: default, or fewer, for a language: python, javascript, shell, go, rust, java, c */
  seccomp?: "default" | "python" | "javascript" | "shell" | "go" | "rust" | "java" | "c" | "wasm";
  /** the same as --net none */
  "no-net"?: boolean;
  /** end the run after this time; 0: never */
  timeout?: string | number;
  /** maximum number of processors, such as 2 or 0.5; 0: all */
  cpu?: number;
  /** processor time of all processes together */
  "cpu-time"?: string | number;
  /** memory of all processes together, including files in memory; 0: no limit */
  mem?: string | number;
  /** bytes that the box may write */
  disk?: string | number;
  /** files, directories and links that the box may make */
  inodes?: number;
  /** bytes of one file */
  "file-size"?: string | number;
  /** processes and threads at once */
  pids?: number;
  /** open files per process */
  files?: number;
  /** bytes of each output stream that are passed on; with --json stored in the result (default 4m) */
  output?: string | number;
  /** instructions that a WebAssembly program may execute; only with the driver wasm; 0: no limit */
  fuel?: number;
  /** start the services of this file; default: those of the project's aisbx.yaml */
  services?: string;
  /** start no services */
  "no-services"?: boolean;
  /** do not show the caches of package managers and compilers in the home directory */
  "no-caches"?: boolean;
  /** allocate a terminal in the box, and set no deadline; by default a command has a terminal if all three standard streams are one */
  tty?: boolean;
  /** allocate no terminal */
  "no-tty"?: boolean;
  /** lines of a terminal that no person sits at, as with --detach; default: 24 */
  rows?: number;
  /** columns of such a terminal; default: 80 */
  cols?: number;
  /** print the run's name and return at once; see logs, wait, attach, kill */
  detach?: boolean;
  /** name of the run, accepted wherever a run id is; default with --detach: two words */
  name?: string;
  /** pass on standard input, which is always the case; with --detach: keep it open for 'aisbx input' and 'aisbx attach' */
  interactive?: boolean;
  /** store what 'aisbx replay' needs: the output and, for a box, snapshots before and after */
  record?: boolean;
  /** run without this wall; the result says so ('aisbx doctor' lists the names) */
  without?: string[];
  /** the command and its arguments; appended to the profile's entrypoint, if it has one */
  command?: string[];
}

export interface RunExecResultTruncated {
  /** bytes */
  stdout?: number;
  /** bytes */
  stderr?: number;
}

export interface RunExecResultIsolation {
  /** driver that built them */
  driver?: string;
  /** of driver oci: the runtime and its version */
  runtime?: string;
  /** full; reduced if walls were disabled; none if the command never started */
  level?: string;
  /** names of the walls that were verified */
  walls?: unknown[];
  /** names of the walls that were disabled */
  missing?: unknown[];
  /** capabilities kept, valid only inside the box's user namespace */
  caps?: unknown[];
  /** what --device, --gpu or the profile showed of /dev */
  devices?: unknown[];
}

export interface RunExecResultUsage {
  /** time from start to end */
  wall_ms?: number;
  /** only present if it waited for its turn before (queue.yaml): how long */
  queued_ms?: number;
  /** of all processes of the box */
  cpu_ms?: number;
  /** peak memory of all processes together, bytes; without a control group by sampling */
  mem_peak?: number;
  /** peak number of processes and threads; 0 if it was not sampled */
  pids_peak?: number;
  /** bytes written that still existed at the end */
  disk?: number;
  /** files, directories and links made that still existed at the end */
  inodes?: number;
  /** only present with the driver wasm: instructions that the program executed; the same for the same program and input on every machine */
  fuel?: number;
}

export interface RunExecResultLimit {
  /** wall_time, cpu_time, memory, processes, files, file_size, disk, inodes, lifetime or fuel */
  kind?: string;
  /** in milliseconds, bytes or a plain number */
  value?: number;
  /** amount used */
  used?: number;
  /** the option that changes it */
  raise_with?: string;
  /** false: nobody counted it; the last output of the command, which failed, says so */
  sure?: boolean;
}

export interface RunExecResultViolationsItem {
  /** syscall, decoy, net, limit or import */
  kind?: string;
  /** what was tried */
  what?: string;
  /** name of the program that tried */
  by?: string | null;
  /** its process id on the host; the first of several */
  pid?: number | null;
  /** the rule that refused it */
  rule?: string;
  /** what would allow it */
  allow_with?: string;
  /** number of times */
  count?: number;
}

export interface RunExecResultNetConnectionsItem {
  /** lookup (of a name), tcp, udp, or in: from this machine to a published port */
  act?: string;
  /** the name */
  name?: string | null;
  /** the address */
  address?: string | null;
  /** the port */
  port?: number | null;
  /** allowed; refused by a rule; broken: allowed, but the other side could not be reached */
  verdict?: string;
  /** why not: no-rule, bad-name, not-public, wrong-sni ... */
  reason?: string | null;
  /** the rule that allowed it, or that it exceeded */
  rule?: string | null;
  /** number of times */
  count?: number;
  /** bytes from the box */
  sent?: number;
  /** bytes to the box */
  received?: number;
}

export interface RunExecResultNet {
  /** names that it reached; an address where there is no name */
  hosts?: unknown[];
  /** what it wanted of the network, each kind once */
  connections?: RunExecResultNetConnectionsItem[];
  /** bytes from the box, of all connections out of it */
  sent?: number;
  /** bytes to the box */
  received?: number;
  /** further kinds that were only counted */
  not_kept?: number;
}

export interface RunExecResultServicesItem {
  /** as in the file */
  name?: string;
  /** running when the command ended; waiting, starting, restarting; exited with 0 by itself; failed */
  state?: string;
  /** why it failed: exec, ended, restarts, timeout (not ready in time) or join */
  error?: string | null;
  /** number of restarts */
  restarts?: number;
  /** when it last ended by itself */
  exit_code?: number | null;
  /** signal that ended it then */
  signal?: number | null;
  /** time from its start until it was ready */
  ready_ms?: number | null;
  /** last lines of its output */
  output?: string;
}

/** What run.exec gives. */
export interface RunExecResult {
  /** run id */
  run?: string;
  /** only present if it has one: its name */
  name?: string;
  /** identifies the run in logs and traces */
  trace_id?: string;
  /** ok, failed, limit, denied, interrupted or error */
  status?: string;
  /** of the command; null if a signal or limit ended it */
  exit_code?: number | null;
  /** exit status of aisbx run: the command's own, 124, 126, 127 or 128+N */
  exit_status?: number;
  /** signal that ended the command */
  signal?: number | null;
  /** output of the command; what is not UTF-8 becomes U+FFFD */
  stdout?: string;
  /** as stdout */
  stderr?: string;
  /** bytes cut off, per stream */
  truncated?: RunExecResultTruncated;
  /** the walls around the command, as measured from inside */
  isolation?: RunExecResultIsolation;
  /** resources used by the run */
  usage?: RunExecResultUsage;
  /** only present if a WebAssembly program was stopped in the middle: stack_overflow, unreachable, memory_out_of_bounds, division_by_zero ... */
  trap?: string;
  /** every limit that really held: its name, with `value` and `by`, what enforced it; `asked` if the caller may not have that much itself; of files `soft`, what a program has without asking for more. `memory` is null if it was lifted */
  limits?: Record<string, unknown>;
  /** the limit that ended the run, or that was reached */
  limit?: RunExecResultLimit | null;
  /** what the command tried and was refused, decoys it opened, limits it reached */
  violations?: RunExecResultViolationsItem[];
  /** violations of other kinds, if there were too many to store */
  violations_not_listed?: number;
  /** only present if the box had rules for its network: what it did there */
  net?: RunExecResultNet;
  /** services that ran beside the command, as the file names them */
  services?: RunExecResultServicesItem[];
  /** why the command could not be executed */
  error?: string | null;
  /** only present if the automatic snapshot of the box failed: why */
  snapshot_error?: string;
  /** only present if files of the project belong to a group that the box does not have: what to do */
  unknown_group?: string;
  /** only present if the profile uses words of another tool: how they were read, one per line */
  profile_notes?: string;
  /** only present if the box does not have an environment or toolchain that is active outside: which, and what to do */
  hidden_environment?: string;
  /** only present if the image wants another user than root and the box has one id only: what its commands are instead */
  image_user?: string;
  /** only present if output of a detached run could not be stored: why */
  log_error?: string;
  /** with --detach: true; of the other fields only run, name, trace_id and box are present */
  detached?: boolean;
  /** with --detach: id of its box; null if the box is removed after the run */
  box?: string | null;
  /** only present if output could not be written to its destination: why; the exit status is not 0 then */
  output_error?: string;
  /** only present if the run could not be recorded in the history: why */
  history_error?: string;
}

/** Repeat a run and show what differs */
export interface RunReplayArgs {
  /** its name, its id or a prefix of that */
  run: string;
  /** number of replays: several tell random differences from real ones; default 1 */
  times?: number;
  /** keep the boxes of the replays */
  keep?: boolean;
}

export interface RunReplayResultStdout {
  /** identical to the last byte */
  same?: boolean;
  /** as below */
  kind?: string | null;
  /** the first 20 different lines: line, was, is */
  lines?: unknown[];
}

export interface RunReplayResultStderr {
  /** identical to the last byte */
  same?: boolean;
  /** as below */
  kind?: string | null;
  /** the first 20 different lines: line, was, is */
  lines?: unknown[];
}

export interface RunReplayResultChangesPathsItem {
  /** relative to the project; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** as the kinds of diff */
  how?: string;
  /** as below */
  kind?: string;
}

export interface RunReplayResultChanges {
  /** no path differs */
  same?: boolean;
  /** number of paths that differ */
  count?: number;
  /** the first 100 of them */
  paths?: RunReplayResultChangesPathsItem[];
}

export interface RunReplayResultNotDeterministicItem {
  /** exit_code, signal, status, stdout, stderr or "file PATH" */
  what?: string;
  /** time, number, address, temporary name, order, mixed (of these), attributes, bytes or content */
  kind?: string;
  /** members was and is; for a text with its line */
  example?: Record<string, unknown> | null;
}

export interface RunReplayResultChangedItem {
  /** exit_code, signal, status, stdout, stderr or "file PATH" */
  what?: string;
  /** time, number, address, temporary name, order, mixed (of these), attributes, bytes or content */
  kind?: string;
  /** members was and is; for a text with its line */
  example?: Record<string, unknown> | null;
}

export interface RunReplayResultNotComparedItem {
  /** start, stdin, stdout, stderr, changes, project, terminal or "variable NAME" */
  what?: string;
  /** an explanation for people */
  why?: string;
}

/** What run.replay gives. */
export interface RunReplayResult {
  /** id of the replayed run */
  run?: string;
  /** run ids of the replays */
  replay?: unknown[];
  /** with keep: ids of their boxes */
  boxes?: unknown[];
  /** no differences in what was compared */
  same?: boolean;
  /** members was and is; is: of the first replay */
  exit_code?: Record<string, unknown>;
  /** as exit_code */
  status?: Record<string, unknown>;
  /** as exit_code: the usage of run */
  usage?: Record<string, unknown>;
  /** null: not compared */
  stdout?: RunReplayResultStdout | null;
  /** null: not compared */
  stderr?: RunReplayResultStderr | null;
  /** files of the project after the replay compared with those after the run; null: not compared */
  changes?: RunReplayResultChanges | null;
  /** the differences; with several replays: between them */
  not_deterministic?: RunReplayResultNotDeterministicItem[];
  /** with several replays: differences from the run that all replays share, so they are not random */
  changed?: RunReplayResultChangedItem[];
  /** what could not be compared, and why */
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
  /** its name, if it has one */
  name?: string | null;
  /** waiting (for its turn), starting, running, paused, ending (commands that joined its box still run) or unresponsive */
  state?: string;
  /** id of its box; null if the box is removed after the run */
  box?: string | null;
  /** name of its box */
  box_name?: string | null;
  /** command with arguments */
  command?: string | null;
  /** milliseconds since 1970 */
  started_ms?: number | null;
  /** time since its start */
  wall_ms?: number;
  /** it was started with --detach */
  detached?: boolean | null;
  /** its profile */
  profile?: string | null;
  /** it joined the live box of another run */
  joined?: boolean;
  /** process id of its supervisor */
  pid?: number;
  /** as in its result */
  trace_id?: string | null;
}

/** What run.ls gives. */
export interface RunLsResult {
  /** oldest first */
  runs?: RunLsResultRunsItem[];
  /** only on the command line, and without --all: runs of other projects */
  others?: number;
}

/** Wait for the end of a run */
export interface RunWaitArgs {
  /** its name, its id or a prefix of that */
  run: string;
  /** give up after this time, with exit status 125 */
  timeout?: string | number;
  /** also return the last SIZE bytes written to each stream, if the output is stored; also if the run has not ended by the timeout */
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
  /** exit status of aisbx run */
  exit_status?: number;
  /** signal that ended the command */
  signal?: number | null;
  /** with --output: the end of the command's output, if it is stored */
  stdout?: string;
  /** as stdout */
  stderr?: string;
  /** with --output: bytes before that, and those dropped by the output limit */
  truncated?: RunWaitResultTruncated;
  /** why the result is missing */
  error?: string | null;
}

/** End runs, or send them a signal */
export interface RunKillArgs {
  /** names, ids or their prefixes */
  runs: string[];
  /** send this signal to the command, which may handle or ignore it; default: end the run */
  signal?: string;
}

/** What run.kill gives. */
export interface RunKillResult {
  /** run ids */
  runs?: unknown[];
}

/** Pause all processes of a run's box */
export interface RunPauseArgs {
  /** names, ids or their prefixes */
  runs: string[];
}

/** What run.pause gives. */
export interface RunPauseResult {
  /** run ids */
  runs?: unknown[];
}

/** Resume a paused run */
export interface RunResumeArgs {
  /** names, ids or their prefixes */
  runs: string[];
}

/** What run.resume gives. */
export interface RunResumeResult {
  /** run ids */
  runs?: unknown[];
}

/** Show the output of a run */
export interface RunLogsArgs {
  /** its name, its id or a prefix of that */
  run: string;
  /** continue until the run has ended */
  follow?: boolean;
  /** show the output of this service of the run */
  service?: string;
  /** print the time before each line */
  timestamps?: boolean;
}

/** What run.logs gives. */
export interface RunLogsResult {
  /** in a record: microseconds since 1970 */
  time_us?: number;
  /** in a record: stdout or stderr */
  stream?: string;
  /** in a record: the output; bytes that are not UTF-8 become U+FFFD */
  data?: string;
  /** in the last line: run id */
  run?: string;
  /** in the last line: the run has ended, and the output is complete */
  complete?: boolean;
  /** in the last line, if there are any: bytes in the middle that are not kept */
  cut?: number;
  /** all records, where they cannot be sent one by one */
  records?: unknown[];
}

/** Write to the input of a detached run */
export interface RunInputArgs {
  /** its name, its id or a prefix of that */
  run: string;
  /** then close it: the command sees the end of its input */
  close?: boolean;
}

/** What run.input gives. */
export interface RunInputResult {
  /** id */
  run?: string;
  /** bytes that were passed on */
  bytes?: number;
  /** the command's input is now closed */
  closed?: boolean;
}

/** Resize the terminal of a detached run */
export interface RunResizeArgs {
  /** its name, its id or a prefix of that */
  run: string;
  /** lines; default: as many as it has */
  rows?: number;
  /** columns; default: as many as it has */
  cols?: number;
}

/** What run.resize gives. */
export interface RunResizeResult {
  /** id */
  run?: string;
  /** lines that the terminal has now */
  rows?: number;
  /** columns that it has now */
  cols?: number;
}

/** Run a command in a live box */
export interface BoxExecArgs {
  /** name or id of a live box, or name or id of a live run */
  target: string;
  /** directory to start in; default: the project */
  cwd?: string;
  /** set a variable, or pass on the caller's value */
  env?: string[];
  /** give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env appended, the variable NAME. It is removed from all output. With ,inject=HOST appended, the box gets only a placeholder, and requests to HOST get the secret on their way out */
  secret?: string[];
  /** end the command after this time; 0: never */
  timeout?: string | number;
  /** bytes of each output stream that are passed on */
  output?: string | number;
  /** allocate a terminal in the box, and set no deadline; by default a command has a terminal if all three standard streams are one */
  tty?: boolean;
  /** allocate no terminal */
  "no-tty"?: boolean;
  /** lines of a terminal that no person sits at, as with --detach; default: 24 */
  rows?: number;
  /** columns of such a terminal; default: 80 */
  cols?: number;
  /** pass on standard input; always the case, accepted for compatibility (-it) */
  interactive?: boolean;
  /** the command and its arguments */
  command: string[];
}

/** What box.exec gives. */
export interface BoxExecResult {
  /** run id; the other fields are as in the result of run */
  run?: string;
  /** ok, failed, limit, denied, interrupted or error */
  status?: string;
  /** of the command */
  exit_code?: number | null;
  /** output of the command */
  stdout?: string;
  /** as stdout */
  stderr?: string;
}

/** Show resource usage of live runs */
export interface RunStatsArgs {
  /** only these runs; default: all live runs */
  runs?: string[];
  /** repeat until the runs have ended; without RUN until interrupted */
  follow?: boolean;
  /** interval with --follow; default 1s */
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
  /** its name, if it has one */
  name?: string | null;
  /** as in ps */
  state?: string;
  /** command with arguments */
  command?: string | null;
  /** time since its start */
  wall_ms?: number;
  /** processor time so far; null, like all below, if it joined another run's box */
  cpu_ms?: number | null;
  /** of one processor, since the previous measurement */
  cpu_percent?: number | null;
  /** current memory, bytes */
  mem?: number | null;
  /** peak memory, bytes */
  mem_peak?: number | null;
  /** current number of processes and threads */
  pids?: number | null;
  /** peak number of processes and threads */
  pids_peak?: number | null;
  /** bytes written that exist now */
  disk?: number | null;
  /** files, directories and links made that exist now */
  inodes?: number | null;
  /** bytes of output so far */
  output?: RunStatsResultRunsItemOutput;
}

/** What run.stats gives. */
export interface RunStatsResult {
  /** time of the measurement, in milliseconds since 1970 */
  time_ms?: number;
  /** oldest first */
  runs?: RunStatsResultRunsItem[];
}

/** Let a box reach a host */
export interface BoxAllowArgs {
  /** rules or presets to add, such as net:egress:github.com:443 or npm; without any: list those of the box */
  rules?: string[];
  /** name or id of a box, or id of a live run */
  box: string;
}

/** What box.allow gives. */
export interface BoxAllowResult {
  /** as given */
  box?: string;
  /** rules that were added or removed, in their full form */
  changed?: unknown[];
  /** all rules that the box has now */
  rules?: unknown[];
}

/** Remove rules of a live box */
export interface BoxDenyArgs {
  /** rules to remove, as 'aisbx allow --box BOX' lists them */
  rules: string[];
  /** name or id of a box, or id of a live run */
  box: string;
}

/** What box.deny gives. */
export interface BoxDenyResult {
  /** as given */
  box?: string;
  /** rules that were added or removed, in their full form */
  changed?: unknown[];
  /** all rules that the box has now */
  rules?: unknown[];
}

/** Show or publish ports of a live box */
export interface BoxPortsArgs {
  /** name or id of a live box, or id of a live run */
  box: string;
  /** make port BOXPORT of the box (default: PORT) reachable at port PORT of this machine's loopback; PORT 0: any that is free, which 'aisbx ports' shows */
  publish?: string[];
}

export interface BoxPortsResultPortsItem {
  /** in the box */
  port?: number;
  /** on this machine */
  host_port?: number;
  /** where programs of this machine connect: 127.0.0.1 and host_port */
  address?: string;
}

/** What box.ports gives. */
export interface BoxPortsResult {
  /** as given */
  box?: string;
  /** all ports that are published */
  ports?: BoxPortsResultPortsItem[];
}

/** Run a program given as text, in a box of its own */
export interface RunCodeArgs {
  /** its language */
  lang: "python" | "javascript" | "shell";
  /** the program itself */
  code?: string;
  /** auto: wasm if it suffices */
  driver?: "native" | "wasm" | "auto";
  /** with the driver wasm: instructions that the program may execute; 0: no limit */
  fuel?: number;
  /** with --context: box of the interpreter */
  box?: string;
  /** use an interpreter that stays in the box and remembers earlier programs */
  context?: string;
  /** end that interpreter; takes no program */
  "end-context"?: boolean;
  /** when starting the interpreter: end it after this idle time; default: 30min, 0: with its box */
  idle?: string | number;
  /** copy the files that the program left in its directory to this one; nothing is overwritten, and traps are not copied */
  out?: string;
  /** scan the program with this policy first; default: as in the profile; none: no scan */
  policy?: string;
  /** run it if the policy says to ask, and with --out copy traps, too */
  yes?: boolean;
  /** what the box may do; default: the profile of the language */
  profile?: string;
  /** make a file or directory visible, read-only */
  ro?: string[];
  /** set a variable, or pass on the caller's value; with --context it stays set there */
  env?: string[];
  /** give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env appended, the variable NAME. It is removed from all output. With ,inject=HOST appended, the box gets only a placeholder, and requests to HOST get the secret on their way out */
  secret?: string[];
  /** what the box reaches: none, loopback (an interface of its own), allow (what the profile's rules name), ask (a person is asked about the rest), a preset (python-packages, npm, crates, go, maven, debian, github, github:OWNER/REPO[:read]) or a rule such as github.com:443 */
  net?: string[];
  /** end the program after this time; 0: never */
  timeout?: string | number;
  /** maximum number of processors, such as 2 or 0.5; 0: all */
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
  /** bytes of each output stream that are passed on */
  output?: string | number;
  /** the program; - (default): standard input, which the program then cannot read */
  file?: string;
  /** arguments of the program */
  args?: string[];
}

export interface RunCodeResultDriver {
  /** native or wasm */
  name?: string;
  /** why, in words */
  why?: string;
}

export interface RunCodeResultScanFindingsItem {
  /** rule id in the policy */
  rule?: string;
  /** low, medium, high or critical */
  severity?: string;
  /** import, call, use, command, write, text, hidden, broken or unread */
  kind?: string;
  /** what was found: a module, a function, a command, a file, or a text */
  name?: string;
  /** the same with its arguments; '?' stands for values that are only known at run time */
  call?: string;
  /** found through an alias, a concatenated string or similar */
  indirect?: boolean;
  /** in a program inside a string */
  nested?: boolean;
  /** from 1 */
  line?: number;
  /** from 1, in bytes */
  column?: number;
  /** where it ends */
  end_line?: number;
  /** one after its last byte */
  end_column?: number;
  /** the line of the source, or the part of a long one */
  text?: string;
  /** bytes of the line before that part */
  text_offset?: number;
  /** reason given by the rule */
  why?: string;
  /** what to do instead */
  advice?: string | null;
}

export interface RunCodeResultScan {
  /** python, javascript, typescript or shell */
  language?: string;
  /** of the program */
  bytes?: number;
  /** none, low, medium, high or critical: that of the worst finding */
  risk?: string;
  /** action of the policy for that risk: allow, warn, sandbox, ask or refuse */
  action?: string;
  /** findings that are not listed */
  more?: number;
  /** sorted by line and column */
  findings?: RunCodeResultScanFindingsItem[];
}

export interface RunCodeResultException {
  /** such as ValueError; null for shell */
  name?: string | null;
  /** message */
  message?: string | null;
  /** line of the program */
  line?: number | null;
  /** with --context: the whole traceback */
  traceback?: string | null;
}

export interface RunCodeResultResultsItem {
  /** as the language prints it */
  text?: string;
  /** only present, as those below, if the value has it: by _repr_html_ and so on */
  html?: string;
  /** as html */
  markdown?: string;
  /** as html */
  svg?: string;
  /** in base64 */
  png?: string;
  /** in base64 */
  jpeg?: string;
  /** in base64 */
  pdf?: string;
  /** as html */
  latex?: string;
  /** as html */
  json?: Record<string, unknown> | unknown[];
  /** as html */
  javascript?: string;
  /** by type: other forms that a kernel of Jupyter told, such as plotly's charts */
  extra?: Record<string, unknown>;
  /** it is the value of the last expression */
  is_main_result?: boolean;
}

export interface RunCodeResultFilesItem {
  /** relative to the directory, or to the project; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
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
  /** run id; fields that are not listed here are as in the result of run */
  run?: string;
  /** ok, failed, limit, denied (by the scan: nothing ran), interrupted or error */
  status?: string;
  /** of the interpreter */
  exit_code?: number | null;
  /** exit status of aisbx run-code */
  exit_status?: number;
  /** output of the program */
  stdout?: string;
  /** as stdout */
  stderr?: string;
  /** as given */
  language?: string;
  /** only present if --driver was given: what ran it */
  driver?: RunCodeResultDriver;
  /** findings of the scan; null: not scanned */
  scan?: RunCodeResultScan | null;
  /** exception of a failed program, if stderr shows it and is part of the result */
  exception?: RunCodeResultException | null;
  /** with --context: as given */
  box?: string;
  /** with --context: as given */
  context?: string;
  /** with --context: the interpreter was started for this call, so it has no earlier definitions */
  context_new?: boolean;
  /** with --context: the interpreter has ended, and its state is lost */
  context_ended?: boolean;
  /** with --context: ipykernel, if the box's Python has it; else plain */
  engine?: string | null;
  /** value of the last expression, as the language prints it; null: none, or the language is shell */
  text?: string | null;
  /** values that the program showed: open matplotlib figures, then its last expression */
  results?: RunCodeResultResultsItem[];
  /** with --context: the figures among the results, as PNG in base64 */
  charts?: unknown[];
  /** regular files that the program left in its directory, by path; with --context: those of the project that were made or changed while it ran */
  files?: RunCodeResultFilesItem[];
  /** links and other special files, files beyond the first thousand, directories that could not be read */
  files_not_listed?: number;
  /** only present if the files could not be listed: why */
  files_error?: string;
  /** as in the result of run */
  violations?: unknown[];
  /** as in the result of run */
  limit?: Record<string, unknown> | null;
  /** why the program could not be started */
  error?: string | null;
}

/** List the interpreters that stay in a box, or end one */
export interface CodeContextsArgs {
  /** end the contexts of this name; what they remember is lost */
  end?: string;
  /** only contexts of this language */
  lang?: "python" | "javascript" | "shell";
  /** name or id of the box */
  box: string;
}

export interface CodeContextsResultContextsItem {
  /** its name */
  context?: string;
  /** python, javascript or shell */
  language?: string;
  /** run id of the interpreter */
  run?: string;
  /** since 1970 */
  started_ms?: number;
}

/** What code.contexts gives. */
export interface CodeContextsResult {
  /** as given */
  box?: string;
  /** those that are there, by start; without those that ended */
  contexts?: CodeContextsResultContextsItem[];
  /** how many this call ended */
  ended?: number;
}

/** Find the smallest profile with which a command works */
export interface RunLearnArgs {
  /** write the profile to this file, which must not exist yet; default: to standard output */
  output?: string;
  /** name of the profile; default: learned */
  name?: string;
  /** profile to start from; default: dev */
  profile?: string;
  /** directory that is cloned as writable; default: the current one, or on the command line the project that it is in */
  project?: string;
  /** directory to start in; default: the project */
  cwd?: string;
  /** show a file or directory, read-only; becomes part of the profile */
  ro?: string[];
  /** set a variable, or pass on the caller's value; becomes part of the profile */
  env?: string[];
  /** what the box reaches: none, loopback (an interface of its own), allow (what the profile's rules name), ask (a person is asked about the rest), a preset (python-packages, npm, crates, go, maven, debian, github, github:OWNER/REPO[:read]) or a rule such as github.com:443 */
  net?: string[];
  /** the command and its arguments; it gets no input */
  command: string[];
}

export interface RunLearnResultValuesItem {
  /** as in the profile */
  key?: string;
  /** as in the profile */
  value?: string;
  /** why it has this value */
  why?: string;
}

export interface RunLearnResultRefusedItem {
  /** what was tried */
  what?: string;
  /** the rule that refused it */
  rule?: string;
}

/** What run.learn gives. */
export interface RunLearnResult {
  /** the text of the profile */
  profile?: string;
  /** where it was written */
  file?: string | null;
  /** of the command; the same every time */
  exit_code?: number | null;
  /** signal that ended it; the same every time */
  signal?: number | null;
  /** number of runs */
  runs?: number;
  /** its output was the same every time, so it was compared, too */
  steady?: boolean;
  /** values of the profile */
  values?: RunLearnResultValuesItem[];
  /** what the command tried but does not need: no profile would allow it */
  refused?: RunLearnResultRefusedItem[];
}

/** Run, test, build, format, lint or bench a project with its own command */
export interface IntentRunArgs {
  /** run, test, build, format, lint or bench */
  intent: "run" | "test" | "build" | "format" | "lint" | "bench";
  /** run in this box, which keeps the changes; default: a new box that is removed after the run */
  box?: string;
  /** what the box may do; default: as for run */
  profile?: string;
  /** shell command that must exit with 0 afterwards; without --box a box is made, and stays */
  tests?: string[];
  /** what must hold afterwards */
  gates?: string[];
  /** directory that is cloned as writable into the box; default: the current one, or on the command line the project that it is in */
  project?: string;
  /** directory of the project whose command is used; default: the project */
  cwd?: string;
  /** set a variable, or pass on the caller's value */
  env?: string[];
  /** give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env appended, the variable NAME. It is removed from all output. With ,inject=HOST appended, the box gets only a placeholder, and requests to HOST get the secret on their way out */
  secret?: string[];
  /** what the box reaches: none, loopback (an interface of its own), allow (what the profile's rules name), ask (a person is asked about the rest), a preset (python-packages, npm, crates, go, maven, debian, github, github:OWNER/REPO[:read]) or a rule such as github.com:443 */
  net?: string[];
  /** end the run after this time; 0: never */
  timeout?: string | number;
  /** maximum number of processors, such as 2 or 0.5; 0: all */
  cpu?: number;
  /** processor time of all processes together */
  "cpu-time"?: string | number;
  /** memory of all processes together, including files in memory; 0: no limit */
  mem?: string | number;
  /** bytes that the box may write */
  disk?: string | number;
  /** files, directories and links that the box may make */
  inodes?: number;
  /** bytes of one file */
  "file-size"?: string | number;
  /** processes and threads at once */
  pids?: number;
  /** open files per process */
  files?: number;
  /** bytes of each output stream that are passed on; with --json stored in the result (default 4m) */
  output?: string | number;
  /** instructions that a WebAssembly program may execute; only with the driver wasm; 0: no limit */
  fuel?: number;
  /** do not start the project's services */
  "no-services"?: boolean;
  /** store what 'aisbx replay' needs: the output and, for a box, snapshots before and after */
  record?: boolean;
  /** further arguments for the command */
  args?: string[];
}

export interface IntentRunResultTests {
  /** tests */
  passed?: number;
  /** failed tests, including errors */
  failed?: number;
  /** skipped tests, including expected failures */
  skipped?: number;
  /** runner that reported them: pytest, unittest, node, tap, jest, vitest, mocha, cargo, go, meson, ctest, surefire, junit, deno */
  runner?: string;
}

/** What intent.run gives. */
export interface IntentRunResult {
  /** as given */
  intent?: string;
  /** the command that was run */
  command?: unknown[];
  /** the file of the project that defines it */
  found_in?: string;
  /** counts from the runner's output; null if unclear, and for other intents */
  tests?: IntentRunResultTests | null;
  /** run id; other fields are as in the result of run */
  run?: string;
  /** ok, failed, limit, denied, interrupted or error */
  status?: string;
  /** of the command; only this says whether the tests passed */
  exit_code?: number | null;
  /** exit status of aisbx do */
  exit_status?: number;
  /** output of the command */
  stdout?: string;
  /** as stdout */
  stderr?: string;
  /** as in the result of run */
  limit?: Record<string, unknown> | null;
  /** as in the result of run */
  violations?: unknown[];
  /** why the command could not be started */
  error?: string | null;
  /** the box that tests or gates made for it, if any */
  box?: string;
  /** of tests and gates, if the command succeeded: as of 'gate check' */
  gate?: Record<string, unknown>;
}

/** Show the commands that run, test, build, format and lint a project */
export interface IntentLsArgs {
  /** as the project is in this box; default: as it is now */
  box?: string;
  /** the project; default: the current directory, or on the command line the project that it is in */
  project?: string;
  /** directory of the project to look in; default: the project */
  cwd?: string;
}

export interface IntentLsResultIntentsItem {
  /** run, test, build, format, lint or bench */
  intent?: string;
  /** command and arguments */
  command?: unknown[];
  /** the file that defines it */
  found_in?: string;
  /** which part of the file */
  why?: string;
  /** the one that 'aisbx do' uses */
  used?: boolean;
}

/** What intent.ls gives. */
export interface IntentLsResult {
  /** every command that was found, by intent, the best first */
  intents?: IntentLsResultIntentsItem[];
}

/** Check whether a box passes the project's gates */
export interface GateCheckArgs {
  /** box or snapshot to check; '.' or nothing: the directory itself */
  box?: string;
  /** names of gates, or checks; default: all gates of the project */
  checks?: string[];
  /** shell command that must exit with 0 */
  command?: string[];
  /** policy file in the project, evaluated by opa */
  rego?: string;
  /** query that must be true: data.aisbx.allow */
  query?: string;
  /** directory whose aisbx.yaml is used; default: the project of the box, or the current one */
  dir?: string;
  /** what the commands may do; default: the box's profile, or as for run */
  profile?: string;
}

export interface GateCheckResultChecksItem {
  /** as it was written */
  check?: string;
  /** intent, expression, command, rego or wasm */
  kind?: string;
  /** its gate */
  gate?: string | null;
  /** it holds */
  passed?: boolean;
  /** the reason; facts that are not known are named */
  why?: string;
  /** id of the run made for it; 'aisbx logs' shows its output */
  run?: string | null;
  /** score that a command reported */
  score?: number | null;
  /** files that decide this check and that the box had changed, relative to the project: the person's own versions were used */
  judges?: unknown[];
}

export interface GateCheckResultDriftFilesItem {
  /** relative to the project; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** deleted, renamed, changed, added, lost or touched */
  kind?: string;
  /** previous name, if it was renamed */
  from?: string | null;
  /** the box changed it, too */
  both?: boolean;
}

export interface GateCheckResultDrift {
  /** compared with: box, snapshot or pin */
  of?: string;
  /** when that was made, in milliseconds since 1970 */
  since_ms?: number;
  /** modified files; also new ones, where aisbx has no list of the names there were */
  changed?: number;
  /** new files */
  added?: number;
  /** deleted files and directories */
  deleted?: number;
  /** renamed files and directories */
  renamed?: number;
  /** directories from which something was removed, but it is not known what */
  lost?: number;
  /** with other permissions, owner, links or times; if the box changed them, too: with the same content */
  touched?: number;
  /** changes that are not listed because git ignores the files */
  ignored?: number;
  /** files and directories examined */
  looked?: number;
  /** false: the time limit was reached, or the clock was set back */
  complete?: boolean;
  /** the clock is behind the time at which the box was made: few changes can be detected */
  clock_back?: boolean;
  /** git branch, if it is a different one now */
  branch?: string | null;
  /** git branch when the box was made */
  was?: string | null;
  /** the first 100; those that the box changed, too, come first */
  files?: GateCheckResultDriftFilesItem[];
  /** why changes could not be detected */
  error?: string;
}

/** What gate.check gives. */
export interface GateCheckResult {
  /** all checks hold */
  passed?: boolean;
  /** name of the box; null: a directory */
  box?: string | null;
  /** snapshot of the box that was checked, taken because a command had to be run */
  snapshot?: string | null;
  /** names of the requested gates */
  gates?: unknown[];
  /** every aisbx.yaml that was used: that of the project and those of directories above it, the outermost first */
  files?: unknown[];
  /** all checks, in order */
  checks?: GateCheckResultChecksItem[];
  /** processor time of the commands that were run */
  cpu_ms?: number;
  /** all facts that were needed, by name; null: not known */
  facts?: Record<string, unknown>;
  /** changes to the real project, outside of boxes, since the box or snapshot was made */
  drift?: GateCheckResultDrift;
}

/** Store a goal and the steps to it */
export interface PlanCreateArgs {
  /** the goal, in words */
  goal: string;
  /** run, test, build, format, lint or bench, or a shell command; in order */
  step: string[];
  /** run the steps in this box, which keeps their changes; default: each in a box of its own */
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
  /** of that run */
  exit_code?: number | null;
  /** why there was no run */
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
  /** open, running, failed (a step failed) or done */
  state?: string;
  /** id of the box its steps run in; null: each in a box of its own */
  box?: string | null;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in order */
  steps?: PlanCreateResultStepsItem[];
}

/** List plans */
export interface PlanLsArgs {
  /** only plans whose goal or steps contain this text */
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
  /** of that run */
  exit_code?: number | null;
  /** why there was no run */
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
  /** open, running, failed (a step failed) or done */
  state?: string;
  /** id of the box its steps run in; null: each in a box of its own */
  box?: string | null;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in order */
  steps?: PlanLsResultPlansItemStepsItem[];
}

/** What plan.ls gives. */
export interface PlanLsResult {
  /** newest first */
  plans?: PlanLsResultPlansItem[];
}

/** Show a plan and its progress */
export interface PlanShowArgs {
  /** plan id; a prefix is enough */
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
  /** of that run */
  exit_code?: number | null;
  /** why there was no run */
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
  /** open, running, failed (a step failed) or done */
  state?: string;
  /** id of the box its steps run in; null: each in a box of its own */
  box?: string | null;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in order */
  steps?: PlanShowResultStepsItem[];
}

/** Run the next step of a plan */
export interface PlanStepArgs {
  /** plan id; a prefix is enough */
  plan: string;
  /** run it in this box; default: the plan's */
  box?: string;
  /** end the step after this time; 0: never */
  timeout?: string | number;
  /** repeat the step that failed */
  again?: boolean;
  /** continue without the step that failed */
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
  /** of that run */
  exit_code?: number | null;
  /** why there was no run */
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
  /** open, running, failed (a step failed) or done */
  state?: string;
  /** id of the box its steps run in; null: each in a box of its own */
  box?: string | null;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in order */
  steps?: PlanStepResultStepsItem[];
  /** the step that was run; null: the last one was skipped */
  did?: number | null;
  /** as in the result of run or, for an intent, of do */
  result?: Record<string, unknown> | null;
}

/** Remove plans */
export interface PlanRmArgs {
  /** plan ids; a prefix of each is enough */
  plans: string[];
}

/** What plan.rm gives. */
export interface PlanRmResult {
  /** ids */
  removed?: unknown[];
}

/** Try several approaches at once, each in its own box, and keep the best */
export interface ExperimentTryArgs {
  /** where to start; default: the project as it is */
  box?: string;
  /** shell command that must succeed; default: the project's own test command */
  test?: string;
  /** which branch wins: the best of all that pass (default), or the first that passes; all: only compare */
  mode?: "first" | "best" | "all";
  /** as defined in the project's aisbx.yaml; options override it */
  experiment?: string;
  /** must hold as well: a gate of the project's aisbx.yaml, an intent or an expression; can be repeated */
  gate?: string[];
  /** expression to compare branches by: facts as in gates; default: the time of the test */
  score?: string;
  /** whether the lowest (default) or the highest score is best */
  prefer?: "least" | "most";
  /** run the test K times; a branch that fails any of them does not pass */
  repeat?: number;
  /** stop all branches after this time */
  "budget-time"?: string | number;
  /** stop all branches when together they have used this much processor time */
  "budget-cpu"?: string | number;
  /** start at most this many runs: commands and tests of all branches */
  "budget-runs"?: number;
  /** run at most N branches at once; default: all */
  parallel?: number;
  /** promote the winner, through the project's stages if there are any */
  promote?: boolean;
  /** keep the boxes of the other branches, too */
  keep?: boolean;
  /** names of the branches, in order; default: 1, 2, ... */
  name?: string[];
  /** what the boxes may do; default: as for run */
  profile?: string;
  /** directory that is cloned as writable into the boxes; default: the current one, or on the command line the project that it is in */
  project?: string;
  /** share a file or directory with all of them: changes affect the real one */
  rw?: string[];
  /** make a file or directory visible, read-only */
  ro?: string[];
  /** set a variable, or pass on the caller's value */
  env?: string[];
  /** give the box /run/secrets/NAME, from env:VARIABLE, file:PATH or cmd:COMMAND; with ,as=env appended, the variable NAME. It is removed from all output. With ,inject=HOST appended, the box gets only a placeholder, and requests to HOST get the secret on their way out */
  secret?: string[];
  /** what the box reaches: none, loopback (an interface of its own), allow (what the profile's rules name), ask (a person is asked about the rest), a preset (python-packages, npm, crates, go, maven, debian, github, github:OWNER/REPO[:read]) or a rule such as github.com:443 */
  net?: string[];
  /** end the run after this time; 0: never */
  timeout?: string | number;
  /** maximum number of processors, such as 2 or 0.5; 0: all */
  cpu?: number;
  /** processor time of all processes together */
  "cpu-time"?: string | number;
  /** memory of all processes together, including files in memory; 0: no limit */
  mem?: string | number;
  /** bytes that the box may write */
  disk?: string | number;
  /** files, directories and links that the box may make */
  inodes?: number;
  /** bytes of one file */
  "file-size"?: string | number;
  /** processes and threads at once */
  pids?: number;
  /** open files per process */
  files?: number;
  /** bytes of each output stream that are passed on; with --json stored in the result (default 4m) */
  output?: string | number;
  /** instructions that a WebAssembly program may execute; only with the driver wasm; 0: no limit */
  fuel?: number;
  /** do not start the project's services */
  "no-services"?: boolean;
  /** shell commands, one for each branch */
  branches?: string[];
  /** approaches: one word is a shell command, several are a command and its arguments; '--' separates them */
  command?: string[];
}

export interface ExperimentTryResultBranchesItem {
  /** position on the command line, from 1 */
  n?: number;
  /** as given, or its position */
  name?: string;
  /** as given */
  command?: string;
  /** its box; null: removed */
  box?: string | null;
  /** snapshot of the box that was judged */
  snapshot?: string | null;
  /** winner, passed, failed, flaky (passed some of its tests), stopped or waiting */
  state?: string;
  /** rank among those that passed, from 1 */
  rank?: number | null;
  /** run ids: the command, then the tests */
  runs?: unknown[];
  /** time from start to end */
  wall_ms?: number;
  /** of all its runs */
  cpu_ms?: number;
  /** peak memory of its runs, bytes */
  mem_peak?: number;
  /** numbers of passed, failed and skipped tests, if the runner reports them */
  tests?: Record<string, unknown> | null;
  /** numbers of created, modified and deleted files */
  changes?: Record<string, unknown> | null;
  /** value it is compared by: --score, or the milliseconds of its test */
  score?: number | null;
  /** how many of its tests passed: 3/3 */
  passed_of?: string | null;
  /** why it did not win; may be empty */
  why?: string;
  /** last lines of its last run's output */
  stdout_tail?: string;
  /** as stdout_tail */
  stderr_tail?: string;
}

export interface ExperimentTryResultDiffersItem {
  /** the best branch */
  branch?: string;
  /** the other */
  against?: string;
  /** paths that differ, relative to the project, at most 50 */
  files?: unknown[];
  /** number of further paths */
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
  /** those that passed first, by rank */
  branches?: ExperimentTryResultBranchesItem[];
  /** how the best differs from each other branch that passed */
  differs?: ExperimentTryResultDiffersItem[];
  /** with --promote: as in the result of promote */
  promotion?: Record<string, unknown> | null;
  /** with --promote in a project with stages: as in the result of pipeline run */
  pipeline?: Record<string, unknown> | null;
  /** of all branches */
  wall_ms?: number;
}

/** Make boxes for different approaches, to be judged when they are ready */
export interface ExperimentOpenArgs {
  /** where to start; default: the project as it is */
  box?: string;
  /** shell command that must succeed; default: the project's own test command */
  test?: string;
  /** which branch wins: the best of all that pass (default), or the first that passes; all: only compare */
  mode?: "first" | "best" | "all";
  /** as defined in the project's aisbx.yaml; options override it */
  experiment?: string;
  /** must hold as well: a gate of the project's aisbx.yaml, an intent or an expression; can be repeated */
  gate?: string[];
  /** expression to compare branches by: facts as in gates; default: the time of the test */
  score?: string;
  /** whether the lowest (default) or the highest score is best */
  prefer?: "least" | "most";
  /** run the test K times; a branch that fails any of them does not pass */
  repeat?: number;
  /** number of boxes; default 2 */
  count?: number;
  /** names of the branches, in order; default: 1, 2, ... */
  name?: string[];
  /** what the boxes may do; default: as for run */
  profile?: string;
  /** directory that is cloned as writable into the boxes; default: the current one, or on the command line the project that it is in */
  project?: string;
}

export interface ExperimentOpenResultBranchesItem {
  /** position on the command line, from 1 */
  n?: number;
  /** as given, or its position */
  name?: string;
  /** as given */
  command?: string;
  /** its box; null: removed */
  box?: string | null;
  /** snapshot of the box that was judged */
  snapshot?: string | null;
  /** winner, passed, failed, flaky (passed some of its tests), stopped or waiting */
  state?: string;
  /** rank among those that passed, from 1 */
  rank?: number | null;
  /** run ids: the command, then the tests */
  runs?: unknown[];
  /** time from start to end */
  wall_ms?: number;
  /** of all its runs */
  cpu_ms?: number;
  /** peak memory of its runs, bytes */
  mem_peak?: number;
  /** numbers of passed, failed and skipped tests, if the runner reports them */
  tests?: Record<string, unknown> | null;
  /** numbers of created, modified and deleted files */
  changes?: Record<string, unknown> | null;
  /** value it is compared by: --score, or the milliseconds of its test */
  score?: number | null;
  /** how many of its tests passed: 3/3 */
  passed_of?: string | null;
  /** why it did not win; may be empty */
  why?: string;
  /** last lines of its last run's output */
  stdout_tail?: string;
  /** as stdout_tail */
  stderr_tail?: string;
}

/** What experiment.open gives. */
export interface ExperimentOpenResult {
  /** its id */
  experiment?: string;
  /** name in aisbx.yaml; empty: none */
  name?: string;
  /** first, best or all */
  mode?: string;
  /** running, open, or its outcome: won, none, compared, budget, interrupted, error */
  state?: string;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** name of the branch */
  winner?: string | null;
  /** the winner's box */
  box?: string | null;
  /** in the given order, or ranked after the end */
  branches?: ExperimentOpenResultBranchesItem[];
}

/** Judge a branch of an open experiment */
export interface ExperimentReadyArgs {
  /** experiment id; a prefix is enough */
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
  /** its test passed every time */
  passed?: boolean;
  /** with mode first: it was the first to pass, and the experiment has ended */
  won?: boolean;
  /** why it did not pass */
  why?: string;
  /** as a branch in the result of try */
  record?: Record<string, unknown>;
  /** if it won: as in the result of experiment end */
  ended?: Record<string, unknown> | null;
}

/** Show an experiment and its branches */
export interface ExperimentShowArgs {
  /** experiment id; a prefix is enough */
  experiment: string;
}

export interface ExperimentShowResultBranchesItem {
  /** position on the command line, from 1 */
  n?: number;
  /** as given, or its position */
  name?: string;
  /** as given */
  command?: string;
  /** its box; null: removed */
  box?: string | null;
  /** snapshot of the box that was judged */
  snapshot?: string | null;
  /** winner, passed, failed, flaky (passed some of its tests), stopped or waiting */
  state?: string;
  /** rank among those that passed, from 1 */
  rank?: number | null;
  /** run ids: the command, then the tests */
  runs?: unknown[];
  /** time from start to end */
  wall_ms?: number;
  /** of all its runs */
  cpu_ms?: number;
  /** peak memory of its runs, bytes */
  mem_peak?: number;
  /** numbers of passed, failed and skipped tests, if the runner reports them */
  tests?: Record<string, unknown> | null;
  /** numbers of created, modified and deleted files */
  changes?: Record<string, unknown> | null;
  /** value it is compared by: --score, or the milliseconds of its test */
  score?: number | null;
  /** how many of its tests passed: 3/3 */
  passed_of?: string | null;
  /** why it did not win; may be empty */
  why?: string;
  /** last lines of its last run's output */
  stdout_tail?: string;
  /** as stdout_tail */
  stderr_tail?: string;
}

/** What experiment.show gives. */
export interface ExperimentShowResult {
  /** its id */
  experiment?: string;
  /** name in aisbx.yaml; empty: none */
  name?: string;
  /** first, best or all */
  mode?: string;
  /** running, open, or its outcome: won, none, compared, budget, interrupted, error */
  state?: string;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** name of the branch */
  winner?: string | null;
  /** the winner's box */
  box?: string | null;
  /** in the given order, or ranked after the end */
  branches?: ExperimentShowResultBranchesItem[];
}

/** List experiments */
export interface ExperimentLsArgs {
  /** maximum number; default 20 */
  limit?: number;
}

export interface ExperimentLsResultExperimentsItemBranchesItem {
  /** position on the command line, from 1 */
  n?: number;
  /** as given, or its position */
  name?: string;
  /** as given */
  command?: string;
  /** its box; null: removed */
  box?: string | null;
  /** snapshot of the box that was judged */
  snapshot?: string | null;
  /** winner, passed, failed, flaky (passed some of its tests), stopped or waiting */
  state?: string;
  /** rank among those that passed, from 1 */
  rank?: number | null;
  /** run ids: the command, then the tests */
  runs?: unknown[];
  /** time from start to end */
  wall_ms?: number;
  /** of all its runs */
  cpu_ms?: number;
  /** peak memory of its runs, bytes */
  mem_peak?: number;
  /** numbers of passed, failed and skipped tests, if the runner reports them */
  tests?: Record<string, unknown> | null;
  /** numbers of created, modified and deleted files */
  changes?: Record<string, unknown> | null;
  /** value it is compared by: --score, or the milliseconds of its test */
  score?: number | null;
  /** how many of its tests passed: 3/3 */
  passed_of?: string | null;
  /** why it did not win; may be empty */
  why?: string;
  /** last lines of its last run's output */
  stdout_tail?: string;
  /** as stdout_tail */
  stderr_tail?: string;
}

export interface ExperimentLsResultExperimentsItem {
  /** its id */
  experiment?: string;
  /** name in aisbx.yaml; empty: none */
  name?: string;
  /** first, best or all */
  mode?: string;
  /** running, open, or its outcome: won, none, compared, budget, interrupted, error */
  state?: string;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** name of the branch */
  winner?: string | null;
  /** the winner's box */
  box?: string | null;
  /** in the given order, or ranked after the end */
  branches?: ExperimentLsResultExperimentsItemBranchesItem[];
}

/** What experiment.ls gives. */
export interface ExperimentLsResult {
  /** newest first */
  experiments?: ExperimentLsResultExperimentsItem[];
}

/** End an open experiment: the best branch that passed wins */
export interface ExperimentEndArgs {
  /** experiment id; a prefix is enough */
  experiment: string;
  /** promote the winner, through the project's stages if there are any */
  promote?: boolean;
  /** keep the boxes of the other branches, too */
  keep?: boolean;
}

export interface ExperimentEndResultBranchesItem {
  /** position on the command line, from 1 */
  n?: number;
  /** as given, or its position */
  name?: string;
  /** as given */
  command?: string;
  /** its box; null: removed */
  box?: string | null;
  /** snapshot of the box that was judged */
  snapshot?: string | null;
  /** winner, passed, failed, flaky (passed some of its tests), stopped or waiting */
  state?: string;
  /** rank among those that passed, from 1 */
  rank?: number | null;
  /** run ids: the command, then the tests */
  runs?: unknown[];
  /** time from start to end */
  wall_ms?: number;
  /** of all its runs */
  cpu_ms?: number;
  /** peak memory of its runs, bytes */
  mem_peak?: number;
  /** numbers of passed, failed and skipped tests, if the runner reports them */
  tests?: Record<string, unknown> | null;
  /** numbers of created, modified and deleted files */
  changes?: Record<string, unknown> | null;
  /** value it is compared by: --score, or the milliseconds of its test */
  score?: number | null;
  /** how many of its tests passed: 3/3 */
  passed_of?: string | null;
  /** why it did not win; may be empty */
  why?: string;
  /** last lines of its last run's output */
  stdout_tail?: string;
  /** as stdout_tail */
  stderr_tail?: string;
}

/** What experiment.end gives. */
export interface ExperimentEndResult {
  /** its id */
  experiment?: string;
  /** name in aisbx.yaml; empty: none */
  name?: string;
  /** first, best or all */
  mode?: string;
  /** running, open, or its outcome: won, none, compared, budget, interrupted, error */
  state?: string;
  /** directory it was made in */
  project?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** name of the branch */
  winner?: string | null;
  /** the winner's box */
  box?: string | null;
  /** in the given order, or ranked after the end */
  branches?: ExperimentEndResultBranchesItem[];
  /** as in the result of try */
  differs?: unknown[];
  /** with --promote: as in the result of promote */
  promotion?: Record<string, unknown> | null;
  /** with --promote in a project with stages: as in the result of pipeline run */
  pipeline?: Record<string, unknown> | null;
}

/** Make a box: a clone of this machine that keeps its changes */
export interface BoxCreateArgs {
  /** what it starts from: this machine (default), an image or a template of that name, or a box, which is forked; image:NAME, template:NAME and box:NAME say which. A box from an image has a project only with --project or --here */
  from?: string;
  /** of an ordinary user's box on an image: one (default), where every file is yours, or sub, where files belong to whom the image says, by your subordinate ids */
  ids?: "one" | "sub";
  /** bring the image from its registry if it is not here, as 'image pull' does */
  pull?: boolean;
  /** take over this box, which an ended session left */
  take?: string;
  /** directory that is writable in the box; default: the current one, or on the command line the project that it is in */
  project?: string;
  /** what its runs may do: a name that 'aisbx profile ls' lists, or a file (with a '/'); default: $AISBX_PROFILE, or dev */
  profile?: string;
  /** lifetime: after it runs in the box end, and gc removes the box */
  ttl?: string | number;
  /** give every run in it this secret, read again each time; as in run */
  secret?: string[];
  /** a variable that every command in it gets, or the caller's value; 'aisbx show' tells only names */
  env?: string[];
  /** note this of it, for 'aisbx ls --metadata' */
  metadata?: string[];
  /** what its runs may reach, each of which can add to it; as in run */
  net?: string[];
  /** share it with other sessions and tokens, too; a person has access to all boxes */
  shared?: boolean;
  /** give it a copy of the project as it is now, so that later changes outside do not show; copying takes time */
  pin?: boolean;
  /** take a snapshot after each run that changed something */
  autosnap?: boolean;
  /** its runs do not see the caches of package managers and compilers in the home directory */
  "no-caches"?: boolean;
  /** record every run in it, as 'run --record' does */
  record?: boolean;
  /** name; default: two words */
  name?: string;
}

export interface BoxCreateResultPin {
  /** when it was made; later changes outside are not in it; milliseconds since 1970 */
  since_ms?: number;
  /** files, directories and links copied */
  files?: number;
  /** bytes in these files */
  bytes?: number;
  /** the copy takes no space of its own: the file system shares the data */
  shared?: boolean;
  /** files and directories that could not be read: they are empty in the copy */
  unreadable?: number;
}

export interface BoxCreateResultSecretFilesItem {
  /** in the project; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** so many values */
  values?: number;
}

/** What box.create gives. */
export interface BoxCreateResult {
  /** box id; never changes */
  id?: string;
  /** can be changed */
  name?: string;
  /** directory of the host that it clones as writable */
  project?: string | null;
  /** id of the image that it stands on; null: this machine */
  image?: string | null;
  /** profile of its runs, unless they choose another */
  profile?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** number of snapshots */
  snapshots?: number;
  /** a snapshot after each run that changed something */
  autosnap?: boolean;
  /** the session or token that made it; null: a person */
  owner?: string | null;
  /** others than its owner have access, too */
  shared?: boolean;
  /** with pin: the copy of the project */
  pin?: BoxCreateResultPin;
  /** only present if there are any: files of the project with values that look like secrets; these are removed from the output of its runs, and stop a promotion */
  secret_files?: BoxCreateResultSecretFilesItem[];
  /** only present if there are any: values beyond the first 48 */
  secrets_not_looked_for?: number;
}

/** List boxes */
export interface BoxLsArgs {
  /** only boxes of which this was noted; several: all of it */
  metadata?: string[];
}

export interface BoxLsResultBoxesItem {
  /** box id; never changes */
  id?: string;
  /** can be changed */
  name?: string;
  /** directory of the host that it clones as writable */
  project?: string | null;
  /** id of the image that it stands on; null: this machine */
  image?: string | null;
  /** profile of its runs, unless they choose another */
  profile?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** number of snapshots */
  snapshots?: number;
  /** a snapshot after each run that changed something */
  autosnap?: boolean;
  /** the session or token that made it; null: a person */
  owner?: string | null;
  /** others than its owner have access, too */
  shared?: boolean;
  /** what was noted of it when it was made: texts by their keys */
  metadata?: Record<string, unknown>;
  /** there, moved (found elsewhere), replaced (another directory has its name) or missing */
  project_is?: string;
  /** where the project is now, if it was moved */
  project_now?: string | null;
  /** only on the command line: it is the current box */
  current?: boolean;
}

export interface BoxLsResultLeftItem {
  /** box id */
  id?: string;
  /** its name there */
  name?: string;
  /** as of a box */
  project?: string | null;
  /** number of snapshots */
  snapshots?: number;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** the session that made it */
  owner?: string;
}

/** What box.ls gives. */
export interface BoxLsResult {
  /** oldest first */
  boxes?: BoxLsResultBoxesItem[];
  /** only if there are any: boxes of ended sessions of the same token, which box.take takes over */
  left?: BoxLsResultLeftItem[];
  /** only on the command line, and without --all: boxes of other projects */
  others?: number;
}

/** Show one box and its snapshots */
export interface BoxShowArgs {
  /** name or id of the box */
  box: string;
  /** list what changed in the real project since the box was made */
  stale?: boolean;
  /** time limit for the search for changes in the real project; default: 300ms */
  drift?: string;
}

export interface BoxShowResultSnapshotListItem {
  /** snapshot id */
  id?: string;
  /** snapshot id */
  name?: string;
  /** id of the box */
  box?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** aisbx took it automatically */
  automatic?: boolean;
}

export interface BoxShowResultPolicy {
  /** capabilities; null: it says nothing about them */
  caps?: unknown[] | null;
  /** preset of system calls; null: it says nothing */
  seccomp?: string | null;
  /** none, loopback or any; null: it says nothing */
  net?: string | null;
}

export interface BoxShowResultStaleItem {
  /** relative to the project; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
}

export interface BoxShowResultDriftFilesItem {
  /** relative to the project; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** deleted, renamed, changed, added, lost or touched */
  kind?: string;
  /** previous name, if it was renamed */
  from?: string | null;
  /** the box changed it, too */
  both?: boolean;
}

export interface BoxShowResultDrift {
  /** compared with: box, snapshot or pin */
  of?: string;
  /** when that was made, in milliseconds since 1970 */
  since_ms?: number;
  /** modified files; also new ones, where aisbx has no list of the names there were */
  changed?: number;
  /** new files */
  added?: number;
  /** deleted files and directories */
  deleted?: number;
  /** renamed files and directories */
  renamed?: number;
  /** directories from which something was removed, but it is not known what */
  lost?: number;
  /** with other permissions, owner, links or times; if the box changed them, too: with the same content */
  touched?: number;
  /** changes that are not listed because git ignores the files */
  ignored?: number;
  /** files and directories examined */
  looked?: number;
  /** false: the time limit was reached, or the clock was set back */
  complete?: boolean;
  /** the clock is behind the time at which the box was made: few changes can be detected */
  clock_back?: boolean;
  /** git branch, if it is a different one now */
  branch?: string | null;
  /** git branch when the box was made */
  was?: string | null;
  /** the first 100; those that the box changed, too, come first */
  files?: BoxShowResultDriftFilesItem[];
  /** why changes could not be detected */
  error?: string;
}

/** What box.show gives. */
export interface BoxShowResult {
  /** box id; never changes */
  id?: string;
  /** can be changed */
  name?: string;
  /** directory of the host that it clones as writable */
  project?: string | null;
  /** id of the image that it stands on; null: this machine */
  image?: string | null;
  /** profile of its runs, unless they choose another */
  profile?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** number of snapshots */
  snapshots?: number;
  /** a snapshot after each run that changed something */
  autosnap?: boolean;
  /** the session or token that made it; null: a person */
  owner?: string | null;
  /** others than its owner have access, too */
  shared?: boolean;
  /** what was noted of it when it was made: texts by their keys */
  metadata?: Record<string, unknown>;
  /** names of the variables that its commands get; values are not shown */
  variables?: unknown[];
  /** there, moved (found elsewhere), replaced (another directory has its name) or missing */
  project_is?: string;
  /** where the project is now, if it was moved */
  project_now?: string | null;
  /** when its copy of the project was made; null: it sees the real project */
  pinned_ms?: number | null;
  /** snapshots of the box, oldest first */
  snapshot_list?: BoxShowResultSnapshotListItem[];
  /** it was in use when the machine stopped: its changes since the last snapshot may be incomplete */
  torn?: boolean;
  /** what runs on this image have at most; null: it says nothing */
  policy?: BoxShowResultPolicy | null;
  /** with --stale: what changed outside of boxes since the box was made */
  stale?: BoxShowResultStaleItem[];
  /** changes to the real project, outside of boxes, since the box or snapshot was made */
  drift?: BoxShowResultDrift;
}

/** Make boxes that start from a box or one of its snapshots */
export interface BoxForkArgs {
  /** make N boxes: NAME-1, NAME-2, ... */
  count?: number;
  /** name; default: that of BOX with a number */
  name?: string;
  /** lifetime: after it runs in the box end, and gc removes the box */
  ttl?: string | number;
  /** share it with other sessions and tokens, too; a person has access to all boxes */
  shared?: boolean;
  /** where to start */
  from: string;
  /** time limit for the search for changes in the real project; default: 300ms */
  drift?: string;
}

export interface BoxForkResultBoxesItem {
  /** box id; never changes */
  id?: string;
  /** can be changed */
  name?: string;
  /** directory of the host that it clones as writable */
  project?: string | null;
  /** id of the image that it stands on; null: this machine */
  image?: string | null;
  /** profile of its runs, unless they choose another */
  profile?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** number of snapshots */
  snapshots?: number;
  /** a snapshot after each run that changed something */
  autosnap?: boolean;
  /** the session or token that made it; null: a person */
  owner?: string | null;
  /** others than its owner have access, too */
  shared?: boolean;
}

export interface BoxForkResultDriftFilesItem {
  /** relative to the project; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** deleted, renamed, changed, added, lost or touched */
  kind?: string;
  /** previous name, if it was renamed */
  from?: string | null;
  /** the box changed it, too */
  both?: boolean;
}

export interface BoxForkResultDrift {
  /** compared with: box, snapshot or pin */
  of?: string;
  /** when that was made, in milliseconds since 1970 */
  since_ms?: number;
  /** modified files; also new ones, where aisbx has no list of the names there were */
  changed?: number;
  /** new files */
  added?: number;
  /** deleted files and directories */
  deleted?: number;
  /** renamed files and directories */
  renamed?: number;
  /** directories from which something was removed, but it is not known what */
  lost?: number;
  /** with other permissions, owner, links or times; if the box changed them, too: with the same content */
  touched?: number;
  /** changes that are not listed because git ignores the files */
  ignored?: number;
  /** files and directories examined */
  looked?: number;
  /** false: the time limit was reached, or the clock was set back */
  complete?: boolean;
  /** the clock is behind the time at which the box was made: few changes can be detected */
  clock_back?: boolean;
  /** git branch, if it is a different one now */
  branch?: string | null;
  /** git branch when the box was made */
  was?: string | null;
  /** the first 100; those that the box changed, too, come first */
  files?: BoxForkResultDriftFilesItem[];
  /** why changes could not be detected */
  error?: string;
}

/** What box.fork gives. */
export interface BoxForkResult {
  /** the new boxes */
  boxes?: BoxForkResultBoxesItem[];
  /** changes to the real project, outside of boxes, since the box or snapshot was made */
  drift?: BoxForkResultDrift;
}

/** Take a snapshot of a box */
export interface BoxSnapArgs {
  /** box */
  box: string;
  /** name; default: its id */
  name?: string;
  /** also give the box a copy of the real project as it is now; it uses the copy from here on */
  pin?: boolean;
  /** even if the box was in use when the machine stopped: its files may be incomplete */
  "as-is"?: boolean;
}

export interface BoxSnapResultPin {
  /** when it was made; later changes outside are not in it; milliseconds since 1970 */
  since_ms?: number;
  /** files, directories and links copied */
  files?: number;
  /** bytes in these files */
  bytes?: number;
  /** the copy takes no space of its own: the file system shares the data */
  shared?: boolean;
  /** files and directories that could not be read: they are empty in the copy */
  unreadable?: number;
}

export interface BoxSnapResultDriftFilesItem {
  /** relative to the project; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** deleted, renamed, changed, added, lost or touched */
  kind?: string;
  /** previous name, if it was renamed */
  from?: string | null;
  /** the box changed it, too */
  both?: boolean;
}

export interface BoxSnapResultDrift {
  /** compared with: box, snapshot or pin */
  of?: string;
  /** when that was made, in milliseconds since 1970 */
  since_ms?: number;
  /** modified files; also new ones, where aisbx has no list of the names there were */
  changed?: number;
  /** new files */
  added?: number;
  /** deleted files and directories */
  deleted?: number;
  /** renamed files and directories */
  renamed?: number;
  /** directories from which something was removed, but it is not known what */
  lost?: number;
  /** with other permissions, owner, links or times; if the box changed them, too: with the same content */
  touched?: number;
  /** changes that are not listed because git ignores the files */
  ignored?: number;
  /** files and directories examined */
  looked?: number;
  /** false: the time limit was reached, or the clock was set back */
  complete?: boolean;
  /** the clock is behind the time at which the box was made: few changes can be detected */
  clock_back?: boolean;
  /** git branch, if it is a different one now */
  branch?: string | null;
  /** git branch when the box was made */
  was?: string | null;
  /** the first 100; those that the box changed, too, come first */
  files?: BoxSnapResultDriftFilesItem[];
  /** why changes could not be detected */
  error?: string;
}

/** What box.snap gives. */
export interface BoxSnapResult {
  /** snapshot id */
  id?: string;
  /** unique within its box */
  name?: string;
  /** id of the box */
  box?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** aisbx took it automatically */
  automatic?: boolean;
  /** with pin: the copy of the project */
  pin?: BoxSnapResultPin;
  /** changes to the real project, outside of boxes, since the box or snapshot was made */
  drift?: BoxSnapResultDrift;
}

/** Restore a snapshot of a box */
export interface BoxRollbackArgs {
  /** box */
  box: string;
  /** name or id */
  snapshot: string;
  /** time limit for the search for changes in the real project; default: 300ms */
  drift?: string;
}

export interface BoxRollbackResultDriftFilesItem {
  /** relative to the project; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** deleted, renamed, changed, added, lost or touched */
  kind?: string;
  /** previous name, if it was renamed */
  from?: string | null;
  /** the box changed it, too */
  both?: boolean;
}

export interface BoxRollbackResultDrift {
  /** compared with: box, snapshot or pin */
  of?: string;
  /** when that was made, in milliseconds since 1970 */
  since_ms?: number;
  /** modified files; also new ones, where aisbx has no list of the names there were */
  changed?: number;
  /** new files */
  added?: number;
  /** deleted files and directories */
  deleted?: number;
  /** renamed files and directories */
  renamed?: number;
  /** directories from which something was removed, but it is not known what */
  lost?: number;
  /** with other permissions, owner, links or times; if the box changed them, too: with the same content */
  touched?: number;
  /** changes that are not listed because git ignores the files */
  ignored?: number;
  /** files and directories examined */
  looked?: number;
  /** false: the time limit was reached, or the clock was set back */
  complete?: boolean;
  /** the clock is behind the time at which the box was made: few changes can be detected */
  clock_back?: boolean;
  /** git branch, if it is a different one now */
  branch?: string | null;
  /** git branch when the box was made */
  was?: string | null;
  /** the first 100; those that the box changed, too, come first */
  files?: BoxRollbackResultDriftFilesItem[];
  /** why changes could not be detected */
  error?: string;
}

/** What box.rollback gives. */
export interface BoxRollbackResult {
  /** its name */
  box?: string;
  /** snapshot that was restored */
  snapshot?: string;
  /** changes to the real project, outside of boxes, since the box or snapshot was made */
  drift?: BoxRollbackResultDrift;
}

/** Show boxes and snapshots as a tree */
export interface BoxTreeArgs {
}

export interface BoxTreeResultBoxesItem {
  /** box id; never changes */
  id?: string;
  /** can be changed */
  name?: string;
  /** directory of the host that it clones as writable */
  project?: string | null;
  /** id of the image that it stands on; null: this machine */
  image?: string | null;
  /** profile of its runs, unless they choose another */
  profile?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** number of snapshots */
  snapshots?: number;
  /** a snapshot after each run that changed something */
  autosnap?: boolean;
  /** the session or token that made it; null: a person */
  owner?: string | null;
  /** others than its owner have access, too */
  shared?: boolean;
  /** id of its parent snapshot; null: the machine as it is */
  on?: string | null;
}

export interface BoxTreeResultSnapshotsItem {
  /** snapshot id */
  id?: string;
  /** unique within its box */
  name?: string;
  /** id of the box */
  box?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** aisbx took it automatically */
  automatic?: boolean;
  /** id of its parent snapshot; null: the machine as it is */
  parent?: string | null;
}

/** What box.tree gives. */
export interface BoxTreeResult {
  /** every box */
  boxes?: BoxTreeResultBoxesItem[];
  /** only on the command line, and without --all: boxes of other projects */
  others?: number;
  /** every snapshot */
  snapshots?: BoxTreeResultSnapshotsItem[];
}

/** Rename a box, or tell it where its project is now */
export interface BoxRenameArgs {
  /** name or id of the box */
  box: string;
  /** new name */
  name?: string;
  /** directory of the project, if it was moved or renamed */
  project?: string;
}

/** What box.rename gives. */
export interface BoxRenameResult {
  /** box id */
  id?: string;
  /** new name */
  name?: string;
  /** directory of the project after this */
  project?: string | null;
}

/** Change the lifetime of a box */
export interface BoxRenewArgs {
  /** name or id of the box */
  box: string;
  /** time from now; 0: never expires */
  ttl: string | number;
}

/** What box.renew gives. */
export interface BoxRenewResult {
  /** box id; never changes */
  id?: string;
  /** can be changed */
  name?: string;
  /** directory of the host that it clones as writable */
  project?: string | null;
  /** id of the image that it stands on; null: this machine */
  image?: string | null;
  /** profile of its runs, unless they choose another */
  profile?: string;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** number of snapshots */
  snapshots?: number;
  /** a snapshot after each run that changed something */
  autosnap?: boolean;
  /** the session or token that made it; null: a person */
  owner?: string | null;
  /** others than its owner have access, too */
  shared?: boolean;
}

/** Remove boxes with their changes and snapshots */
export interface BoxRmArgs {
  /** end what runs in them */
  kill?: boolean;
  /** names or ids */
  boxes: string[];
}

/** What box.rm gives. */
export interface BoxRmResult {
  /** names of the removed boxes */
  removed?: unknown[];
}

/** List the languages that can be added for the driver wasm */
export interface LangListArgs {
}

export interface LangListResultLanguagesItemPackagesItem {
  /** name of the package */
  name?: string;
  /** its version */
  version?: string;
  /** of its archive; anything else is refused */
  sha256?: string;
}

export interface LangListResultLanguagesItem {
  /** its name */
  name?: string;
  /** as run-code has it */
  language?: string;
  /** what it is, and what it lacks */
  about?: string;
  /** of what is fetched */
  licence?: string;
  /** what is fetched */
  packages?: LangListResultLanguagesItemPackagesItem[];
  /** it is on this machine */
  added?: boolean;
  /** bytes on disk */
  size?: number | null;
  /** its file */
  path?: string | null;
}

/** What lang.list gives. */
export interface LangListResult {
  /** all that aisbx knows */
  languages?: LangListResultLanguagesItem[];
}

/** Keep a prepared box under a name, to make others from */
export interface TemplateSaveArgs {
  /** also keep the box's changes of its project; the template is for that project only, then */
  "with-project"?: boolean;
  /** sessions of agents may use it, too; a person can use all */
  shared?: boolean;
  /** lifetime: after it the template cannot be used, and gc removes it */
  ttl?: string | number;
  /** instead of a template of that name; its boxes stay as they are */
  replace?: boolean;
  /** box that is ready to be used */
  box: string;
  /** name of the template */
  name: string;
}

export interface TemplateSaveResultPulled {
  /** where it came from */
  reference?: string;
  /** SHA-256 of its manifest */
  digest?: string;
  /** profile that it had */
  profile?: string | null;
  /** what its boxes could reach; give it with --net */
  net?: unknown[];
  /** recipe that it was built by there */
  recipe?: string | null;
  /** SHA-256 of recipe, lock and base there */
  lock?: string | null;
}

/** What template.save gives. */
export interface TemplateSaveResult {
  /** its name; OWNER/NAME if it belongs to another */
  name?: string;
  /** the session or token that made it; null: a person */
  owner?: string | null;
  /** profile of its boxes, unless another is chosen */
  profile?: string;
  /** image that it stands on; null: this machine */
  image?: string | null;
  /** project whose changes it has, too; null: of none */
  project?: string | null;
  /** what its boxes may reach, as for --net */
  net?: unknown[];
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** sessions of agents may use it, too */
  shared?: boolean;
  /** recipe that it was built by; null: saved or pulled */
  recipe?: string | null;
  /** what came with it from a registry: nothing of it is granted; null: made here */
  pulled?: TemplateSaveResultPulled | null;
}

/** List templates */
export interface TemplateLsArgs {
}

export interface TemplateLsResultTemplatesItemPulled {
  /** where it came from */
  reference?: string;
  /** SHA-256 of its manifest */
  digest?: string;
  /** profile that it had */
  profile?: string | null;
  /** what its boxes could reach; give it with --net */
  net?: unknown[];
  /** recipe that it was built by there */
  recipe?: string | null;
  /** SHA-256 of recipe, lock and base there */
  lock?: string | null;
}

export interface TemplateLsResultTemplatesItem {
  /** its name; OWNER/NAME if it belongs to another */
  name?: string;
  /** the session or token that made it; null: a person */
  owner?: string | null;
  /** profile of its boxes, unless another is chosen */
  profile?: string;
  /** image that it stands on; null: this machine */
  image?: string | null;
  /** project whose changes it has, too; null: of none */
  project?: string | null;
  /** what its boxes may reach, as for --net */
  net?: unknown[];
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** sessions of agents may use it, too */
  shared?: boolean;
  /** recipe that it was built by; null: saved or pulled */
  recipe?: string | null;
  /** what came with it from a registry: nothing of it is granted; null: made here */
  pulled?: TemplateLsResultTemplatesItemPulled | null;
}

/** What template.ls gives. */
export interface TemplateLsResult {
  /** by name */
  templates?: TemplateLsResultTemplatesItem[];
}

/** Remove a template */
export interface TemplateRmArgs {
  /** name of the template */
  template: string;
}

/** What template.rm gives. */
export interface TemplateRmResult {
  /** of the removed template */
  name?: string;
}

/** Send a template to a registry */
export interface TemplatePushArgs {
  /** name of the template */
  template: string;
  /** where to: REGISTRY/REPOSITORY:TAG */
  reference: string;
}

/** What template.push gives. */
export interface TemplatePushResult {
  /** SHA-256 of its manifest */
  digest?: string;
  /** the full reference that it has there */
  to?: string;
  /** blobs that were sent */
  sent?: number;
  /** blobs that the registry had already */
  there?: number;
}

/** Bring a template from a registry */
export interface TemplatePullArgs {
  /** what it is called here; default: as it was called there */
  name?: string;
  /** sessions of agents may use it, too; a person can use all */
  shared?: boolean;
  /** instead of a template of that name; its boxes stay as they are */
  replace?: boolean;
  /** [REGISTRY/]REPOSITORY[:TAG][@DIGEST] */
  reference: string;
}

export interface TemplatePullResultPulled {
  /** where it came from */
  reference?: string;
  /** SHA-256 of its manifest */
  digest?: string;
  /** profile that it had */
  profile?: string | null;
  /** what its boxes could reach; give it with --net */
  net?: unknown[];
  /** recipe that it was built by there */
  recipe?: string | null;
  /** SHA-256 of recipe, lock and base there */
  lock?: string | null;
}

/** What template.pull gives. */
export interface TemplatePullResult {
  /** its name; OWNER/NAME if it belongs to another */
  name?: string;
  /** the session or token that made it; null: a person */
  owner?: string | null;
  /** profile of its boxes, unless another is chosen */
  profile?: string;
  /** image that it stands on; null: this machine */
  image?: string | null;
  /** project whose changes it has, too; null: of none */
  project?: string | null;
  /** what its boxes may reach, as for --net */
  net?: unknown[];
  /** milliseconds since 1970 */
  created_ms?: number;
  /** when gc removes it */
  expires_ms?: number | null;
  /** sessions of agents may use it, too */
  shared?: boolean;
  /** recipe that it was built by; null: saved or pulled */
  recipe?: string | null;
  /** what came with it from a registry: nothing of it is granted; null: made here */
  pulled?: TemplatePullResultPulled | null;
}

/** Remove expired boxes and unused layers */
export interface BoxGcArgs {
  /** also store equal files of different snapshots, images and templates once; boxes see such a file with a higher link count */
  share?: boolean;
}

/** What box.gc gives. */
export interface BoxGcResult {
  /** expired boxes removed */
  expired?: number;
  /** layers removed because no box needed them */
  layers?: number;
  /** promotions that can no longer be undone */
  promotions?: number;
  /** with share: bytes freed, since equal files are stored once */
  shared?: number;
  /** directories left by a crash, removed */
  leftovers?: number;
  /** blobs removed because no image needed them, and what was left of downloads */
  blobs?: number;
  /** images and blobs of which is not known what they need, because they are damaged: all blobs stay */
  unreadable?: number;
  /** layers, promotions and artifacts that the store has no record of: moved to 'lost' in the state directory */
  aside?: number;
  /** batches in 'lost' older than 30 days, removed */
  forgotten?: number;
  /** logs of detached runs removed: older than a week, or beyond 1 GiB; and kept outputs of projects that are gone, or beyond 1 GiB */
  logs?: number;
}

/** Show what boxes, snapshots and images take on disk */
export interface BoxDuArgs {
  /** box, BOX@SNAPSHOT, image or template; default: all of them */
  names?: string[];
}

export interface BoxDuResultItemsItem {
  /** box, snapshot, image or template */
  kind?: string;
  /** a snapshot: BOX@NAME */
  name?: string;
  /** empty for a template */
  id?: string;
  /** of all its layers on disk */
  bytes?: number;
  /** of these, what nothing else needs: removing it frees so much */
  own?: number;
  /** the rest */
  shared?: number;
  /** of an image: bytes of its blobs, compressed */
  blobs?: number;
  /** what stands on the same layers, at most 5 */
  with?: unknown[];
  /** how many there are */
  sharers?: number;
}

/** What box.du gives. */
export interface BoxDuResult {
  /** boxes, each with its snapshots; images; templates */
  items?: BoxDuResultItemsItem[];
  /** bytes of all layers on disk */
  layers?: number;
  /** bytes that equal files would take in addition if they were not stored once */
  saved?: number;
  /** bytes of all blobs of images on disk */
  blobs?: number;
  /** bytes of those blobs that are stored as chunks, equal chunks once */
  chunked?: number;
  /** bytes of these chunks on disk */
  chunks?: number;
  /** bytes that 'aisbx gc' would free */
  free?: number;
}

/** Show what a box changed */
export interface BoxDiffArgs {
  /** what to compare with the real project */
  box: string;
  /** compare the first with this one instead */
  other?: string;
  /** print a patch for 'git apply' or 'patch -p1'; binary files are only named */
  patch?: boolean;
  /** include files that git ignores */
  ignored?: boolean;
  /** count lines, as 'git diff --stat' does */
  stat?: boolean;
  /** list the changed files of the system, too: what a box of root, or from an image, changed outside of the project */
  system?: boolean;
  /** time limit for the search for changes in the real project; default: 300ms */
  drift?: string;
}

export interface BoxDiffResultSummary {
  /** only in the second */
  created?: number;
  /** different content */
  modified?: number;
  /** only in the first */
  deleted?: number;
  /** different file type */
  replaced?: number;
  /** different permissions, same content */
  mode?: number;
  /** different extended attributes, otherwise the same */
  xattr?: number;
}

export interface BoxDiffResultChangesItemOld {
  /** null if it is not UTF-8; its bytes are in target_hex then */
  target?: string | null;
}

export interface BoxDiffResultChangesItemNew {
  /** null if it is not UTF-8; its bytes are in target_hex then */
  target?: string | null;
}

export interface BoxDiffResultChangesItem {
  /** one of the kinds of the summary */
  kind?: string;
  /** relative to the project; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** file, directory, symlink, fifo, socket or device */
  type?: string;
  /** mode and size before, if it existed; target of a symlink */
  old?: BoxDiffResultChangesItemOld;
  /** mode and size after, if it exists; target of a symlink */
  new?: BoxDiffResultChangesItemNew;
  /** for a file: NUL in its first 8000 bytes; null if it cannot be read */
  binary?: boolean | null;
  /** with stat or patch: lines; null for files that are not text */
  added?: number | null;
  /** as for added */
  removed?: number | null;
}

export interface BoxDiffResultIgnored {
  /** files and links */
  files?: number;
  /** bytes in them */
  bytes?: number;
}

export interface BoxDiffResultRepositoriesItem {
  /** relative to the project; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
}

export interface BoxDiffResultStat {
  /** files and symlinks, without those that differ only in times or attributes */
  files?: number;
  /** lines */
  insertions?: number;
  /** lines */
  deletions?: number;
}

export interface BoxDiffResultSystemPackagesItem {
  /** its name */
  name?: string;
  /** installed, removed, upgraded, downgraded, configured or unpacked */
  change?: string;
  /** its version in the box; null: none */
  version?: string | null;
  /** its version on this machine; null: none */
  previous?: string | null;
  /** dpkg, apk or pip */
  manager?: string;
}

export interface BoxDiffResultSystemDirectoriesItem {
  /** how many */
  files?: number;
  /** such as /etc; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
}

export interface BoxDiffResultSystemChangesItem {
  /** as in changes */
  kind?: string;
  /** file, directory, symlink, fifo, socket or device */
  type?: string;
  /** it is not in files */
  noise?: boolean;
  /** absolute; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
}

export interface BoxDiffResultSystem {
  /** packages that differ */
  packages?: BoxDiffResultSystemPackagesItem[];
  /** new names in /etc/passwd */
  users?: unknown[];
  /** changed files, without noise */
  files?: number;
  /** logs, caches and notes of package managers: not in files */
  noise?: number;
  /** the files by place */
  directories?: BoxDiffResultSystemDirectoriesItem[];
  /** with system: the files */
  changes?: BoxDiffResultSystemChangesItem[];
  /** only if there are more than can be listed: how many */
  more?: Record<string, unknown>;
}

export interface BoxDiffResultDriftFilesItem {
  /** relative to the project; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** deleted, renamed, changed, added, lost or touched */
  kind?: string;
  /** previous name, if it was renamed */
  from?: string | null;
  /** the box changed it, too */
  both?: boolean;
}

export interface BoxDiffResultDrift {
  /** compared with: box, snapshot or pin */
  of?: string;
  /** when that was made, in milliseconds since 1970 */
  since_ms?: number;
  /** modified files; also new ones, where aisbx has no list of the names there were */
  changed?: number;
  /** new files */
  added?: number;
  /** deleted files and directories */
  deleted?: number;
  /** renamed files and directories */
  renamed?: number;
  /** directories from which something was removed, but it is not known what */
  lost?: number;
  /** with other permissions, owner, links or times; if the box changed them, too: with the same content */
  touched?: number;
  /** changes that are not listed because git ignores the files */
  ignored?: number;
  /** files and directories examined */
  looked?: number;
  /** false: the time limit was reached, or the clock was set back */
  complete?: boolean;
  /** the clock is behind the time at which the box was made: few changes can be detected */
  clock_back?: boolean;
  /** git branch, if it is a different one now */
  branch?: string | null;
  /** git branch when the box was made */
  was?: string | null;
  /** the first 100; those that the box changed, too, come first */
  files?: BoxDiffResultDriftFilesItem[];
  /** why changes could not be detected */
  error?: string;
}

/** What box.diff gives. */
export interface BoxDiffResult {
  /** directory that the paths are relative to; "/" of a box without a project, which stands on an image */
  project?: string;
  /** number of changes of each kind */
  summary?: BoxDiffResultSummary;
  /** sorted by path */
  changes?: BoxDiffResultChangesItem[];
  /** only if there are more than can be listed: for each shortened list, how many */
  more?: Record<string, unknown>;
  /** left out because git ignores it */
  ignored?: BoxDiffResultIgnored;
  /** git directories with changes; promote shows which */
  repositories?: BoxDiffResultRepositoriesItem[];
  /** with stat: sums */
  stat?: BoxDiffResultStat;
  /** with patch: the unified diff; bytes that are not UTF-8 become U+FFFD, so it may not apply */
  patch?: string;
  /** what a box of root changed outside of its project; null: nothing */
  system?: BoxDiffResultSystem | null;
  /** changes to the real project, outside of boxes, since the box or snapshot was made */
  drift?: BoxDiffResultDrift;
}

/** Make a new box with the changes of two boxes */
export interface BoxCombineArgs {
  /** the first box */
  box: string;
  /** the box whose changes are added to those of the first */
  other: string;
  /** name of the new box; default: that of the first with a number */
  name?: string;
  /** on conflicts: stop and make no box (default), keep the first box's version, or overwrite it */
  conflict?: "stop" | "keep" | "overwrite";
}

export interface BoxCombineResultChangesItem {
  /** relative to the target; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** what the box did: created, modified, deleted, replaced, mode, xattr or touched */
  kind?: string;
  /** file, directory, symlink, fifo, socket or device */
  type?: string;
  /** apply, merge or conflict */
  outcome?: string;
}

export interface BoxCombineResultConflictsItem {
  /** relative to the target; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** what the box did */
  box?: string;
  /** what changed on the other side meanwhile */
  host?: string;
  /** an explanation for people */
  reason?: string;
  /** the choice made with --conflict */
  resolution?: string;
}

/** What box.combine gives. */
export interface BoxCombineResult {
  /** the new box, as in show; null if there are conflicts */
  box?: Record<string, unknown> | null;
  /** a directory before what is in it */
  changes?: BoxCombineResultChangesItem[];
  /** each path once */
  conflicts?: BoxCombineResultConflictsItem[];
  /** only if there are more than can be listed: for each shortened list, how many */
  more?: Record<string, unknown>;
}

/** Make a git commit in a box */
export interface RepoCommitArgs {
  /** name or id */
  box: string;
  /** commit message */
  message: string;
  /** author of the commit; default: as in your own git configuration */
  author?: string;
  /** only what is staged in the box (git add) */
  staged?: boolean;
  /** only these, relative to the project; default: all changes */
  paths?: string[];
}

export interface RepoCommitResultFilesItem {
  /** added, modified, deleted, type or changed */
  change?: string;
  /** path in the repository; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
}

/** What repo.commit gives. */
export interface RepoCommitResult {
  /** commit id */
  commit?: string;
  /** branch of the commit; null: none */
  branch?: string | null;
  /** id of the run that made the commit */
  run?: string;
  /** files that the commit changes, compared with its parent */
  files?: RepoCommitResultFilesItem[];
  /** files beyond the first thousand */
  files_not_listed?: number;
}

/** Promote a box's changes into the real project */
export interface PromoteArgs {
  /** whose changes to promote */
  box: string;
  /** only these paths, with everything in them */
  paths?: string[];
  /** target directory, instead of the project */
  to?: string;
  /** one file or directory of the box, changed or not; --to gives the destination */
  artifact?: string;
  /** include files that git ignores: build products, caches, secrets in .env */
  ignored?: boolean;
  /** include branches and tags of its repositories that the box does not have checked out */
  refs?: boolean;
  /** merge the commits of both sides in a fork of the box, check the result by the gates, and promote it */
  merge?: boolean;
  /** as --merge, but rebase the box's commits onto the real ones */
  rebase?: boolean;
  /** promote what a box of root changed outside of its project into the system of this machine; only for root */
  system?: boolean;
  /** with --system: change nothing; print the commands that install the packages of the box here */
  packages?: boolean;
  /** only show what would be done */
  "dry-run"?: boolean;
  /** ask about each file and each part of a text; what is refused stays in the box */
  review?: boolean;
  /** for programs: promote only if the changes are those of the review with this digest */
  reviewed?: string;
  /** for programs: of that review only this item, by number, or only these parts: 5:1,3,m (m: its permissions) */
  accept?: string[];
  /** continue despite the traps that are shown */
  yes?: boolean;
  /** continue although this secret, which was given to the box with --secret, is in it */
  "allow-secret"?: string[];
  /** on conflicts: stop and change nothing (default), keep the real file, overwrite it, put the box's version beside it (both), mark the lines in it (mark) */
  conflict?: "stop" | "keep" | "overwrite" | "both" | "mark";
  /** time limit for the search for changes in the real project; default: 300ms */
  drift?: string;
}

export interface PromoteResultSummary {
  /** files and directories */
  created?: number;
  /** different content */
  modified?: number;
  /** deleted paths; a directory counts once */
  deleted?: number;
  /** different file type */
  replaced?: number;
  /** different permissions or owner, same content */
  mode?: number;
  /** different extended attributes, otherwise the same */
  xattr?: number;
  /** different time, otherwise the same */
  touched?: number;
  /** of these: changed on both sides, and merged */
  merged?: number;
  /** changed on both sides, and cannot be merged */
  conflicts?: number;
  /** changes that would run code later */
  traps?: number;
  /** places that contain a secret that was not allowed */
  secrets?: number;
}

export interface PromoteResultChangesItem {
  /** relative to the target; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** what the box did: created, modified, deleted, replaced, mode, xattr or touched */
  kind?: string;
  /** file, directory, symlink, fifo, socket or device */
  type?: string;
  /** apply, merge or conflict */
  outcome?: string;
}

export interface PromoteResultConflictsItem {
  /** relative to the target; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** what the box did */
  box?: string;
  /** what changed on the other side meanwhile */
  host?: string;
  /** an explanation for people */
  reason?: string;
  /** the choice made with --conflict */
  resolution?: string;
}

export interface PromoteResultTrapsItem {
  /** relative to the target; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** git-hook, git-config, editor, agent, tool, lifecycle, startup, ci, gate, setuid, symlink, capability or system */
  kind?: string;
  /** an explanation for people */
  why?: string;
}

export interface PromoteResultSecretsItem {
  /** relative to the target; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** name given with --secret */
  name?: string;
  /** plain, base64, hex, url-encoded or escaped */
  form?: string;
  /** named by --allow-secret */
  allowed?: boolean;
}

export interface PromoteResultStaleItem {
  /** relative to the target; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** what was done to it */
  host?: string;
}

export interface PromoteResultIgnored {
  /** files and links */
  files?: number;
  /** bytes in them */
  bytes?: number;
}

export interface PromoteResultBranchesItem {
  /** work tree, relative to the target; "" is the target; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** ref in the real repository: refs/heads/main */
  branch?: string;
  /** ref in the box */
  from?: string;
  /** the commit before; null: none */
  old?: string | null;
  /** the commit after */
  new?: string | null;
  /** forward, created, aside (the real branch has diverged), repository (a new one) or switched */
  how?: string;
  /** commits new to the real repository */
  commits?: number;
}

export interface PromoteResultLeftItem {
  /** relative to the target; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** fifo, socket or device */
  type?: string;
}

export interface PromoteResultReviewItemsItemHunksItem {
  /** as in a patch */
  text?: string;
  /** number of its first part, from 1 */
  first?: number;
  /** its parts, each as a hunk of its own */
  parts?: unknown[];
}

export interface PromoteResultReviewItemsItem {
  /** relative to the target; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** as in changes */
  kind?: string;
  /** as in changes */
  type?: string;
  /** as in changes */
  outcome?: string;
  /** permissions now; null: there is nothing */
  old_mode?: string | null;
  /** permissions afterwards; null: it is deleted */
  new_mode?: string | null;
  /** bytes afterwards */
  size?: number;
  /** no text: only as a whole */
  binary?: boolean;
  /** of a directory that is replaced as a whole: number of things in it */
  inside?: number;
  /** permissions can be accepted by themselves, as 'm' */
  mode?: boolean;
  /** the difference, of an item that is accepted as a whole */
  patch?: string;
  /** or the difference in hunks */
  hunks?: PromoteResultReviewItemsItemHunksItem[];
}

export interface PromoteResultReview {
  /** for --reviewed */
  digest?: string;
  /** in the order of their numbers, from 1 */
  items?: PromoteResultReviewItemsItem[];
}

export interface PromoteResultSystemPackagesItem {
  /** its name */
  name?: string;
  /** installed, removed, upgraded, downgraded, configured or unpacked */
  change?: string;
  /** its version in the box; null: none */
  version?: string | null;
  /** its version on this machine; null: none */
  previous?: string | null;
  /** dpkg, apk or pip */
  manager?: string;
}

export interface PromoteResultSystemDirectoriesItem {
  /** how many */
  files?: number;
  /** such as /etc; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
}

export interface PromoteResultSystemChangesItem {
  /** as in changes */
  kind?: string;
  /** file, directory, symlink, fifo, socket or device */
  type?: string;
  /** it is not in files */
  noise?: boolean;
  /** absolute; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
}

export interface PromoteResultSystem {
  /** packages that differ */
  packages?: PromoteResultSystemPackagesItem[];
  /** new names in /etc/passwd */
  users?: unknown[];
  /** changed files, without noise */
  files?: number;
  /** logs, caches and notes of package managers: not in files */
  noise?: number;
  /** the files by place */
  directories?: PromoteResultSystemDirectoriesItem[];
  /** with system: the files */
  changes?: PromoteResultSystemChangesItem[];
  /** only if there are more than can be listed: how many */
  more?: Record<string, unknown>;
}

export interface PromoteResultDriftFilesItem {
  /** relative to the project; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** deleted, renamed, changed, added, lost or touched */
  kind?: string;
  /** previous name, if it was renamed */
  from?: string | null;
  /** the box changed it, too */
  both?: boolean;
}

export interface PromoteResultDrift {
  /** compared with: box, snapshot or pin */
  of?: string;
  /** when that was made, in milliseconds since 1970 */
  since_ms?: number;
  /** modified files; also new ones, where aisbx has no list of the names there were */
  changed?: number;
  /** new files */
  added?: number;
  /** deleted files and directories */
  deleted?: number;
  /** renamed files and directories */
  renamed?: number;
  /** directories from which something was removed, but it is not known what */
  lost?: number;
  /** with other permissions, owner, links or times; if the box changed them, too: with the same content */
  touched?: number;
  /** changes that are not listed because git ignores the files */
  ignored?: number;
  /** files and directories examined */
  looked?: number;
  /** false: the time limit was reached, or the clock was set back */
  complete?: boolean;
  /** the clock is behind the time at which the box was made: few changes can be detected */
  clock_back?: boolean;
  /** git branch, if it is a different one now */
  branch?: string | null;
  /** git branch when the box was made */
  was?: string | null;
  /** the first 100; those that the box changed, too, come first */
  files?: PromoteResultDriftFilesItem[];
  /** why changes could not be detected */
  error?: string;
}

/** What promote gives. */
export interface PromoteResult {
  /** promotion id, for undo; null if nothing was changed */
  promotion?: string | null;
  /** name of the box */
  box?: string;
  /** its id */
  box_id?: string;
  /** directory that the paths are relative to */
  target?: string;
  /** the target was changed */
  applied?: boolean;
  /** it was a dry run */
  dry_run?: boolean;
  /** number of changes of each kind */
  summary?: PromoteResultSummary;
  /** a directory before what is in it */
  changes?: PromoteResultChangesItem[];
  /** each path once */
  conflicts?: PromoteResultConflictsItem[];
  /** only if there are more than can be listed: for each shortened list, how many */
  more?: Record<string, unknown>;
  /** changes that would run code later, or lead out of the tree */
  traps?: PromoteResultTrapsItem[];
  /** secrets of the box found in names, contents, links or attributes; nothing is changed unless all are allowed */
  secrets?: PromoteResultSecretsItem[];
  /** files changed outside since the box changed them */
  stale?: PromoteResultStaleItem[];
  /** left out because git ignores it */
  ignored?: PromoteResultIgnored;
  /** git: refs that moved, or would move */
  branches?: PromoteResultBranchesItem[];
  /** git: what stays in the box */
  stayed?: unknown[];
  /** pipes, sockets and devices made in the box: they stay there */
  left?: PromoteResultLeftItem[];
  /** warning: the real project is on another branch than when the box was made; stops like a conflict */
  switched?: string | null;
  /** what failed after the target was changed; the change itself is complete */
  error?: string;
  /** only with --review, which changes nothing then: what can be accepted */
  review?: PromoteResultReview;
  /** what a box of root changed outside of its project; null: nothing */
  system?: PromoteResultSystem | null;
  /** with packages: what installs and removes them here */
  commands?: unknown[];
  /** changes to the real project, outside of boxes, since the box or snapshot was made */
  drift?: PromoteResultDrift;
}

/** Undo a promotion */
export interface UndoArgs {
  /** promotion id; default: the newest promotion of this project */
  promotion?: string;
  /** without PROMOTION: the newest promotion of this box */
  box?: string;
  /** without PROMOTION: the newest promotion of the project that contains DIR */
  project?: string;
  /** only show what would prevent it */
  "dry-run"?: boolean;
  /** on files that changed since: stop and undo nothing (default), keep them, or overwrite them (they are kept elsewhere for a month) */
  conflict?: "stop" | "keep" | "overwrite";
}

export interface UndoResultConflictsItem {
  /** relative to the target; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
}

/** What undo gives. */
export interface UndoResult {
  /** which */
  promotion?: string;
  /** name of its box */
  box?: string;
  /** directory that the paths are relative to */
  target?: string;
  /** the target is as it was before the promotion */
  undone?: boolean;
  /** it was a dry run */
  dry_run?: boolean;
  /** what changed since the promotion */
  conflicts?: UndoResultConflictsItem[];
  /** only if there are more than can be listed: for each shortened list, how many */
  more?: Record<string, unknown>;
  /** message about what else could not be undone */
  error?: string;
}

/** Complete interrupted promotions; rebuild a lost store */
export interface RecoverArgs {
  /** permanently give up a promotion that cannot be completed; the files it replaced stay in promotions/broken-ID of the state directory */
  "give-up"?: boolean;
  /** rebuild a store that is missing, damaged or outdated, from the manifests beside it; the old file is kept */
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
  /** promotions that can be undone */
  promotions?: number;
  /** artifacts in the store */
  artifacts?: number;
  /** runs in the history: those that could be read from the old store */
  runs?: number;
  /** new name of the old file, in the state directory; null: there was none */
  aside?: string | null;
  /** messages about what could not be recovered */
  missing?: unknown[];
}

/** What recover gives. */
export interface RecoverResult {
  /** empty if nothing had to be recovered */
  recovered?: RecoverResultRecoveredItem[];
  /** only with --rebuild: contents of the new store */
  rebuilt?: RecoverResultRebuilt;
}

/** Show past runs */
export interface RunHistoryArgs {
  /** only this run, with its full result; a prefix of its id is enough */
  run?: string;
  /** only runs in this box */
  box?: string;
  /** only runs with this status */
  status?: "ok" | "failed" | "limit" | "denied" | "interrupted" | "error";
  /** only commands that contain this text */
  match?: string;
  /** only runs whose output contains this text, with the lines that do */
  grep?: string;
  /** only the last TIME, e.g. 2h */
  since?: string | number;
  /** at most N; default 20 */
  limit?: number;
  /** include results: usage, violations, walls */
  full?: boolean;
  /** list events of boxes instead of runs */
  events?: boolean;
}

export interface RunHistoryResultRunsItemLinesItem {
  /** stdout or stderr */
  stream?: string;
  /** the line; of a long one the part around the text */
  text?: string;
}

export interface RunHistoryResultRunsItem {
  /** id */
  run?: string;
  /** id of its box; null if the box was removed after the run */
  box?: string | null;
  /** as in the result of run */
  status?: string;
  /** of the command */
  exit_code?: number | null;
  /** milliseconds since 1970 */
  started_ms?: number;
  /** how long it took */
  wall_ms?: number;
  /** command with arguments */
  command?: string;
  /** with RUN or --full: the result of run, without output; null if it was not stored */
  result?: Record<string, unknown> | null;
  /** with --grep: lines of the output that contain the text, at most 20 */
  lines?: RunHistoryResultRunsItemLinesItem[];
  /** with --grep: further lines that contain it */
  more_lines?: number;
}

export interface RunHistoryResultEventsItem {
  /** increases with every event */
  seq?: number;
  /** milliseconds since 1970 */
  time_ms?: number;
  /** box.created, box.forked, box.snapshotted, box.rolled-back, box.removed, box.expired */
  kind?: string;
  /** id of the box */
  box?: string | null;
  /** id of the run */
  run?: string | null;
  /** details, depending on the kind: name, snapshot, from */
  what?: Record<string, unknown> | null;
}

/** What run.history gives. */
export interface RunHistoryResult {
  /** only present if there is one: the text that the output of these runs has */
  grep?: string;
  /** newest first; absent with --events */
  runs?: RunHistoryResultRunsItem[];
  /** newest first; only present with --events */
  events?: RunHistoryResultEventsItem[];
}

/** Show what programs would do, before they run */
export interface CodeScanArgs {
  /** files to scan; '-' is standard input */
  files?: string[];
  /** scan every file that a box changed, in the supported languages, instead */
  box?: string;
  /** language; default: by the file name, then by its first line (#!) */
  lang?: "python" | "javascript" | "typescript" | "shell";
  /** policy: a file, or a name in ~/.config/aisbx/scan or /etc/aisbx/scan; default: the built-in policy */
  policy?: string;
  /** print a SARIF 2.1.0 log, for editors and code hosts */
  sarif?: boolean;
  /** include all scan facts that rules can match: for writing rules */
  facts?: boolean;
}

export interface CodeScanResultFindingsItem {
  /** rule id in the policy */
  rule?: string;
  /** low, medium, high or critical */
  severity?: string;
  /** import, call, use, command, write, text, hidden, broken or unread */
  kind?: string;
  /** what was found: a module, a function, a command, a file, or a text */
  name?: string;
  /** the same with its arguments; '?' stands for values that are only known at run time */
  call?: string;
  /** found through an alias, a concatenated string or similar */
  indirect?: boolean;
  /** in a program inside a string */
  nested?: boolean;
  /** from 1 */
  line?: number;
  /** from 1, in bytes */
  column?: number;
  /** where it ends */
  end_line?: number;
  /** one after its last byte */
  end_column?: number;
  /** the line of the source, or the part of a long one */
  text?: string;
  /** bytes of the line before that part */
  text_offset?: number;
  /** reason given by the rule */
  why?: string;
  /** what to do instead */
  advice?: string | null;
}

export interface CodeScanResultFilesItemFindingsItem {
  /** rule id in the policy */
  rule?: string;
  /** low, medium, high or critical */
  severity?: string;
  /** import, call, use, command, write, text, hidden, broken or unread */
  kind?: string;
  /** what was found: a module, a function, a command, a file, or a text */
  name?: string;
  /** the same with its arguments; '?' stands for values that are only known at run time */
  call?: string;
  /** found through an alias, a concatenated string or similar */
  indirect?: boolean;
  /** in a program inside a string */
  nested?: boolean;
  /** from 1 */
  line?: number;
  /** from 1, in bytes */
  column?: number;
  /** where it ends */
  end_line?: number;
  /** one after its last byte */
  end_column?: number;
  /** the line of the source, or the part of a long one */
  text?: string;
  /** bytes of the line before that part */
  text_offset?: number;
  /** reason given by the rule */
  why?: string;
  /** what to do instead */
  advice?: string | null;
}

export interface CodeScanResultFilesItem {
  /** as given, or relative to the project of the box; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** python, javascript, typescript or shell */
  language?: string;
  /** of the program */
  bytes?: number;
  /** none, low, medium, high or critical: that of the worst finding */
  risk?: string;
  /** action of the policy for that risk: allow, warn, sandbox, ask or refuse */
  action?: string;
  /** findings that are not listed */
  more?: number;
  /** sorted by line and column */
  findings?: CodeScanResultFilesItemFindingsItem[];
}

/** What code.scan gives. */
export interface CodeScanResult {
  /** policy that was used */
  policy?: string;
  /** what the policy says in the words of another tool, and how it was read */
  notes?: unknown[];
  /** programs */
  scanned?: number;
  /** with several files or a box: changed files in unsupported languages */
  skipped?: number;
  /** of the program; also null for standard input; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** python, javascript, typescript or shell */
  language?: string;
  /** of the program */
  bytes?: number;
  /** none, low, medium, high or critical: that of the worst finding */
  risk?: string;
  /** action of the policy for that risk: allow, warn, sandbox, ask or refuse */
  action?: string;
  /** findings that are not listed */
  more?: number;
  /** sorted by line and column */
  findings?: CodeScanResultFindingsItem[];
  /** with facts: kind, name, args, from, indirect, nested, line and column of each */
  facts?: unknown[];
  /** with several files or a box: path, language, bytes, risk, action, more and findings of each file with findings */
  files?: CodeScanResultFilesItem[];
  /** with sarif: the log */
  sarif?: Record<string, unknown>;
}

/** Take a box's changes through the stages of its project */
export interface PipelineRunArgs {
  /** whose changes to promote */
  box: string;
  /** stop after this stage; default: the last one */
  to?: string;
  /** on files of a directory that changed on both sides: stop (default), keep them, or overwrite them */
  conflict?: "stop" | "keep" | "overwrite";
  /** approve every stage that asks; commands of stages run outside of any box */
  yes?: boolean;
}

export interface PipelineRunResultStagesItemTarget {
  /** directory, branch or command */
  kind?: string;
  /** which */
  where?: string;
  /** number of changes of each kind; see promote */
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
  /** an explanation for people */
  why?: string | null;
}

export interface PipelineRunResultStagesItemBefore {
  /** all checks hold */
  passed?: boolean;
  /** the checks */
  checks?: PipelineRunResultStagesItemBeforeChecksItem[];
}

export interface PipelineRunResultStagesItemAfterChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** an explanation for people */
  why?: string | null;
}

export interface PipelineRunResultStagesItemAfter {
  /** all checks hold */
  passed?: boolean;
  /** the checks */
  checks?: PipelineRunResultStagesItemAfterChecksItem[];
}

export interface PipelineRunResultStagesItemApproval {
  /** true: approved */
  approved?: boolean;
  /** who */
  name?: string;
  /** user id of the person */
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
  /** pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a a person must look) */
  state?: string;
  /** an explanation for people */
  why?: string | null;
  /** id of the promotion to its target */
  promotion?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** its target, and what would change there */
  target?: PipelineRunResultStagesItemTarget;
  /** result of its gates for the change */
  before?: PipelineRunResultStagesItemBefore;
  /** result of its gates for the target afterwards */
  after?: PipelineRunResultStagesItemAfter;
  /** id of the commit on its branch */
  commit?: string;
  /** last lines of its command's output */
  output?: string;
  /** the decision of a person */
  approval?: PipelineRunResultStagesItemApproval | null;
}

/** What pipeline.run gives. */
export interface PipelineRunResult {
  /** its id */
  pipeline?: string;
  /** running (or interrupted: see 'live'), waiting, done, stopped or undone */
  state?: string;
  /** a process works on it, or on another pipeline of its project, now */
  live?: boolean;
  /** name of its box */
  box?: string;
  /** id of the snapshot */
  snapshot?: string;
  /** directory whose aisbx.yaml defines the stages */
  project?: string;
  /** it is being undone, or was */
  back?: boolean;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in order */
  stages?: PipelineRunResultStagesItem[];
}

/** Continue a pipeline that was interrupted, or that waited */
export interface PipelineResumeArgs {
  /** pipeline id; a prefix is enough */
  pipeline: string;
}

export interface PipelineResumeResultStagesItemTarget {
  /** directory, branch or command */
  kind?: string;
  /** which */
  where?: string;
  /** number of changes of each kind; see promote */
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
  /** an explanation for people */
  why?: string | null;
}

export interface PipelineResumeResultStagesItemBefore {
  /** all checks hold */
  passed?: boolean;
  /** the checks */
  checks?: PipelineResumeResultStagesItemBeforeChecksItem[];
}

export interface PipelineResumeResultStagesItemAfterChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** an explanation for people */
  why?: string | null;
}

export interface PipelineResumeResultStagesItemAfter {
  /** all checks hold */
  passed?: boolean;
  /** the checks */
  checks?: PipelineResumeResultStagesItemAfterChecksItem[];
}

export interface PipelineResumeResultStagesItemApproval {
  /** true: approved */
  approved?: boolean;
  /** who */
  name?: string;
  /** user id of the person */
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
  /** pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a a person must look) */
  state?: string;
  /** an explanation for people */
  why?: string | null;
  /** id of the promotion to its target */
  promotion?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** its target, and what would change there */
  target?: PipelineResumeResultStagesItemTarget;
  /** result of its gates for the change */
  before?: PipelineResumeResultStagesItemBefore;
  /** result of its gates for the target afterwards */
  after?: PipelineResumeResultStagesItemAfter;
  /** id of the commit on its branch */
  commit?: string;
  /** last lines of its command's output */
  output?: string;
  /** the decision of a person */
  approval?: PipelineResumeResultStagesItemApproval | null;
}

/** What pipeline.resume gives. */
export interface PipelineResumeResult {
  /** its id */
  pipeline?: string;
  /** running (or interrupted: see 'live'), waiting, done, stopped or undone */
  state?: string;
  /** a process works on it, or on another pipeline of its project, now */
  live?: boolean;
  /** name of its box */
  box?: string;
  /** id of the snapshot */
  snapshot?: string;
  /** directory whose aisbx.yaml defines the stages */
  project?: string;
  /** it is being undone, or was */
  back?: boolean;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in order */
  stages?: PipelineResumeResultStagesItem[];
}

/** Show a pipeline and its progress */
export interface PipelineShowArgs {
  /** pipeline id; a prefix is enough */
  pipeline: string;
}

export interface PipelineShowResultStagesItemTarget {
  /** directory, branch or command */
  kind?: string;
  /** which */
  where?: string;
  /** number of changes of each kind; see promote */
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
  /** an explanation for people */
  why?: string | null;
}

export interface PipelineShowResultStagesItemBefore {
  /** all checks hold */
  passed?: boolean;
  /** the checks */
  checks?: PipelineShowResultStagesItemBeforeChecksItem[];
}

export interface PipelineShowResultStagesItemAfterChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** an explanation for people */
  why?: string | null;
}

export interface PipelineShowResultStagesItemAfter {
  /** all checks hold */
  passed?: boolean;
  /** the checks */
  checks?: PipelineShowResultStagesItemAfterChecksItem[];
}

export interface PipelineShowResultStagesItemApproval {
  /** true: approved */
  approved?: boolean;
  /** who */
  name?: string;
  /** user id of the person */
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
  /** pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a a person must look) */
  state?: string;
  /** an explanation for people */
  why?: string | null;
  /** id of the promotion to its target */
  promotion?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** its target, and what would change there */
  target?: PipelineShowResultStagesItemTarget;
  /** result of its gates for the change */
  before?: PipelineShowResultStagesItemBefore;
  /** result of its gates for the target afterwards */
  after?: PipelineShowResultStagesItemAfter;
  /** id of the commit on its branch */
  commit?: string;
  /** last lines of its command's output */
  output?: string;
  /** the decision of a person */
  approval?: PipelineShowResultStagesItemApproval | null;
}

/** What pipeline.show gives. */
export interface PipelineShowResult {
  /** its id */
  pipeline?: string;
  /** running (or interrupted: see 'live'), waiting, done, stopped or undone */
  state?: string;
  /** a process works on it, or on another pipeline of its project, now */
  live?: boolean;
  /** name of its box */
  box?: string;
  /** id of the snapshot */
  snapshot?: string;
  /** directory whose aisbx.yaml defines the stages */
  project?: string;
  /** it is being undone, or was */
  back?: boolean;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in order */
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
  /** number of changes of each kind; see promote */
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
  /** an explanation for people */
  why?: string | null;
}

export interface PipelineLsResultPipelinesItemStagesItemBefore {
  /** all checks hold */
  passed?: boolean;
  /** the checks */
  checks?: PipelineLsResultPipelinesItemStagesItemBeforeChecksItem[];
}

export interface PipelineLsResultPipelinesItemStagesItemAfterChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** an explanation for people */
  why?: string | null;
}

export interface PipelineLsResultPipelinesItemStagesItemAfter {
  /** all checks hold */
  passed?: boolean;
  /** the checks */
  checks?: PipelineLsResultPipelinesItemStagesItemAfterChecksItem[];
}

export interface PipelineLsResultPipelinesItemStagesItemApproval {
  /** true: approved */
  approved?: boolean;
  /** who */
  name?: string;
  /** user id of the person */
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
  /** pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a a person must look) */
  state?: string;
  /** an explanation for people */
  why?: string | null;
  /** id of the promotion to its target */
  promotion?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** its target, and what would change there */
  target?: PipelineLsResultPipelinesItemStagesItemTarget;
  /** result of its gates for the change */
  before?: PipelineLsResultPipelinesItemStagesItemBefore;
  /** result of its gates for the target afterwards */
  after?: PipelineLsResultPipelinesItemStagesItemAfter;
  /** id of the commit on its branch */
  commit?: string;
  /** last lines of its command's output */
  output?: string;
  /** the decision of a person */
  approval?: PipelineLsResultPipelinesItemStagesItemApproval | null;
}

export interface PipelineLsResultPipelinesItem {
  /** its id */
  pipeline?: string;
  /** running (or interrupted: see 'live'), waiting, done, stopped or undone */
  state?: string;
  /** a process works on it, or on another pipeline of its project, now */
  live?: boolean;
  /** name of its box */
  box?: string;
  /** id of the snapshot */
  snapshot?: string;
  /** directory whose aisbx.yaml defines the stages */
  project?: string;
  /** it is being undone, or was */
  back?: boolean;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in order */
  stages?: PipelineLsResultPipelinesItemStagesItem[];
}

/** What pipeline.ls gives. */
export interface PipelineLsResult {
  /** newest first */
  pipelines?: PipelineLsResultPipelinesItem[];
}

/** Undo a pipeline, the last stage first */
export interface PipelineUndoArgs {
  /** pipeline id; a prefix is enough */
  pipeline: string;
  /** when undoing: files that changed since: stop (default), keep or overwrite them */
  conflict?: "stop" | "keep" | "overwrite";
}

export interface PipelineUndoResultStagesItemTarget {
  /** directory, branch or command */
  kind?: string;
  /** which */
  where?: string;
  /** number of changes of each kind; see promote */
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
  /** an explanation for people */
  why?: string | null;
}

export interface PipelineUndoResultStagesItemBefore {
  /** all checks hold */
  passed?: boolean;
  /** the checks */
  checks?: PipelineUndoResultStagesItemBeforeChecksItem[];
}

export interface PipelineUndoResultStagesItemAfterChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** an explanation for people */
  why?: string | null;
}

export interface PipelineUndoResultStagesItemAfter {
  /** all checks hold */
  passed?: boolean;
  /** the checks */
  checks?: PipelineUndoResultStagesItemAfterChecksItem[];
}

export interface PipelineUndoResultStagesItemApproval {
  /** true: approved */
  approved?: boolean;
  /** who */
  name?: string;
  /** user id of the person */
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
  /** pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a a person must look) */
  state?: string;
  /** an explanation for people */
  why?: string | null;
  /** id of the promotion to its target */
  promotion?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** its target, and what would change there */
  target?: PipelineUndoResultStagesItemTarget;
  /** result of its gates for the change */
  before?: PipelineUndoResultStagesItemBefore;
  /** result of its gates for the target afterwards */
  after?: PipelineUndoResultStagesItemAfter;
  /** id of the commit on its branch */
  commit?: string;
  /** last lines of its command's output */
  output?: string;
  /** the decision of a person */
  approval?: PipelineUndoResultStagesItemApproval | null;
}

/** What pipeline.undo gives. */
export interface PipelineUndoResult {
  /** its id */
  pipeline?: string;
  /** running (or interrupted: see 'live'), waiting, done, stopped or undone */
  state?: string;
  /** a process works on it, or on another pipeline of its project, now */
  live?: boolean;
  /** name of its box */
  box?: string;
  /** id of the snapshot */
  snapshot?: string;
  /** directory whose aisbx.yaml defines the stages */
  project?: string;
  /** it is being undone, or was */
  back?: boolean;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in order */
  stages?: PipelineUndoResultStagesItem[];
}

/** Approve the stage at which a pipeline waits */
export interface PipelineApproveArgs {
  /** pipeline id; a prefix is enough */
  pipeline: string;
  /** reject: the stage fails and the pipeline stops */
  reject?: boolean;
  /** note to store with the decision */
  note?: string;
  /** only if the pipeline is for this snapshot: the one that was reviewed */
  snapshot?: string;
  /** only record the decision; 'aisbx pipeline resume' continues the pipeline */
  "no-resume"?: boolean;
}

export interface PipelineApproveResultStagesItemTarget {
  /** directory, branch or command */
  kind?: string;
  /** which */
  where?: string;
  /** number of changes of each kind; see promote */
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
  /** an explanation for people */
  why?: string | null;
}

export interface PipelineApproveResultStagesItemBefore {
  /** all checks hold */
  passed?: boolean;
  /** the checks */
  checks?: PipelineApproveResultStagesItemBeforeChecksItem[];
}

export interface PipelineApproveResultStagesItemAfterChecksItem {
  /** as written */
  check?: string;
  /** it holds */
  passed?: boolean;
  /** an explanation for people */
  why?: string | null;
}

export interface PipelineApproveResultStagesItemAfter {
  /** all checks hold */
  passed?: boolean;
  /** the checks */
  checks?: PipelineApproveResultStagesItemAfterChecksItem[];
}

export interface PipelineApproveResultStagesItemApproval {
  /** true: approved */
  approved?: boolean;
  /** who */
  name?: string;
  /** user id of the person */
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
  /** pending, judging, waiting (for a person), applying, clearing, checking, passed, undoing, undone, failed or stuck (a a person must look) */
  state?: string;
  /** an explanation for people */
  why?: string | null;
  /** id of the promotion to its target */
  promotion?: string | null;
  /** milliseconds since 1970 */
  begun_ms?: number | null;
  /** milliseconds since 1970 */
  ended_ms?: number | null;
  /** its target, and what would change there */
  target?: PipelineApproveResultStagesItemTarget;
  /** result of its gates for the change */
  before?: PipelineApproveResultStagesItemBefore;
  /** result of its gates for the target afterwards */
  after?: PipelineApproveResultStagesItemAfter;
  /** id of the commit on its branch */
  commit?: string;
  /** last lines of its command's output */
  output?: string;
  /** the decision of a person */
  approval?: PipelineApproveResultStagesItemApproval | null;
}

/** What pipeline.approve gives. */
export interface PipelineApproveResult {
  /** its id */
  pipeline?: string;
  /** running (or interrupted: see 'live'), waiting, done, stopped or undone */
  state?: string;
  /** a process works on it, or on another pipeline of its project, now */
  live?: boolean;
  /** name of its box */
  box?: string;
  /** id of the snapshot */
  snapshot?: string;
  /** directory whose aisbx.yaml defines the stages */
  project?: string;
  /** it is being undone, or was */
  back?: boolean;
  /** milliseconds since 1970 */
  created_ms?: number;
  /** in order */
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
  /** number of lines */
  count?: number;
  /** first byte, counted from 0 */
  offset?: string | number;
  /** maximum number of bytes; default: 1m, at most 16m */
  limit?: string | number;
  /** of the content: utf-8 (default; fails for files that are not text) or base64 */
  encoding?: "utf-8" | "base64";
  /** the whole file to standard output, byte for byte, at most 1 GiB */
  raw?: boolean;
}

/** What file.read gives. */
export interface FileReadResult {
  /** absolute path in the box */
  path?: string;
  /** file, directory, link or other */
  type?: string;
  /** bytes */
  size?: number;
  /** permissions, octal */
  mode?: string;
  /** modification time, in milliseconds since 1970 */
  mtime_ms?: number;
  /** of the content; null if it is not a file, or larger than 256 MiB */
  sha256?: string | null;
  /** what was read; with raw it is not in the result */
  content?: string;
  /** of the content: utf-8 or base64 */
  encoding?: string;
  /** first byte that was read */
  offset?: number;
  /** offset to continue from; null at the end */
  next_offset?: number | null;
  /** number of lines of the file; null if it is larger than 256 MiB */
  lines?: number | null;
  /** with from or count: the first line that was read */
  line?: number;
  /** with from or count: the line to continue from; null at the end */
  next_line?: number | null;
  /** with raw: bytes that were written to standard output */
  sent?: number;
  /** a secret that was given to a box was removed from the content */
  redacted?: boolean;
  /** only present if it was read as a picture: its type, such as image/png */
  media?: string;
  /** only present if a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only present if the automatic snapshot of the box failed: why */
  snapshot_error?: string;
}

/** Write or edit a file of a box */
export interface FileWriteArgs {
  /** name or id of the box */
  box: string;
  /** file; missing directories are made; in the box, relative to the project unless it begins with / */
  path: string;
  /** new content; default: standard input */
  content?: string;
  /** edit: this exact text, which must occur once, ... */
  replace?: string;
  /** ... is replaced by this */
  with?: string;
  /** append to the file */
  append?: boolean;
  /** encoding of the given texts: utf-8 (default) or base64; standard input is used as it is */
  encoding?: "utf-8" | "base64";
  /** so many bytes of standard input are the content; if it ends before, nothing is written */
  size?: string | number;
  /** only if the file has this sha256 now, as read reported it; absent: only if it does not exist */
  if?: string;
  /** permissions, such as 755; default: unchanged, or 644 */
  mode?: string;
}

/** What file.write gives. */
export interface FileWriteResult {
  /** absolute path in the box */
  path?: string;
  /** file, directory, link or other */
  type?: string;
  /** bytes */
  size?: number;
  /** permissions, octal */
  mode?: string;
  /** modification time, in milliseconds since 1970 */
  mtime_ms?: number;
  /** of the content; null if it is not a file, or larger than 256 MiB */
  sha256?: string | null;
  /** it did not exist before */
  created?: boolean;
  /** only present if a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only present if the automatic snapshot of the box failed: why */
  snapshot_error?: string;
}

/** List files of a box */
export interface FileLsArgs {
  /** name or id of the box */
  box: string;
  /** the directory; default: the project; in the box, relative to the project unless it begins with / */
  path?: string;
  /** levels to descend; 1 (default): only the directory's own entries */
  depth?: number;
  /** only names that match this pattern, such as *.py; with a / it is compared with the path in the directory */
  pattern?: string;
  /** maximum number of entries; default: 1000 */
  limit?: number;
}

export interface FileLsResultEntriesItem {
  /** relative to the directory; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** file, directory, link or other */
  type?: string;
  /** bytes */
  size?: number;
  /** permissions, octal */
  mode?: string;
  /** modification time, in milliseconds since 1970 */
  mtime_ms?: number;
  /** target of a link; null if it is not UTF-8 */
  target?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  target_hex?: string;
}

/** What file.ls gives. */
export interface FileLsResult {
  /** path of the directory in the box */
  path?: string;
  /** entries, sorted by name; links are not followed */
  entries?: FileLsResultEntriesItem[];
  /** there are more entries than listed */
  more?: boolean;
  /** only present if a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only present if the automatic snapshot of the box failed: why */
  snapshot_error?: string;
}

/** Show type, size and checksum of a file in a box */
export interface FileStatArgs {
  /** name or id of the box */
  box: string;
  /** path; a link is not followed; in the box, relative to the project unless it begins with / */
  path: string;
}

/** What file.stat gives. */
export interface FileStatResult {
  /** absolute path in the box */
  path?: string;
  /** file, directory, link or other */
  type?: string;
  /** bytes */
  size?: number;
  /** permissions, octal */
  mode?: string;
  /** modification time, in milliseconds since 1970 */
  mtime_ms?: number;
  /** of the content; null if it is not a file, or larger than 256 MiB */
  sha256?: string | null;
  /** target of a link; null if it is not UTF-8 */
  target?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  target_hex?: string;
  /** only present if a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only present if the automatic snapshot of the box failed: why */
  snapshot_error?: string;
}

/** Remove a file of a box */
export interface FileRmArgs {
  /** name or id of the box */
  box: string;
  /** path to remove; a link itself, not its target; in the box, relative to the project unless it begins with / */
  path: string;
  /** remove a directory with everything in it */
  recursive?: boolean;
  /** no error if it does not exist */
  force?: boolean;
}

/** What file.rm gives. */
export interface FileRmResult {
  /** absolute path in the box */
  path?: string;
  /** false: it did not exist */
  removed?: boolean;
  /** only present if a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only present if the automatic snapshot of the box failed: why */
  snapshot_error?: string;
}

/** Move or rename a file of a box */
export interface FileMvArgs {
  /** name or id of the box */
  box: string;
  /** path to move; in the box, relative to the project unless it begins with / */
  path: string;
  /** new path, not a directory to move it into; missing directories are made */
  to: string;
  /** replace an existing file */
  force?: boolean;
}

/** What file.mv gives. */
export interface FileMvResult {
  /** new path */
  path?: string;
  /** old path */
  from?: string;
  /** file, directory, link or other */
  type?: string;
  /** only present if a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only present if the automatic snapshot of the box failed: why */
  snapshot_error?: string;
}

/** Make a directory in a box */
export interface FileMkdirArgs {
  /** name or id of the box */
  box: string;
  /** directory to make; missing parents are made, too; in the box, relative to the project unless it begins with / */
  path: string;
  /** permissions, such as 700; default: 755 */
  mode?: string;
}

/** What file.mkdir gives. */
export interface FileMkdirResult {
  /** absolute path in the box */
  path?: string;
  /** file, directory, link or other */
  type?: string;
  /** bytes */
  size?: number;
  /** permissions, octal */
  mode?: string;
  /** modification time, in milliseconds since 1970 */
  mtime_ms?: number;
  /** of the content; null if it is not a file, or larger than 256 MiB */
  sha256?: string | null;
  /** it did not exist before */
  created?: boolean;
  /** only present if a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only present if the automatic snapshot of the box failed: why */
  snapshot_error?: string;
}

/** Watch files of a box for changes */
export interface FileWatchArgs {
  /** name or id of the box */
  box: string;
  /** the directory; default: the project; in the box, relative to the project unless it begins with / */
  path?: string;
  /** include subdirectories */
  recursive?: boolean;
  /** end after this time; default: when interrupted */
  timeout?: string | number;
}

/** What file.watch gives. */
export interface FileWatchResult {
  /** path of the directory in the box */
  path?: string;
  /** number of events */
  events?: number;
}

/** Make an address at which one file of a box can be read or written over HTTP */
export interface FileUrlArgs {
  /** name or id of the box */
  box: string;
  /** the file; to be written, it need not exist; in the box, relative to the project unless it begins with / */
  path: string;
  /** an address to write to, with PUT; default: to read from, with GET */
  write?: boolean;
  /** how long it is good: at most 7 days; default: 15m */
  expires?: string | number;
  /** where 'aisbx serve' is reached by whoever gets the address; default: http://127.0.0.1:24729 */
  server?: string;
}

/** What file.url gives. */
export interface FileUrlResult {
  /** the address; whoever has it needs no token */
  url?: string;
  /** GET or PUT */
  method?: string;
  /** absolute path in the box */
  path?: string;
  /** id of the box */
  box?: string;
  /** when it is no longer good, in milliseconds since 1970 */
  expires_ms?: number;
}

/** Save a file or directory of a box, so that it outlives the box */
export interface ArtifactSaveArgs {
  /** name or id of the box */
  box: string;
  /** file or directory of the box; in the box, relative to the project unless it begins with / */
  path: string;
  /** name of the artifact; default: the name of the file in the box */
  name?: string;
  /** note to store with it */
  note?: string;
  /** continue although this secret, which was given to the box with --secret, is in it */
  "allow-secret"?: string[];
}

/** What artifact.save gives. */
export interface ArtifactSaveResult {
  /** artifact id */
  id?: string;
  /** several artifacts can have the same name; it refers to the newest */
  name?: string;
  /** the note given when it was saved */
  note?: string | null;
  /** id of the box it comes from, which may have been removed */
  box?: string;
  /** name of the box at that time */
  box_name?: string;
  /** the newest run of that box at that time */
  run?: string | null;
  /** path in the box */
  path?: string;
  /** file or directory */
  type?: string;
  /** of the content of a file, or of everything that is stored of a directory */
  sha256?: string;
  /** bytes stored */
  size?: number;
  /** files and links stored */
  files?: number;
  /** type of the content, such as image/png */
  media?: string;
  /** permissions, octal */
  mode?: string;
  /** when it was saved, in milliseconds since 1970 */
  created_ms?: number;
  /** pipes, sockets and devices, which are not saved */
  left_out?: number;
  /** only present if a decoy was opened: as in the result of run */
  violations?: unknown[];
  /** only present if the automatic snapshot of the box failed: why */
  snapshot_error?: string;
}

/** List artifacts */
export interface ArtifactLsArgs {
  /** only those of this box, which may have been removed */
  box?: string;
}

export interface ArtifactLsResultArtifactsItem {
  /** artifact id */
  id?: string;
  /** several artifacts can have the same name; it refers to the newest */
  name?: string;
  /** the note given when it was saved */
  note?: string | null;
  /** id of the box it comes from, which may have been removed */
  box?: string;
  /** name of the box at that time */
  box_name?: string;
  /** the newest run of that box at that time */
  run?: string | null;
  /** path in the box */
  path?: string;
  /** file or directory */
  type?: string;
  /** of the content of a file, or of everything that is stored of a directory */
  sha256?: string;
  /** bytes stored */
  size?: number;
  /** files and links stored */
  files?: number;
  /** type of the content, such as image/png */
  media?: string;
  /** permissions, octal */
  mode?: string;
  /** when it was saved, in milliseconds since 1970 */
  created_ms?: number;
}

/** What artifact.ls gives. */
export interface ArtifactLsResult {
  /** newest first */
  artifacts?: ArtifactLsResultArtifactsItem[];
}

/** Show what an artifact is */
export interface ArtifactShowArgs {
  /** id or name; if several artifacts have that name, the newest */
  artifact: string;
}

export interface ArtifactShowResultEntriesItem {
  /** relative to the directory; null if it is not UTF-8 */
  path?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  path_hex?: string;
  /** file, directory or link */
  type?: string;
  /** bytes */
  size?: number;
  /** permissions, octal */
  mode?: string;
  /** target of a link */
  target?: string | null;
  /** the bytes in hexadecimal, if it is not UTF-8 */
  target_hex?: string;
}

/** What artifact.show gives. */
export interface ArtifactShowResult {
  /** artifact id */
  id?: string;
  /** several artifacts can have the same name; it refers to the newest */
  name?: string;
  /** the note given when it was saved */
  note?: string | null;
  /** id of the box it comes from, which may have been removed */
  box?: string;
  /** name of the box at that time */
  box_name?: string;
  /** the newest run of that box at that time */
  run?: string | null;
  /** path in the box */
  path?: string;
  /** file or directory */
  type?: string;
  /** of the content of a file, or of everything that is stored of a directory */
  sha256?: string;
  /** bytes stored */
  size?: number;
  /** files and links stored */
  files?: number;
  /** type of the content, such as image/png */
  media?: string;
  /** permissions, octal */
  mode?: string;
  /** when it was saved, in milliseconds since 1970 */
  created_ms?: number;
  /** for a directory: its entries, at most a thousand */
  entries?: ArtifactShowResultEntriesItem[];
  /** true: there are more entries than listed */
  more?: boolean;
}

/** Read the content of an artifact */
export interface ArtifactReadArgs {
  /** id or name; if several artifacts have that name, the newest */
  artifact: string;
  /** file in the artifact, if that is a directory */
  path?: string;
  /** first byte, counted from 0 */
  offset?: string | number;
  /** maximum number of bytes; default: 1m, at most 16m */
  limit?: string | number;
  /** of the content: utf-8 (default; fails for files that are not text) or base64 */
  encoding?: "utf-8" | "base64";
}

/** What artifact.read gives. */
export interface ArtifactReadResult {
  /** absolute path in the box */
  path?: string;
  /** file, directory, link or other */
  type?: string;
  /** bytes */
  size?: number;
  /** permissions, octal */
  mode?: string;
  /** modification time, in milliseconds since 1970 */
  mtime_ms?: number;
  /** of the content; null if it is not a file, or larger than 256 MiB */
  sha256?: string | null;
  /** what was read */
  content?: string;
  /** of the content: utf-8 or base64 */
  encoding?: string;
  /** first byte that was read */
  offset?: number;
  /** offset to continue from; null at the end */
  next_offset?: number | null;
  /** a secret that was given to a box was removed from the content */
  redacted?: boolean;
  /** type of the content; null for a file in a directory */
  media?: string | null;
}

/** Copy an artifact to a path of this machine */
export interface ArtifactGetArgs {
  /** id or name; if several artifacts have that name, the newest */
  artifact: string;
  /** destination path on this machine */
  to: string;
  /** replace an existing file; directories are never replaced */
  force?: boolean;
  /** copy it even if it contains traps */
  yes?: boolean;
}

/** What artifact.get gives. */
export interface ArtifactGetResult {
  /** artifact id */
  id?: string;
  /** several artifacts can have the same name; it refers to the newest */
  name?: string;
  /** the note given when it was saved */
  note?: string | null;
  /** id of the box it comes from, which may have been removed */
  box?: string;
  /** name of the box at that time */
  box_name?: string;
  /** the newest run of that box at that time */
  run?: string | null;
  /** path in the box */
  path?: string;
  /** file or directory */
  type?: string;
  /** of the content of a file, or of everything that is stored of a directory */
  sha256?: string;
  /** bytes stored */
  size?: number;
  /** files and links stored */
  files?: number;
  /** type of the content, such as image/png */
  media?: string;
  /** permissions, octal */
  mode?: string;
  /** when it was saved, in milliseconds since 1970 */
  created_ms?: number;
  /** where it was copied to */
  to?: string;
}

/** Remove an artifact */
export interface ArtifactRmArgs {
  /** id or name; if several artifacts have that name, the newest */
  artifact: string;
}

/** What artifact.rm gives. */
export interface ArtifactRmResult {
  /** of the removed artifact */
  id?: string;
  /** of the removed artifact */
  name?: string;
}

/** Bring an image from a registry */
export interface ImagePullArgs {
  /** [REGISTRY/]REPOSITORY[:TAG][@DIGEST]; without a registry docker.io, without a tag latest */
  reference: string;
  /** what it is called here; default: the full reference */
  name?: string;
  /** of an image for several: OS/ARCHITECTURE; default: this machine's, such as linux/amd64 */
  platform?: string;
  /** keep only the unpacked files, not the compressed layers: takes less disk, but the image cannot be pushed, saved or packed again */
  "no-blobs"?: boolean;
}

export interface ImagePullResultLeftOut {
  /** device nodes; no box has those of an image */
  devices?: number;
  /** attributes of files that this user cannot set */
  xattrs?: number;
  /** owners of links and pipes, for a user with one id */
  owners?: number;
}

/** What image.pull gives. */
export interface ImagePullResult {
  /** image id */
  id?: string;
  /** SHA-256 of its manifest */
  digest?: string;
  /** one of its names: the one that was given now, or the first; "": it has none */
  name?: string;
  /** what it is called here */
  names?: unknown[];
  /** reference, file or box that it comes from */
  source?: string;
  /** operating system and architecture */
  platform?: string;
  /** bytes of its blobs */
  size?: number;
  /** when it was added here, in milliseconds since 1970 */
  created_ms?: number;
  /** layers of the image */
  layers?: number;
  /** those that were not here yet */
  unpacked?: number;
  /** what of them could not be kept */
  left_out?: ImagePullResultLeftOut;
}

/** Bring an image from a file */
export interface ImageImportArgs {
  /** an OCI layout (a directory), an OCI archive, an archive of 'docker save', a tar archive of a root file system (.gz, .xz, .zst), or a pseudo-image */
  file: string;
  /** what it is called here; default: the name of the file */
  name?: string;
  /** of an image for several: OS/ARCHITECTURE; default: this machine's, such as linux/amd64 */
  platform?: string;
  /** keep only the unpacked files, not the compressed layers: takes less disk, but the image cannot be pushed, saved or packed again */
  "no-blobs"?: boolean;
}

export interface ImageImportResultLeftOut {
  /** device nodes; no box has those of an image */
  devices?: number;
  /** attributes of files that this user cannot set */
  xattrs?: number;
  /** owners of links and pipes, for a user with one id */
  owners?: number;
}

/** What image.import gives. */
export interface ImageImportResult {
  /** image id */
  id?: string;
  /** SHA-256 of its manifest */
  digest?: string;
  /** one of its names: the one that was given now, or the first; "": it has none */
  name?: string;
  /** what it is called here */
  names?: unknown[];
  /** reference, file or box that it comes from */
  source?: string;
  /** operating system and architecture */
  platform?: string;
  /** bytes of its blobs */
  size?: number;
  /** when it was added here, in milliseconds since 1970 */
  created_ms?: number;
  /** layers of the image */
  layers?: number;
  /** those that were not here yet */
  unpacked?: number;
  /** what of them could not be kept */
  left_out?: ImageImportResultLeftOut;
}

/** List images */
export interface ImageLsArgs {
}

export interface ImageLsResultImagesItem {
  /** image id */
  id?: string;
  /** SHA-256 of its manifest */
  digest?: string;
  /** one of its names: the one that was given now, or the first; "": it has none */
  name?: string;
  /** what it is called here */
  names?: unknown[];
  /** reference, file or box that it comes from */
  source?: string;
  /** operating system and architecture */
  platform?: string;
  /** bytes of its blobs */
  size?: number;
  /** when it was added here, in milliseconds since 1970 */
  created_ms?: number;
}

/** What image.ls gives. */
export interface ImageLsResult {
  /** by name */
  images?: ImageLsResultImagesItem[];
}

/** Show what an image is */
export interface ImageShowArgs {
  /** name, id, or digest or the beginning of it; 'debian' means 'docker.io/library/debian:latest' unless an image is called that here */
  image: string;
}

export interface ImageShowResultLayersItem {
  /** SHA-256 of its blob */
  digest?: string;
  /** SHA-256 of its archive, not compressed */
  diff_id?: string;
  /** how the blob is packed */
  media_type?: string;
  /** bytes of its blob */
  size?: number;
  /** whether the blob was kept */
  blob?: boolean;
  /** id of the unpacked layer */
  layer?: string;
  /** files and directories in it */
  files?: number;
  /** bytes of its files */
  bytes?: number;
}

export interface ImageShowResultConfig {
  /** words before every command */
  entrypoint?: unknown[] | null;
  /** the command if none is given */
  cmd?: unknown[] | null;
  /** variables, as NAME=VALUE */
  env?: unknown[] | null;
  /** who runs commands */
  user?: string | null;
  /** where they run */
  workdir?: string | null;
  /** ports that its programs listen on */
  ports?: Record<string, unknown> | null;
  /** directories that are meant to be kept elsewhere */
  volumes?: Record<string, unknown> | null;
  /** notes of its makers */
  labels?: Record<string, unknown> | null;
  /** signal that ends it */
  stop_signal?: string | null;
}

export interface ImageShowResultPolicy {
  /** capabilities; null: it says nothing about them */
  caps?: unknown[] | null;
  /** preset of system calls; null: it says nothing */
  seccomp?: string | null;
  /** none, loopback or any; null: it says nothing */
  net?: string | null;
}

/** What image.show gives. */
export interface ImageShowResult {
  /** image id */
  id?: string;
  /** SHA-256 of its manifest */
  digest?: string;
  /** one of its names: the one that was given now, or the first; "": it has none */
  name?: string;
  /** what it is called here */
  names?: unknown[];
  /** reference, file or box that it comes from */
  source?: string;
  /** operating system and architecture */
  platform?: string;
  /** bytes of its blobs */
  size?: number;
  /** when it was added here, in milliseconds since 1970 */
  created_ms?: number;
  /** oldest first */
  layers?: ImageShowResultLayersItem[];
  /** what a box from it gets */
  config?: ImageShowResultConfig;
  /** what runs on this image have at most; null: it says nothing */
  policy?: ImageShowResultPolicy | null;
  /** boxes and templates that stand on it, at most 20; only for the person */
  used_by?: unknown[];
  /** how many stand on it */
  users?: number;
}

/** Remove an image */
export interface ImageRmArgs {
  /** name, id, or digest or the beginning of it; 'debian' means 'docker.io/library/debian:latest' unless an image is called that here */
  image: string;
}

/** What image.rm gives. */
export interface ImageRmResult {
  /** of the image */
  id?: string;
  /** false: only the name was removed, because the image has others */
  removed?: boolean;
  /** unpacked layers that were removed with it */
  layers?: number;
  /** blobs that were removed with it */
  blobs?: number;
}

/** Check that an image is whole */
export interface ImageVerifyArgs {
  /** name, id, or digest or the beginning of it; 'debian' means 'docker.io/library/debian:latest' unless an image is called that here */
  image: string;
}

/** What image.verify gives. */
export interface ImageVerifyResult {
  /** blobs that are what their names say */
  blobs?: number;
  /** layers whose blob was not kept */
  not_kept?: number;
  /** bytes that were read */
  bytes?: number;
  /** layers that are there */
  layers?: number;
  /** unpacked files that are as in their layers */
  files?: number;
}

/** Make an image of a box */
export interface ImagePackArgs {
  /** a box that stands on an image */
  box: string;
  /** what the new image is called */
  name: string;
  /** of the new layer; default: gzip */
  compression?: "gzip" | "zstd" | "none";
}

/** What image.pack gives. */
export interface ImagePackResult {
  /** image id */
  id?: string;
  /** SHA-256 of its manifest */
  digest?: string;
  /** one of its names: the one that was given now, or the first; "": it has none */
  name?: string;
  /** what it is called here */
  names?: unknown[];
  /** reference, file or box that it comes from */
  source?: string;
  /** operating system and architecture */
  platform?: string;
  /** bytes of its blobs */
  size?: number;
  /** when it was added here, in milliseconds since 1970 */
  created_ms?: number;
  /** layers of the image */
  layers?: number;
  /** those that were not here yet */
  unpacked?: number;
}

/** Send an image to a registry */
export interface ImagePushArgs {
  /** name, id, or digest or the beginning of it; 'debian' means 'docker.io/library/debian:latest' unless an image is called that here */
  image: string;
  /** REGISTRY/REPOSITORY:TAG; default: its name */
  reference?: string;
}

/** What image.push gives. */
export interface ImagePushResult {
  /** SHA-256 of its manifest */
  digest?: string;
  /** the full reference that it has there */
  to?: string;
  /** blobs that were sent */
  sent?: number;
  /** blobs that the registry had already */
  there?: number;
}

/** Write an image to a file */
export interface ImageSaveArgs {
  /** name, id, or digest or the beginning of it; 'debian' means 'docker.io/library/debian:latest' unless an image is called that here */
  image: string;
  /** where to; nothing may be there */
  file: string;
  /** default: oci-archive; layout is a directory */
  format?: "oci-archive" | "docker-archive" | "layout" | "pseudo";
}

/** What image.save gives. */
export interface ImageSaveResult {
  /** SHA-256 of its manifest */
  digest?: string;
  /** where it was written to */
  file?: string;
}

/** Make an image from a root file system */
export interface ImageInitArgs {
  /** a tar archive of a root file system: .tar, .tar.gz, .tar.xz, .tar.zst */
  rootfs: string;
  /** what the image is called; default: the name of the file */
  name?: string;
}

export interface ImageInitResultLeftOut {
  /** device nodes; no box has those of an image */
  devices?: number;
  /** attributes of files that this user cannot set */
  xattrs?: number;
  /** owners of links and pipes, for a user with one id */
  owners?: number;
}

/** What image.init gives. */
export interface ImageInitResult {
  /** image id */
  id?: string;
  /** SHA-256 of its manifest */
  digest?: string;
  /** one of its names: the one that was given now, or the first; "": it has none */
  name?: string;
  /** what it is called here */
  names?: unknown[];
  /** reference, file or box that it comes from */
  source?: string;
  /** operating system and architecture */
  platform?: string;
  /** bytes of its blobs */
  size?: number;
  /** when it was added here, in milliseconds since 1970 */
  created_ms?: number;
  /** layers of the image */
  layers?: number;
  /** those that were not here yet */
  unpacked?: number;
  /** what of them could not be kept */
  left_out?: ImageInitResultLeftOut;
}

/** List the available profiles */
export interface ProfileLsArgs {
}

export interface ProfileLsResultProfilesItem {
  /** name for --profile */
  name?: string;
  /** description */
  about?: string | null;
  /** where it is: a path, or shipped:NAME */
  file?: string | null;
  /** the profile it extends */
  extends?: string | null;
  /** why it cannot be used */
  error?: string | null;
}

/** What profile.ls gives. */
export interface ProfileLsResult {
  /** sorted by name; the person's come before the system's, and these before the shipped ones */
  profiles?: ProfileLsResultProfilesItem[];
}

/** Show a complete profile as one file */
export interface ProfileShowArgs {
  /** a name that 'aisbx profile ls' lists, or a file (with a '/'); default: $AISBX_PROFILE, or dev */
  profile?: string;
}

/** What profile.show gives. */
export interface ProfileShowResult {
  /** its name, or the path of its file */
  name?: string;
  /** the files that were read: its own, then those it extends; shipped:NAME for those that come with aisbx */
  files?: unknown[];
  /** all values in effect, as a self-contained file would set them */
  profile?: Record<string, unknown>;
  /** what is written in the words of another tool, and how it is read */
  notes?: unknown[];
}

/** Check whether a file is a valid profile */
export interface ProfileCheckArgs {
  /** the file to read */
  file: string;
}

/** What profile.check gives. */
export interface ProfileCheckResult {
  /** always true; problems are reported as an error */
  ok?: boolean;
  /** the files that were read: its own, then those it extends; shipped:NAME for those that come with aisbx */
  files?: unknown[];
  /** all values in effect, as a self-contained file would set them */
  profile?: Record<string, unknown>;
  /** what is written in the words of another tool, and how it is read */
  notes?: unknown[];
}

/** Show for each value of a profile where it comes from */
export interface ProfileExplainArgs {
  /** a name that 'aisbx profile ls' lists, or a file (with a '/'); default: $AISBX_PROFILE, or dev */
  profile?: string;
  /** as for run */
  net?: string[];
  /** as for run */
  "no-net"?: boolean;
  /** as for run */
  seccomp?: "default" | "python" | "javascript" | "shell" | "go" | "rust" | "java" | "c" | "wasm";
  /** end the run after this time; 0: never */
  timeout?: string | number;
  /** maximum number of processors, such as 2 or 0.5; 0: all */
  cpu?: number;
  /** processor time of all processes together */
  "cpu-time"?: string | number;
  /** memory of all processes together, including files in memory; 0: no limit */
  mem?: string | number;
  /** bytes that the box may write */
  disk?: string | number;
  /** files, directories and links that the box may make */
  inodes?: number;
  /** bytes of one file */
  "file-size"?: string | number;
  /** processes and threads at once */
  pids?: number;
  /** open files per process */
  files?: number;
  /** bytes of each output stream that are passed on; with --json stored in the result (default 4m) */
  output?: string | number;
  /** instructions that a WebAssembly program may execute; only with the driver wasm; 0: no limit */
  fuel?: number;
}

export interface ProfileExplainResultValuesItem {
  /** as in a file; env.set is the key set in env */
  key?: string;
  /** name of a variable or secret; mode of a mount */
  name?: string | null;
  /** value in effect */
  value?: string;
  /** the file that sets it, option --NAME, or default */
  from?: string;
  /** line of that file */
  line?: number | null;
}

/** What profile.explain gives. */
export interface ProfileExplainResult {
  /** its name, or the path of its file */
  profile?: string;
  /** who chose the profile: you, variable AISBX_PROFILE or default */
  chosen_by?: string;
  /** the files that were read: its own, then those it extends; shipped:NAME for those that come with aisbx */
  files?: unknown[];
  /** every key, with each of its values */
  values?: ProfileExplainResultValuesItem[];
}

/** Show the differences between two profiles */
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
  /** value in the first */
  a?: string;
  /** value in the second */
  b?: string;
  /** keys with different values */
  differences?: ProfileDiffResultDifferencesItem[];
}

/** Show the JSON schema of profiles */
export interface ProfileSchemaArgs {
}

/** What profile.schema gives. */
export interface ProfileSchemaResult {
  /** version of JSON Schema */
  "$schema"?: string;
  /** title */
  title?: string;
  /** object */
  type?: string;
  /** every key of a profile */
  properties?: Record<string, unknown>;
}

/** Check an aisbx.yaml and report all problems */
export interface ProjectCheckArgs {
  /** the file, or a directory that contains one or is below one; default: the current directory */
  path?: string;
}

export interface ProjectCheckResultErrorsItem {
  /** line; null: the whole file */
  line?: number | null;
  /** column */
  column?: number | null;
  /** the problem, and what would be right */
  text?: string;
}

/** What project.check gives. */
export interface ProjectCheckResult {
  /** the file is valid */
  ok?: boolean;
  /** what was read */
  file?: string;
  /** all problems */
  errors?: ProjectCheckResultErrorsItem[];
}

/** Show the settings of a project: its gates, stages, experiments, rules */
export interface ProjectShowArgs {
  /** the project; default: the current directory */
  dir?: string;
}

/** What project.show gives. */
export interface ProjectShowResult {
  /** file that was read; null: the project has none */
  file?: string | null;
  /** all files that were read: that of the directory and those above it, the outermost first */
  files?: unknown[];
  /** the file defines stages; otherwise the default stages are shown */
  own_stages?: boolean;
  /** all settings in effect, as a file would set them */
  project?: Record<string, unknown>;
}

/** Show the JSON schema of aisbx.yaml */
export interface ProjectSchemaArgs {
}

/** What project.schema gives. */
export interface ProjectSchemaResult {
  /** version of JSON Schema */
  "$schema"?: string;
  /** title */
  title?: string;
  /** object */
  type?: string;
  /** every section of the file */
  properties?: Record<string, unknown>;
}

/** Show what this machine supports and how to fix what is missing */
export interface DoctorArgs {
  /** also count what earlier runs left behind */
  leaks?: boolean;
}

export interface DoctorResultChecksItem {
  /** name of the wall or ability; walls are named as in --without */
  name?: string;
  /** ok, missing, or limited: works, but a newer kernel can do more */
  status?: string;
  /** what was tried, with what result */
  detail?: string;
  /** how to fix it: a command, an option, a version */
  fix?: string | null;
  /** 'aisbx run' does not start without it */
  refuses?: boolean;
}

export interface DoctorResultFacts {
  /** docker, podman or another container that this runs in, if it can be detected */
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
  /** controllers that this user may use */
  cgroup_delegated?: unknown[];
  /** subordinate ids of this user, START:COUNT */
  subuid?: unknown[];
}

export interface DoctorResultLeaks {
  /** aisbx-jail processes without a supervisor */
  processes?: number;
  /** mounts of aisbx in this mount namespace */
  mounts?: number;
  /** empty cgroups of boxes whose supervisor is gone */
  cgroups?: number;
  /** network namespaces held by these processes */
  namespaces?: number;
  /** layers of killed runs, and directories of killed policy checks */
  files?: number;
  /** boxes running now; not a leak */
  live_boxes?: number;
  /** runs whose supervisor was killed and that are not in the history yet; not a leak */
  dead_runs?: number;
  /** network namespaces of the whole machine; null unless root */
  kernel_net_namespaces?: number | null;
  /** descriptions of the leaks; the first 32 */
  found?: unknown[];
}

/** What doctor gives. */
export interface DoctorResult {
  /** release of the running kernel */
  kernel?: string;
  /** architecture of the machine */
  arch?: string;
  /** the user running aisbx */
  user?: string;
  /** effective user id */
  uid?: number;
  /** root: boxes have shifted ids; user: own id only; nested: inside a user namespace */
  mode?: string;
  /** a box was started as a test, and it worked */
  run_will_start?: boolean;
  /** isolation of that box: full, or null if it did not start */
  level?: string | null;
  /** every wall, what is needed to build walls, and last the box that was started */
  checks?: DoctorResultChecksItem[];
  /** what was read, not tried */
  facts?: DoctorResultFacts;
  /** only with --leaks: what runs left behind; root counts those of all users, others their own */
  leaks?: DoctorResultLeaks;
}

/** Show the JSON schema of arguments and results */
export interface SchemaArgs {
  /** only this operation */
  operation?: string;
}

export interface SchemaResultOperationsItem {
  /** name on the command line */
  name?: string;
  /** method name in the protocols; null: command line only */
  method?: string | null;
  /** name of the tool for models; null: only offered with all tools */
  tool?: string | null;
  /** what it does */
  summary?: string;
  /** permission that a caller needs: read, run */
  grant?: string;
  /** JSON schema */
  arguments?: Record<string, unknown>;
  /** JSON schema */
  result?: Record<string, unknown>;
}

/** What schema gives. */
export interface SchemaResult {
  /** version of the format */
  version?: number;
  /** every operation with the schemas of its arguments and result */
  operations?: SchemaResultOperationsItem[];
}

/** Show every setting that holds here, and where it comes from */
export interface ConfigExplainArgs {
  /** only this setting */
  key?: string;
}

export interface ConfigExplainResultValuesItem {
  /** its name */
  key?: string;
  /** of a mapping: the name in it */
  name?: string | null;
  /** its value */
  value?: string | null;
  /** the option, variable or file that says so, or default */
  from?: string;
  /** the line of that file */
  line?: number | null;
}

/** What config.explain gives. */
export interface ConfigExplainResult {
  /** the profile that a run gets here */
  profile?: string;
  /** who chose it */
  chosen_by?: string;
  /** the files that were read: its own, then those it extends; shipped:NAME for those that come with aisbx */
  files?: unknown[];
  /** each setting */
  values?: ConfigExplainResultValuesItem[];
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
  "run.resize": { params: RunResizeArgs; result: RunResizeResult };
  "box.exec": { params: BoxExecArgs; result: BoxExecResult };
  "run.stats": { params: RunStatsArgs; result: RunStatsResult };
  "box.allow": { params: BoxAllowArgs; result: BoxAllowResult };
  "box.deny": { params: BoxDenyArgs; result: BoxDenyResult };
  "box.ports": { params: BoxPortsArgs; result: BoxPortsResult };
  "run.code": { params: RunCodeArgs; result: RunCodeResult };
  "code.contexts": { params: CodeContextsArgs; result: CodeContextsResult };
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
  "lang.list": { params: LangListArgs; result: LangListResult };
  "template.save": { params: TemplateSaveArgs; result: TemplateSaveResult };
  "template.ls": { params: TemplateLsArgs; result: TemplateLsResult };
  "template.rm": { params: TemplateRmArgs; result: TemplateRmResult };
  "template.push": { params: TemplatePushArgs; result: TemplatePushResult };
  "template.pull": { params: TemplatePullArgs; result: TemplatePullResult };
  "box.gc": { params: BoxGcArgs; result: BoxGcResult };
  "box.du": { params: BoxDuArgs; result: BoxDuResult };
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
  "file.url": { params: FileUrlArgs; result: FileUrlResult };
  "artifact.save": { params: ArtifactSaveArgs; result: ArtifactSaveResult };
  "artifact.ls": { params: ArtifactLsArgs; result: ArtifactLsResult };
  "artifact.show": { params: ArtifactShowArgs; result: ArtifactShowResult };
  "artifact.read": { params: ArtifactReadArgs; result: ArtifactReadResult };
  "artifact.get": { params: ArtifactGetArgs; result: ArtifactGetResult };
  "artifact.rm": { params: ArtifactRmArgs; result: ArtifactRmResult };
  "image.pull": { params: ImagePullArgs; result: ImagePullResult };
  "image.import": { params: ImageImportArgs; result: ImageImportResult };
  "image.ls": { params: ImageLsArgs; result: ImageLsResult };
  "image.show": { params: ImageShowArgs; result: ImageShowResult };
  "image.rm": { params: ImageRmArgs; result: ImageRmResult };
  "image.verify": { params: ImageVerifyArgs; result: ImageVerifyResult };
  "image.pack": { params: ImagePackArgs; result: ImagePackResult };
  "image.push": { params: ImagePushArgs; result: ImagePushResult };
  "image.save": { params: ImageSaveArgs; result: ImageSaveResult };
  "image.init": { params: ImageInitArgs; result: ImageInitResult };
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
  "config.explain": { params: ConfigExplainArgs; result: ConfigExplainResult };
}
