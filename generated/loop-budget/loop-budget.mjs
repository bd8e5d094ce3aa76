// The loop of the lab: Stop an agent loop on a budget, and leave a trace

import fs from "node:fs/promises";

import { runFirstFixture, startedDirectly } from "./lab.mjs";

/** What a run may use up, and the folders that its tools may work in. */
export const DEFAULT_BUDGET = {
  maxTurns: 16,
  maxToolCalls: 12,
  maxWriteBytes: 8192,
  allowedRoots: ["fixtures"],
};

/** Collects the events of a run, numbers them, and writes them to a file. */
export function createTracer() {
  const events = [];
  return {
    events,
    push(event) {
      events.push({ seq: events.length + 1, ...event });
    },
    // Written beside the file, then renamed: a trace is whole or not there.
    async dump(file = "trace.json") {
      const temporary = `${file}.${process.pid}.tmp`;
      await fs.writeFile(temporary, `${JSON.stringify(events, null, 2)}\n`);
      await fs.rename(temporary, file);
    },
  };
}

/** A model that follows a script, whatever comes of its steps. */
export function scriptedModel(steps) {
  let taken = 0;
  return {
    async decide() {
      if (taken === steps.length) {
        return { type: "stop", reason: "script_exhausted" };
      }
      taken += 1;
      return steps[taken - 1];
    },
  };
}

/**
 * Ask a model for one decision after the other, until a row of the decision
 * table holds.
 *
 * Resolves if the reason is of the kind done. Otherwise rejects with an error
 * whose message is the reason and whose code is BUDGET or ERROR. However it
 * ends, the last event of the trace says why.
 */
export async function runLoop({
  goal,
  model,
  budget = DEFAULT_BUDGET,
  tracer = createTracer(),
}) {
  // This is yours to write. One way to do it, step by step:
  //
  // 1. Ask for one decision at a time: `await model.decide({ turn, goal, last
  //    })`, where `last` is the last event so far. Push a "turn" event for
  //    each.
  // 2. Pass the four moments of each turn in order (turn, decision, call,
  //    result). At each moment, first charge what README.md says is counted
  //    there, then ask the rows of its decision table in order. A row that
  //    stops the loop before an act takes its charge back.
  // 3. tools.mjs has what you need for a call: `lookAt` says what can be seen
  //    of it before it runs, `callTool` runs it, and `failure` is the result
  //    of a refused one. Push a "tool" event for each call that counts, and a
  //    "tool_result" or "tool_error" event for what came of it.
  //    The files are in `new Workspace(process.cwd(), budget.allowedRoots)`.
  // 4. The first row that holds decides. Push one closing event, "stop",
  //    "budget" or "error", with `turn`, `reason`, `budgets` (the limits by
  //    name) and `used`. An error in your own code must not get past it.
  // 5. Resolve to
  //    `{ ok: true, reason, turns, toolCalls, writeBytes, tracer }`,
  //    or throw an error whose message is the reason and whose code is "BUDGET"
  //    or "ERROR".
  //
  // Gates this earns, with their points: happy_path (25), kill_switch (25),
  // trace (20), fuel_report (15), path_jail (15).
  throw new Error("runLoop is not written yet: open loop-budget.mjs");
}

// `node loop-budget.mjs` runs the first fixture.
if (startedDirectly(import.meta.url)) {
  const program = { DEFAULT_BUDGET, createTracer, runLoop, scriptedModel };
  await runFirstFixture(program);
}
