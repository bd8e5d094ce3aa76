// A live model for the loop: asks a chat-completions endpoint for the next step.
//
// This file is given. A planner is one more producer of steps, like the scripted model:
// the loop, its budgets, the ledger and the trace stay what they are. Three environment
// variables say whom to ask:
//
//   LAB_ENDPOINT  the base URL, ending in /v1, or the whole URL of chat completions
//   LAB_MODEL     the name of the model
//   LAB_API_KEY   the key, if the endpoint wants one
//
// Live models flake, and a test may not. So freeze what one did: its steps become a
// fixture, which the scripted model replays for ever after:
//
//   node planner.mjs freeze --goal "Make the tests pass" --id my_run_v1
//
// An endpoint that fails is asked again, a few times and not for long; then the planner
// stops the loop with the reason `planner_failed`. LAB_TIMEOUT (seconds for one answer),
// LAB_TRIES and LAB_LONGEST_WAIT (seconds between two tries) change its patience. It
// follows no redirect and uses no proxy, so the key reaches the endpoint and nobody else.

import { spawn } from "node:child_process";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const MOST_BYTES = 1024 * 1024; // of one answer; the rest of a longer one is not read
const MOST_STEPS = 200; // of one run: a loop without a working budget must end as well
const MOST_LEVELS = 20; // of lists and objects inside each other, in arguments
const LONGEST_TEXT = 300; // characters of a goal, of a tool's name, of a reason
const FIRST_WAIT = 1; // seconds; doubled after each try
const REPLAY_SECONDS = 300;
const TRY_AGAIN = [408, 409, 425, 429]; // and everything from 500 on
const [FINDING, USAGE_ERROR, CRASH] = [1, 64, 70]; // exit codes

const PLANNER_FAILED = { type: "stop", reason: "planner_failed" };
const NO_STEP = { type: "other" };

// --- the endpoint ---

/** The settings do not say whom to ask. The message never contains the key. */
export class SettingsError extends Error {}

/** An endpoint gave no answer. `again` says whether asking once more may help. */
class NoAnswer extends Error {
  constructor(why, { again = true, wait = null } = {}) {
    super(why);
    this.again = again;
    this.wait = wait;
  }
}

/**
 * Whom to ask, and how patiently. Throws SettingsError where that makes no sense.
 *
 * `timeout` is in seconds, from the connection to the last byte of an answer;
 * `longestWait` is the most seconds between two of the `tries`.
 */
export function checkedEndpoint(settings) {
  const { url, model, key = "", timeout = 60, tries = 4, longestWait = 20 } = settings;
  if (!model) throw new SettingsError("LAB_MODEL names no model");
  if (!/^[!-~]*$/.test(key)) {
    throw new SettingsError("LAB_API_KEY has characters that no key can have");
  }
  if (!(timeout > 0 && timeout <= 600 && tries >= 1 && tries <= 10)) {
    throw new SettingsError("LAB_TIMEOUT is 0 to 600 seconds, LAB_TRIES is 1 to 10");
  }
  if (!(longestWait >= 0 && longestWait <= 120)) {
    throw new SettingsError("LAB_LONGEST_WAIT is 0 to 120 seconds");
  }
  return { address: addressOf(url), model, key, timeout, tries: Math.trunc(tries), longestWait };
}

/** The endpoint that the environment variables describe. */
export function endpointFrom(environment) {
  const url = (environment.LAB_ENDPOINT ?? "").trim();
  if (!url) throw new SettingsError("LAB_ENDPOINT is not set; it is the URL to ask");
  return checkedEndpoint({
    url,
    model: (environment.LAB_MODEL ?? "").trim(),
    key: (environment.LAB_API_KEY ?? "").trim(),
    timeout: numberIn(environment, "LAB_TIMEOUT"),
    tries: numberIn(environment, "LAB_TRIES"),
    longestWait: numberIn(environment, "LAB_LONGEST_WAIT"),
  });
}

function numberIn(environment, name) {
  const text = (environment[name] ?? "").trim();
  if (!text) return undefined;
  if (!/^[0-9]{1,4}(\.[0-9]{1,6})?$/.test(text)) {
    throw new SettingsError(`${name} has to be a number such as 2 or 0.5`);
  }
  return Number(text);
}

/** The URL that is asked. */
function addressOf(text) {
  const usable = /^https?:\/\/[!-.0-~][!-~]*$/i.test(text) && URL.canParse(text);
  const url = usable ? new URL(text) : null;
  if (!usable || url.username || url.password) {
    const wanted = "an http or https URL without a user or a password";
    throw new SettingsError(`LAB_ENDPOINT has to be ${wanted}`);
  }
  url.hash = "";
  url.pathname = url.pathname.replace(/\/+$/, "");
  if (url.pathname === "/") url.pathname = "/v1";
  if (url.pathname.endsWith("/v1")) url.pathname += "/chat/completions";
  return url;
}

/** The message that answers a conversation. Throws NoAnswer after all tries. */
async function ask(endpoint, messages) {
  const body = JSON.stringify({ model: endpoint.model, messages, temperature: 0, stream: false });
  for (let tried = 0; tried < endpoint.tries - 1; tried += 1) {
    try {
      return messageOf(await post(endpoint, body));
    } catch (problem) {
      if (!(problem instanceof NoAnswer) || !problem.again) throw problem;
      const wait = problem.wait ?? FIRST_WAIT * 2 ** tried;
      await sleep(1000 * Math.min(wait, endpoint.longestWait));
    }
  }
  return messageOf(await post(endpoint, body));
}

/** Send one question; the body of the answer as text. Throws NoAnswer. */
async function post(endpoint, body) {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  if (endpoint.key) headers.Authorization = `Bearer ${endpoint.key}`;
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), 1000 * endpoint.timeout);
  const { signal } = deadline;
  try {
    const request = { method: "POST", headers, body, redirect: "manual", signal };
    const answer = await fetch(endpoint.address, request);
    checkStatus(answer.status, answer.headers.get("Retry-After"));
    return await bounded(answer.body);
  } catch (problem) {
    if (problem instanceof NoAnswer) throw problem;
    if (signal.aborted) {
      throw new NoAnswer(`there was no whole answer within ${endpoint.timeout} seconds`);
    }
    throw new NoAnswer(`there is no connection: ${problem.cause?.code ?? problem.name}`);
  } finally {
    clearTimeout(timer);
    deadline.abort(); // whatever is left of the answer is not wanted
  }
}

/** The text of a body. Throws NoAnswer if it is too large or not UTF-8. */
async function bounded(stream) {
  const chunks = [];
  let size = 0;
  for await (const chunk of stream ?? []) {
    size += chunk.length;
    if (size > MOST_BYTES) {
      throw new NoAnswer(`the answer has more than ${MOST_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new NoAnswer("the answer is no chat completion");
  }
}

/** Throw NoAnswer for every status but success. */
function checkStatus(status, retryAfter) {
  if (status >= 200 && status < 300) return;
  if (status >= 300 && status < 400) {
    const why = `it redirects (status ${status}), which is not followed`;
    throw new NoAnswer(why, { again: false });
  }
  const again = TRY_AGAIN.includes(status) || status >= 500;
  const seconds = (retryAfter ?? "").trim();
  const wait = /^[0-9]{1,9}$/.test(seconds) ? Number(seconds) : null;
  throw new NoAnswer(`it answers with status ${status}`, { again, wait });
}

/** The message in a chat completion. Throws NoAnswer if the body is none. */
function messageOf(body) {
  let message = null;
  try {
    message = JSON.parse(body).choices[0].message;
  } catch {
    // said below, as for every other body without a message
  }
  if (!isObject(message)) throw new NoAnswer("the answer is no chat completion");
  return message;
}

// --- from an answer to a step ---

/**
 * The step in a model's message; NO_STEP if there is none.
 *
 * A tool that does not exist and arguments of the wrong shape are passed on: it is for
 * the loop to judge them. Of several tool calls only the first is taken.
 */
export function stepOf(message) {
  try {
    const calls = message.tool_calls;
    if (Array.isArray(calls) && calls.length > 0) return calledStep(calls[0].function);
    const answer = strictJson(withoutFence(textOf(message)));
    if (!isObject(answer)) return { ...NO_STEP };
    const { type = "tool", name, args, reason } = answer;
    if (type === "stop") return { type: "stop", reason: reasonOf(reason) };
    if (type === "tool") return toolStep(name, args);
  } catch {
    // whatever is wrong with it, it is no step
  }
  return { ...NO_STEP };
}

/** The step of a tool call in the form of the API. */
function calledStep({ name, arguments: given }) {
  const text = typeof given === "string" ? given : compact(given);
  return toolStep(name, text.trim() ? strictJson(text) : {});
}

/** The step that calls a tool. Throws without a usable name. */
function toolStep(name, args) {
  if (typeof name !== "string" || !name.trim() || name.length > LONGEST_TEXT) {
    throw new SyntaxError("no name");
  }
  if (!isPrintable(name) || levels(args) > MOST_LEVELS) {
    throw new SyntaxError("not one line, or nested too deeply");
  }
  return { type: "tool", name, args: args ?? {} };
}

/** How many lists and objects stand inside each other. */
function levels(value) {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Object.values(value).reduce((most, one) => Math.max(most, levels(one)), 0);
}

/** A stop's reason on one short line, `model_stop` if it gives none. */
function reasonOf(reason) {
  const words = typeof reason === "string" ? reason.split(/\s+/).filter(Boolean) : [];
  const text = Array.from(words.join(" ")).slice(0, LONGEST_TEXT).join("").trim();
  return text && isPrintable(text) ? text : "model_stop";
}

/** The text of a message, which may come in parts. */
function textOf({ content }) {
  const parts = Array.isArray(content) ? content : [{ text: content }];
  const texts = parts.map((part) => part?.text).filter((text) => typeof text === "string");
  return texts.join("").trim();
}

/** What stands between the first and the last ``` of a text, if it has them. */
function withoutFence(text) {
  if (text.startsWith("{")) return text;
  return text.match(/```[A-Za-z]*\s([^]*)```/)?.[1] ?? text;
}

/** JSON that a file can hold: no half surrogate pairs, and no 1e999, which is Infinity. */
function strictJson(text) {
  return JSON.parse(text, (key, value) => {
    const fits = typeof value === "number" ? Number.isFinite(value) : isWellFormed(value);
    if (!fits || !isWellFormed(key)) throw new SyntaxError("not storable");
    return value;
  });
}

function isWellFormed(value) {
  return typeof value !== "string" || value.isWellFormed();
}

function isPrintable(text) {
  return text.isWellFormed() && !/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(text);
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// --- the planner ---

const INSTRUCTIONS = `You work towards a goal in a small folder of files, one step at a time.
Answer with your next step: one JSON object and nothing else.

To use a tool:
{"type": "tool", "name": "NAME", "args": {"ARGUMENT": "TEXT"}}
To stop, with a short reason such as tests_green or stuck:
{"type": "stop", "reason": "REASON"}

The tools:
`;
const NOT_UNDERSTOOD = "That was no step. Answer with one JSON object and nothing else.";

/**
 * A model that asks an endpoint for one step after the other, and remembers all of them.
 *
 * `endpoint` comes from `endpointFrom` or `checkedEndpoint`, and `tools` from planner.json.
 * `events` are those of the tracer: a loop that pushes its turn before it asks would
 * otherwise hide what the last step came to.
 *
 * It never rejects: an answer that is no step becomes a step of type `other`, and an
 * endpoint that gives no answer a stop. `failed` says that it had to stop so.
 */
export function liveModel({ endpoint, tools, events = [] }) {
  const system = INSTRUCTIONS + tools.map(toolLine).join("");
  const messages = [{ role: "system", content: system }];
  const model = { steps: [], failed: false, decide };
  return model;

  async function decide({ goal, last }) {
    const step = await nextStep(goal, last);
    model.steps.push(step);
    return structuredClone(step);
  }

  async function nextStep(goal, last) {
    try {
      if (model.failed) return { ...PLANNER_FAILED };
      if (model.steps.length >= MOST_STEPS) {
        throw new NoAnswer(`the loop asked for more than ${MOST_STEPS} steps`);
      }
      return await carryOn(goal, last);
    } catch (problem) {
      if (!(problem instanceof NoAnswer)) throw problem;
      model.failed = true;
      say(`no step from ${endpoint.address.hostname}: ${problem.message}`);
      return { ...PLANNER_FAILED };
    }
  }

  async function carryOn(goal, last) {
    const before = model.steps.at(-1);
    let question = `Goal: ${goal}`;
    if (before) question = before.type === "other" ? NOT_UNDERSTOOD : report(last, events);
    messages.push({ role: "user", content: question });
    const message = await ask(endpoint, messages);
    const step = stepOf(message);
    const said = step.type === "other" ? excerpt(textOf(message)) : compact(step);
    messages.push({ role: "assistant", content: said || "(nothing)" });
    return step;
  }
}

/** What a model is told about a tool. */
function toolLine({ name, args, says }) {
  return `- ${name}(${args.join(", ")}): ${says}\n`;
}

/** What a model is told about the step before: the event that the loop left. */
function report(last, events) {
  const event = last?.type === "turn" ? events.findLast(({ type }) => type !== "turn") : last;
  if (!["tool_result", "tool_error"].includes(event?.type)) {
    return "The loop goes on. Your next step?";
  }
  const shown = ["type", "name", "result", "error", "final"].filter((key) => key in event);
  return compact(Object.fromEntries(shown.map((key) => [key, event[key]])));
}

function excerpt(text) {
  return Array.from(text.slice(0, 2 * LONGEST_TEXT)).slice(0, LONGEST_TEXT).join("");
}

function compact(value) {
  return JSON.stringify(value) ?? "null";
}

function say(sentence) {
  process.stderr.write(`planner.mjs: ${sentence}\n`);
}

// --- freezing ---

/** There is nothing to freeze, or to compare. */
class FreezeError extends Error {}

/**
 * Run the loop live, write its steps to `file`, and replay them.
 *
 * `plan` is the fixture without steps. Resolves to how the replay differs from the run,
 * empty if it does not. Rejects with FreezeError or SettingsError.
 */
async function freeze({ facts, endpoint, plan, file, folder }) {
  const { model, ...live } = await runLive({ facts, endpoint, plan, folder });
  if (model.failed || model.steps.length === 0) {
    throw new FreezeError("nothing was frozen: there is no whole run");
  }
  await fs.mkdir(path.dirname(file), { recursive: true });
  const fixture = { ...plan, planned_calls: planned(model.steps) };
  await fs.writeFile(file, `${JSON.stringify(fixture, null, 2)}\n`, { flag: "wx" });
  const { line, ...replayed } = await replay(file, plan.id, folder);
  console.log(line);
  console.log(`frozen: ${file} (${model.steps.length} steps)`);
  return difference(live, replayed);
}

/** Run the lab's loop with a live model, in a fresh copy of the workspace. */
async function runLive({ facts, endpoint, plan, folder }) {
  const workspace = path.join(folder, "sandbox", "workspace");
  const whole = { recursive: true, verbatimSymlinks: true };
  await fs.cp(path.join(HERE, "workspace"), workspace, whole);
  process.chdir(workspace); // first: the loop resolves its allowed roots when it is loaded
  try {
    const { play } = await import("./lab.mjs");
    const lab = await import(new URL(`./${facts.lab}.mjs`, import.meta.url).href);
    checkBudgets(lab.DEFAULT_BUDGET, plan.budgets ?? {});
    const tracer = lab.createTracer();
    const model = liveModel({ endpoint, tools: facts.tools, events: tracer.events });
    const program = { ...lab, createTracer: () => tracer, scriptedModel: () => model };
    const { record, events, crash } = await play(plan, { workspace, program });
    if (crash) throw crash;
    return { model, record, trace: JSON.parse(JSON.stringify(events)) };
  } finally {
    process.chdir(HERE);
  }
}

/** Throw SettingsError if the loop's budget lacks a limit: turns is maxTurns. */
function checkBudgets(budget, changes) {
  for (const name of Object.keys(changes)) {
    const key = `max_${name}`.replace(/_+([a-z0-9])/g, (_, letter) => letter.toUpperCase());
    if (!Object.hasOwn(budget, key)) throw new SettingsError(`the lab has no budget ${name}`);
  }
}

/**
 * The steps of the fixture that replays a run.
 *
 * A loop that a budget ends never asks for the next step, so its plan must not run out:
 * it gets one more step, which no replay reaches.
 */
function planned(steps) {
  const beyond = { type: "stop", reason: "never_reached" };
  return steps.at(-1).type === "stop" ? steps : [...steps, beyond];
}

/** Run a fixture as the tests do: with the scripted model, in another process. */
async function replay(file, runId, folder) {
  const [ledger, trace] = ["replay.jsonl", "replay.json"].map((name) => path.join(folder, name));
  const command = [path.join(HERE, "lab.mjs"), "run", file];
  command.push("--ledger", ledger, "--run-id", runId, "--trace", trace);
  const stdio = ["ignore", "ignore", "inherit"];
  const child = spawn(process.execPath, command, { stdio, timeout: 1000 * REPLAY_SECONDS });
  await new Promise((resolve) => child.on("error", resolve).on("exit", resolve));
  try {
    const line = (await fs.readFile(ledger, "utf8")).trimEnd().split("\n").at(-1);
    const { run_id: _run, fixture_id: _fixture, ...record } = JSON.parse(line);
    return { line, record, trace: JSON.parse(await fs.readFile(trace, "utf8")) };
  } catch {
    throw new FreezeError("the replay left no ledger line or no trace");
  }
}

/** The first thing in which the replay differs from the run, empty if there is none. */
function difference(live, replayed) {
  for (const key of Object.keys({ ...live.record, ...replayed.record }).sort()) {
    const [was, now] = [live.record[key], replayed.record[key]];
    if (!isDeepStrictEqual(was, now)) {
      return `it differs: ${key} was ${compact(was)} and is now ${compact(now)}`;
    }
  }
  const [before, after] = [live.trace, replayed.trace];
  if (isDeepStrictEqual(before, after)) return "";
  const at = before.findIndex((event, index) => !isDeepStrictEqual(event, after[index]));
  const first = at === -1 ? before.length : at;
  return `it differs: the traces are not the same from event ${first + 1} on`;
}

// --- the command line ---

const USAGE =
  "usage: node planner.mjs freeze --goal TEXT --id ID [--budgets turns=8,...] [--out FILE]";

async function main(words) {
  let folder;
  try {
    const { plan, file } = await planOf(options(words));
    const facts = JSON.parse(await fs.readFile(path.join(HERE, "planner.json"), "utf8"));
    const endpoint = endpointFrom(process.env);
    const made = await fs.mkdtemp(path.join(os.tmpdir(), "planner-"));
    folder = await fs.realpath(made);
    const differs = await freeze({ facts, endpoint, plan, file, folder });
    console.log(`replay: ${differs || "the same ledger line and the same trace"}`);
    return differs ? FINDING : 0;
  } catch (problem) {
    return failure(problem);
  } finally {
    if (folder) await fs.rm(folder, { recursive: true, force: true });
  }
}

/** Say what went wrong, and return the exit code for it. */
function failure(problem) {
  const known = problem instanceof SettingsError || problem instanceof FreezeError;
  say(known ? problem.message : String(problem?.stack ?? problem));
  if (problem instanceof SettingsError) return USAGE_ERROR;
  return problem instanceof FreezeError ? FINDING : CRASH;
}

function options(words) {
  const text = { type: "string" };
  const known = { goal: text, id: text, budgets: text, out: text };
  try {
    const wanted = { args: words, options: known, allowPositionals: true };
    const { values, positionals } = parseArgs(wanted);
    if (positionals.join(" ") === "freeze" && values.goal && values.id) return values;
  } catch {
    // said below, as for every other usage error
  }
  throw new SettingsError(USAGE);
}

/** A fixture without steps, and its file. Throws SettingsError if it could not be kept. */
async function planOf({ id, goal, budgets, out }) {
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(id)) {
    throw new SettingsError("an id has lower-case letters, digits and underscores");
  }
  if (!goal.trim() || !isPrintable(goal) || goal.length > LONGEST_TEXT) {
    throw new SettingsError(`a goal is a line of at most ${LONGEST_TEXT} characters`);
  }
  const file = path.resolve(out ?? path.join(HERE, "fixtures", `${id}.json`));
  const taken = await fs.lstat(file).catch(() => null);
  if (taken) throw new SettingsError(`${file} is there already: choose another id or file`);
  const plan = { id, goal, planned_calls: [] };
  return { plan: budgets ? { ...plan, budgets: limitsOf(budgets) } : plan, file };
}

/** Limits by name, from text such as turns=8. */
function limitsOf(text) {
  const items = text.split(",").map((item) => item.trim());
  if (!items.every((item) => /^[a-z0-9_]+=[0-9]{1,9}$/.test(item))) {
    throw new SettingsError("budgets are written turns=8,retries=1");
  }
  const pairs = items.map((item) => item.split("="));
  return Object.fromEntries(pairs.map(([name, limit]) => [name, Number(limit)]));
}

const started = await fs.realpath(process.argv[1] ?? "").catch(() => "");
if (started === fileURLToPath(import.meta.url)) {
  process.exitCode = await main(process.argv.slice(2));
}
