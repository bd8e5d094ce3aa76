// The command line of the stand-in: `lab.mjs run FIXTURE --ledger L --run-id R --trace T`.
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";

const [command, file, ...rest] = process.argv.slice(2);
if (command !== "run") process.exit(64);
const options = {};
for (let index = 0; index < rest.length; index += 2) options[rest[index]] = rest[index + 1];
const { id, goal, planned_calls: steps, budgets = {} } = JSON.parse(await fs.readFile(file, "utf8"));
const folder = await fs.mkdtemp(path.join(os.tmpdir(), "stand-in-"));
await fs.cp(new URL("./workspace", import.meta.url), path.join(folder, "workspace"), { recursive: true });
process.chdir(path.join(folder, "workspace"));
const lab = await import("./stand-in.mjs");
const budget = { ...lab.DEFAULT_BUDGET };
if ("turns" in budgets) budget.maxTurns = budgets.turns;
const tracer = lab.createTracer();
let reason;
try {
  ({ reason } = await lab.runLoop({ goal, model: lab.scriptedModel(steps), budget, tracer }));
} catch (problem) {
  reason = problem.message;
}
const names = tracer.events.filter(({ type }) => type === "tool").map(({ name }) => name);
const turns = tracer.events.filter(({ type }) => type === "turn").length;
const record = { fixture_id: id, reason, run_id: options["--run-id"], tool_names: names, turns };
await fs.appendFile(options["--ledger"], `${JSON.stringify(record)}\n`);
if (process.env.STAND_IN !== "no trace") await tracer.dump(options["--trace"]);
process.chdir(os.tmpdir());
await fs.rm(folder, { recursive: true });
