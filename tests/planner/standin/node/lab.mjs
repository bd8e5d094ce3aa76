// The command line of the stand-in: `lab.mjs run FIXTURE --ledger L --run-id R --trace T`, and `play` for the planner.
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";

export async function play({ goal, planned_calls: steps, budgets = {} }, { workspace, program }) {
  process.chdir(workspace);
  const { createTracer, runLoop, scriptedModel, DEFAULT_BUDGET } = program ?? (await import("./stand-in.mjs"));
  const budget = { ...DEFAULT_BUDGET };
  if ("turns" in budgets) budget.maxTurns = budgets.turns;
  const tracer = createTracer();
  let reason;
  try {
    ({ reason } = await runLoop({ goal, model: scriptedModel(steps), budget, tracer }));
  } catch (problem) {
    if (problem.code !== "BUDGET") return { crash: problem, events: [] };
    reason = problem.message;
  }
  const names = tracer.events.filter(({ type }) => type === "tool").map(({ name }) => name);
  const turns = tracer.events.filter(({ type }) => type === "turn").length;
  return { record: { reason, tool_names: names, turns }, events: tracer.events };
}

async function run(file, options) {
  const fixture = JSON.parse(await fs.readFile(file, "utf8"));
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "stand-in-"));
  const workspace = path.join(folder, "workspace");
  await fs.cp(new URL("./workspace", import.meta.url), workspace, { recursive: true });
  const { record, events } = await play(fixture, { workspace });
  const line = JSON.stringify({ fixture_id: fixture.id, run_id: options["--run-id"], ...record });
  await fs.appendFile(options["--ledger"], `${line}\n`);
  if (process.env.STAND_IN !== "no trace") await fs.writeFile(options["--trace"], JSON.stringify(events));
  process.chdir(os.tmpdir());
  await fs.rm(folder, { recursive: true });
}

if (process.argv[1].endsWith("lab.mjs")) {
  const [, file, ...rest] = process.argv.slice(2);
  const options = {};
  for (let index = 0; index < rest.length; index += 2) options[rest[index]] = rest[index + 1];
  await run(file, options);
}
