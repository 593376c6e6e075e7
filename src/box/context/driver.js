const fs = require("fs"), vm = require("vm"), util = require("util"), child = require("child_process");
const [here, idle] = process.argv.slice(-2);
fs.rmSync(here, { recursive: true, force: true });
fs.mkdirSync(here, { mode: 0o700, recursive: true });
child.execFileSync("mkfifo", [here + "/ask"]);
const ask = fs.openSync(here + "/ask", "r+");
globalThis.require = require;

function lineOf(error) {
  const found = /<code>:(\d+)/.exec(String(error && error.stack));
  return found ? Number(found[1]) : null;
}

// JSON that strict readers take: without NUL and halves of characters.
function wire(said) {
  return JSON.stringify(said).replace(/\\u(d[89a-f][0-9a-f]{2}|0000)/g, "\\ufffd");
}

async function run(code) {
  const said = { results: [], error: null };
  try {
    const value = await vm.runInThisContext(code, { filename: "<code>", breakOnSigint: true });
    if (value !== undefined) said.results.push({ text: util.inspect(value).slice(0, 1 << 20), is_main_result: true });
  } catch (error) {
    said.error = { name: (error && error.name) || typeof error, message: String((error && error.message) || error), line: lineOf(error),
      traceback: String((error && error.stack) || error) };
  }
  return said;
}

async function turn(number) {
  const text = fs.readFileSync(`${here}/${number}.code`, "utf8"), end = text.indexOf("\n");
  Object.assign(process.env, JSON.parse(text.slice(0, end)));
  const code = text.slice(end + 1);
  const kept = [process.stdout.write, process.stderr.write];
  const fds = ["out", "err"].map((name) => fs.openSync(`${here}/${number}.${name}`, "w", 0o600));
  [process.stdout, process.stderr].forEach((stream, i) => {
    stream.write = (data, encoding, done) => {
      fs.writeSync(fds[i], typeof data === "string" ? data : Buffer.from(data));
      const then = typeof encoding === "function" ? encoding : done;
      if (then) then();
      return true;
    };
  });
  const said = await run(code);
  [process.stdout, process.stderr].forEach((stream, i) => { stream.write = kept[i]; });
  fds.forEach((fd) => fs.closeSync(fd));
  fs.writeFileSync(`${here}/${number}.new`, wire(said));
  fs.renameSync(`${here}/${number}.new`, `${here}/${number}.done`);
}

function end() {
  fs.rmSync(here, { recursive: true, force: true });
  fs.writeSync(ask, "0"); // node does not exit while a thread of its own still reads
  process.exit(0);
}

let timer = null;
function wait() {
  if (Number(idle)) timer = setTimeout(end, Number(idle) * 1000);
  fs.read(ask, Buffer.alloc(64), 0, 64, null, async (error, n, data) => {
    clearTimeout(timer);
    await turn(parseInt(data.toString("latin1", 0, n), 10));
    wait();
  });
}
process.on("SIGINT", () => {});
process.on("uncaughtException", (error) => fs.writeSync(2, String(error && error.stack) + "\n"));
process.on("unhandledRejection", (error) => fs.writeSync(2, String(error && error.stack) + "\n"));
fs.writeFileSync(here + "/pid", String(process.pid));
wait();
