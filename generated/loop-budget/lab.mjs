// The command line of the lab, which is given: Stop an agent loop on a budget,
// and leave a trace

import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  writeSync,
} from "node:fs";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const HERE = path.dirname(realpathSync(fileURLToPath(import.meta.url)));
const USAGE_ERROR = 64;
const CRASH = 70;
const TRACE = "trace.json";
const EXIT_CODES = { done: 0, budget: 2, error: 1 };

const PROGRAM = "./loop-budget.mjs";
const FIRST_FIXTURE = "happy_path_v1.json";
const REASONS = {
  tests_green: { kind: "done", exitCode: 0 },
  "budget:turns": { kind: "budget", exitCode: 2 },
  "budget:tool_calls": { kind: "budget", exitCode: 2 },
  "budget:write_bytes": { kind: "budget", exitCode: 2 },
  stopped_red: { kind: "error", exitCode: 1 },
  script_exhausted: { kind: "error", exitCode: 1 },
  protocol_error: { kind: "error", exitCode: 1 },
  "budget:escapes": { kind: "budget", exitCode: 2 },
  "budget:red_runs": { kind: "budget", exitCode: 2 },
};
const LIMITS = {
  turns: "maxTurns",
  tool_calls: "maxToolCalls",
  write_bytes: "maxWriteBytes",
};

const USAGE = `usage: node lab.mjs COMMAND

  run FIXTURE        run a fixture, and record how it ends
    --ledger LEDGER  the file to add a line to (artifacts/exits.jsonl)
    --run-id ID      what to call this run (run-001)
    --trace TRACE    the file for the events of the run (none)
    --workspace DIR  the folder the tools work in (a copy, thrown away)
  report TRACE       print the fuel report of a trace
  signature LEDGER   show how the runs in a ledger ended
  fixtures           list the fixtures`;

/** Something that the person at the keyboard can put right. */
class LabError extends Error {}

// --- the command line ---

const COMMANDS = { run, report, signature, fixtures, help };
const TAKES_FILE = ["run", "report", "signature"];

async function main(words) {
  const { values, positionals } = options(words);
  const [command, ...files] = values.help ? ["help"] : positionals;
  const known = Object.hasOwn(COMMANDS, command ?? "");
  if (!known || files.length !== (TAKES_FILE.includes(command) ? 1 : 0)) {
    throw new LabError(`this is no command\n\n${USAGE}`);
  }
  return COMMANDS[command](files[0], values);
}

function options(words) {
  const text = { type: "string" };
  const known = { ledger: text, "run-id": text, trace: text, workspace: text };
  try {
    return parseArgs({
      args: words,
      options: { ...known, help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
  } catch (problem) {
    throw new LabError(`${problem.message}\n\n${USAGE}`);
  }
}

/** Run a fixture; the exit code is that of the reason. */
async function run(file, { ledger = "artifacts/exits.jsonl", ...values }) {
  const fixture = await readFixture(file);
  const [line, trace, workspace] = [ledger, values.trace, values.workspace].map(
    (place) => place && path.resolve(place),
  );
  const ended = await play(fixture, { trace, workspace });
  if (ended.crash) return tellCrash(ended.crash);
  const record = { ...ended.record, run_id: values["run-id"] ?? "run-001" };
  appendLine(line, { ...record, fixture_id: fixture.id });
  console.log(`${plain(record.reason)}: see the last line of ${plain(ledger)}`);
  return ended.exitCode;
}

/** Print the fuel report of a trace; exit code 1 if the trace is not closed. */
async function report(file) {
  const { fuelReport } = await import("./report.mjs");
  return reportOn(file, fuelReport);
}

async function reportOn(file, fuelReport) {
  const events = parse(await bytesOf(file, "the trace"), "the trace");
  if (!Array.isArray(events)) throw new LabError("a trace is a list of events");
  for (const line of [fuelReport(events)].flat()) console.log(line);
  return closingEvent(events) ? 0 : 1;
}

/** Show for each line of a ledger its run, fixture and exit signature. */
async function signature(file) {
  const bytes = await bytesOf(file, "the ledger");
  const lines = bytes.toString("latin1").split("\n"); // one character a byte
  for (const [index, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const what = `line ${index + 1} of the ledger`;
    const record = parse(Buffer.from(line, "latin1"), what);
    if (!isObject(record)) throw new LabError(`${what} is not a JSON object`);
    const { run_id: runId = null, fixture_id: fixtureId = null } = record;
    console.log(exitSignature(record), ascii(runId), ascii(fixtureId));
  }
  return 0;
}

/** Equal for two runs that ended in the same way, whatever their ids. */
function exitSignature(record) {
  const names = ["last_error", "reason", "tool_names", "turns"];
  const there = names.filter((name) => Object.hasOwn(record, name));
  const covered = Object.fromEntries(there.map((name) => [name, record[name]]));
  const digest = createHash("sha256").update(ascii(covered)).digest("hex");
  return digest.slice(0, 12);
}

function help() {
  console.log(USAGE);
  return 0;
}

/** List the fixtures that come with the lab. */
async function fixtures() {
  const names = await fs.readdir(path.join(HERE, "fixtures"));
  for (const name of names.filter((each) => each.endsWith(".json")).sort()) {
    const fixture = await readFixture(path.join(HERE, "fixtures", name));
    console.log(`fixtures/${name} (${fixture.planned_calls.length} steps)`);
  }
  return 0;
}

// --- a run ---

/**
 * Play a fixture; resolves to `record`, what a ledger line says of the run, to
 * the `exitCode` of its reason, and to its `events`. A run that did not come to
 * a reason has a `crash` instead of a record.
 *
 * `trace` is a file for the events. `workspace` is a prepared folder for the
 * tools; by default they get a fresh one. `program` has the functions of the
 * lab; by default it is loaded as soon as the workspace is the current folder.
 */
export async function play(fixture, { trace, workspace, program } = {}) {
  if (workspace !== undefined) {
    return playIn(workspace, fixture, trace, program);
  }
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "lab-"));
  try {
    const fresh = await freshWorkspace(folder, fixture);
    return await playIn(fresh, fixture, trace, program);
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}

/** Play a fixture of the lab by its id. Rejects with the crash, if any. */
export async function playFixture(id, program) {
  const ended = await play(await ownFixture(`${id}.json`), { program });
  if (ended.crash) throw ended.crash;
  return ended;
}

async function playIn(folder, fixture, trace, program) {
  const home = process.cwd();
  try {
    process.chdir(folder);
  } catch (problem) {
    throw new LabError(`there is no workspace: ${problem.message}`);
  }
  try {
    return await playHere(fixture, trace, program ?? (await import(PROGRAM)));
  } catch (crash) {
    return { crash: asError(crash), events: [] };
  } finally {
    process.chdir(home);
  }
}

async function playHere(fixture, trace, program) {
  const tracer = program.createTracer();
  const ended = await ending(program, fixture, tracer);
  if (trace !== undefined) {
    await fs.mkdir(path.dirname(trace), { recursive: true });
    await tracer.dump(trace);
  }
  const events = Array.isArray(tracer.events) ? tracer.events : [];
  return { ...outcome(events, ended), events };
}

/** How the loop ended: the kind of its reason, and its result or its error. */
async function ending(program, fixture, tracer) {
  const { goal = "", planned_calls: steps, budgets = {} } = fixture;
  const budget = { ...program.DEFAULT_BUDGET };
  for (const [name, limit] of Object.entries(budgets)) {
    budget[LIMITS[name]] = limit;
  }
  try {
    const model = program.scriptedModel(steps);
    const result = await program.runLoop({ goal, model, budget, tracer });
    return { kind: "done", result };
  } catch (thrown) {
    const error = asError(thrown);
    const kinds = { BUDGET: "budget", ERROR: "error" };
    return { kind: kinds[error.code], error };
  }
}

/** The record of a run, from its events and the way it ended; or its crash. */
function outcome(events, { kind, result, error }) {
  const closing = closingEvent(events);
  const reason = closing?.reason ?? result?.reason ?? error?.message;
  if (typeof reason !== "string") {
    return { crash: error ?? new Error("the run ended without a reason") };
  }
  if (error && kind === undefined && !isReason(reason)) return { crash: error };
  const turns = events.filter((event) => event?.type === "turn").length;
  const calls = events.filter((event) => event?.type === "tool");
  const record = {
    last_error: lastError(events, closing, kind),
    reason,
    stopped_on_turn: turns,
    tool_names: calls.map((event) => event.name),
    turns,
  };
  return { record, exitCode: exitCode(reason, kind ?? "error") };
}

/** Whether an error without a code says why the loop stopped, or is a crash. */
function isReason(reason) {
  const looksLikeOne = reason !== "crash" && /^[a-z][a-z0-9_:]*$/.test(reason);
  return Object.hasOwn(REASONS, reason) || looksLikeOne;
}

/** What the closing event says, or the code of the last failure if not done. */
function lastError(events, closing, kind) {
  if (Object.hasOwn(closing ?? {}, "last_error")) return closing.last_error;
  const failed = events.findLast((event) => event?.type === "tool_error");
  return kind === "done" ? null : (failed?.error ?? null);
}

function exitCode(reason, kind) {
  const known = Object.hasOwn(REASONS, reason) ? REASONS[reason] : {};
  return known.kind === kind ? known.exitCode : EXIT_CODES[kind];
}

/** The event that closes a trace, if it is closed. */
function closingEvent(events) {
  const last = events.at(-1);
  return ["stop", "budget", "error"].includes(last?.type) ? last : undefined;
}

/** A copy of the workspace in a folder, as the fixture wants it. */
async function freshWorkspace(folder, fixture) {
  const workspace = path.join(folder, "workspace");
  const { files = {}, links = {} } = fixture.workspace ?? {};
  await copyFolder(path.join(HERE, "workspace"), workspace);
  for (const [name, text] of Object.entries(files)) {
    const place = await emptied(path.join(workspace, name), workspace);
    if (text === null) continue;
    await fs.mkdir(path.dirname(place), { recursive: true });
    await fs.writeFile(place, text);
  }
  for (const [name, target] of Object.entries(links)) {
    const place = await emptied(path.join(workspace, name), workspace);
    await fs.mkdir(path.dirname(place), { recursive: true });
    await fs.symlink(target, place);
  }
  return workspace;
}

async function copyFolder(from, to) {
  await fs.mkdir(to);
  for (const entry of await fs.readdir(from, { withFileTypes: true })) {
    const source = path.join(from, entry.name);
    const copy = path.join(to, entry.name);
    if (entry.isDirectory()) await copyFolder(source, copy);
    else await fs.writeFile(copy, await fs.readFile(source));
  }
}

/** A place with nothing at it, in a folder that is there. */
async function emptied(place, workspace) {
  await fs.rm(place, { recursive: true, force: true });
  await removeEmpty(path.dirname(place), workspace);
  return place;
}

/** Take a folder away if it is empty, and those above it that then are. */
async function removeEmpty(folder, workspace) {
  const names = await fs.readdir(folder).catch(() => [""]);
  if (folder === workspace || names.length > 0) return;
  await fs.rmdir(folder);
  await removeEmpty(path.dirname(folder), workspace);
}

// --- the records ---

/** Append a record with one write, and not to the torn line of a killed run. */
function appendLine(file, record) {
  mkdirSync(path.dirname(file), { recursive: true });
  const names = Object.keys(record).sort();
  const sorted = Object.fromEntries(names.map((name) => [name, record[name]]));
  const descriptor = openSync(file, "a+");
  try {
    const { size } = fstatSync(descriptor);
    const last = Buffer.from("\n");
    if (size > 0) readSync(descriptor, last, 0, 1, size - 1);
    const start = last.toString() === "\n" ? "" : "\n";
    const data = Buffer.from(`${start}${JSON.stringify(sorted)}\n`);
    if (writeSync(descriptor, data) !== data.length) {
      throw new Error(`the line was not written whole: ${file}`);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** The fixture in a file. Rejects with a LabError if there is none. */
async function readFixture(file) {
  const fixture = parse(await bytesOf(file, "the fixture"), "the fixture");
  if (!isObject(fixture)) throw new LabError("a fixture is a JSON object");
  const { id, planned_calls: steps, budgets = {} } = fixture;
  if (typeof id !== "string" || !Array.isArray(steps) || !isObject(budgets)) {
    const needs = 'a text "id" and a list "planned_calls"';
    throw new LabError(`a fixture needs ${needs}, and maybe "budgets" by name`);
  }
  for (const [name, limit] of Object.entries(budgets)) {
    if (!Object.hasOwn(LIMITS, name)) {
      throw new LabError(`there is no budget ${name}`);
    }
    if (!Number.isSafeInteger(limit) || limit < 0) {
      throw new LabError(`the budget ${name} is no whole number of at least 0`);
    }
  }
  return fixture;
}

/** A fixture that comes with the lab. */
function ownFixture(name) {
  return readFixture(path.join(HERE, "fixtures", name));
}

async function bytesOf(file, what) {
  try {
    return await fs.readFile(file);
  } catch (problem) {
    throw new LabError(`${what} cannot be read: ${problem.message}`);
  }
}

function parse(bytes, what) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (problem) {
    throw new LabError(`${what} is not JSON: ${problem.message}`);
  }
}

// --- starting and ending ---

/** Whether the module at a URL is the one that `node` was told to run. */
export function startedDirectly(url) {
  const started = process.argv[1] ?? "";
  if (!existsSync(started)) return false;
  return realpathSync(started) === realpathSync(fileURLToPath(url));
}

/** Play the first fixture, leave trace.json, and end the process. */
export function runFirstFixture(program) {
  return finish(async () => {
    const fixture = await ownFixture(FIRST_FIXTURE);
    const ended = await play(fixture, { program, trace: path.resolve(TRACE) });
    if (ended.crash) return tellCrash(ended.crash);
    const { reason, turns, tool_names: calls } = ended.record;
    const used = `${turns} turns, ${calls.length} tool calls`;
    console.log(`${plain(reason)}: ${used}; see ${TRACE}`);
    return ended.exitCode;
  });
}

/** Print the fuel report of a trace, and end the process. */
export function printReport(file, fuelReport) {
  return finish(() => reportOn(file ?? TRACE, fuelReport));
}

/** End the process with the exit code that a task comes to, and not before. */
async function finish(task) {
  const tooEarly = () => {
    say("the process ended before the loop did");
    process.exitCode = CRASH;
  };
  process.once("exit", tooEarly);
  process.stdout.on("error", () => {}); // nobody reads on, as with `| head`
  const code = await task().catch(tellProblem);
  process.off("exit", tooEarly);
  const flushed = () => process.exit(code);
  process.stdout.write("", () => process.stderr.write("", flushed));
}

function tellProblem(problem) {
  if (!(problem instanceof LabError)) return tellCrash(asError(problem));
  say(problem.message);
  return USAGE_ERROR;
}

function tellCrash(crash) {
  console.error(crash.stack);
  say(`it crashed: ${crash.message}`);
  if (crash instanceof SyntaxError && !crash.stack.includes("file:")) {
    // It was found while a module was loaded, and Node keeps the place to itself.
    say(`"node --check ${PROGRAM}" shows the line, if it is in that file`);
  }
  return CRASH;
}

/** Tell the person at the keyboard something. */
function say(sentence) {
  console.error(`lab.mjs: ${sentence}`);
}

/** Whatever was thrown, as an error. */
function asError(thrown) {
  return thrown instanceof Error ? thrown : new Error(`${thrown} was thrown`);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON in ASCII. */
function ascii(value) {
  return JSON.stringify(value).replace(/[^ -~]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}

function plain(text) {
  return ascii(text).slice(1, -1);
}

if (startedDirectly(import.meta.url)) finish(() => main(process.argv.slice(2)));
