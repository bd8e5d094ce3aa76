// The smallest loop that a planner can drive: it reads and writes in the current folder, and dies on its budget.
import fs from "node:fs/promises";
import path from "node:path";

const MODE = process.env.STAND_IN ?? "";

export const DEFAULT_BUDGET = { maxTurns: 4, allowedRoots: [path.resolve("fixtures")] };

export function createTracer() {
  const events = [];
  return {
    events,
    push: (event) => events.push(event),
    dump: (file = "trace.json") => fs.writeFile(file, JSON.stringify(events)),
  };
}

export function scriptedModel(steps) {
  const rest = [...steps];
  return { rest, decide: async () => rest.shift() };
}

export async function runLoop({ goal, model, budget = DEFAULT_BUDGET, tracer = createTracer() }) {
  if (MODE === "crash") throw new RangeError("a fault in the loop");
  if (MODE === "unwritten") throw new Error("runLoop is not written yet");
  if (!budget.allowedRoots[0].startsWith(process.cwd())) throw new Error("another workspace");
  for (let turn = 0; ; ) {
    const ended = model.rest?.length === 0;
    if (ended || turn === budget.maxTurns) {
      const reason = ended ? "ran_out" : "budget:turns";
      tracer.push({ type: "budget", reason });
      throw Object.assign(new Error(reason), { code: "BUDGET" });
    }
    turn += 1;
    tracer.push({ type: "turn", turn, ...(MODE === "clock" ? { pid: process.pid } : {}) });
    const step = await model.decide({ turn, goal, last: tracer.events.at(-1) });
    if (step.type !== "tool") {
      tracer.push({ type: "stop", reason: step.reason ?? "malformed" });
      return { ok: true, reason: step.reason ?? "malformed" };
    }
    tracer.push({ type: "tool", name: step.name, args: step.args });
    tracer.push(await call(step));
  }
}

async function call({ name, args }) {
  try {
    if (name === "write_file") await fs.writeFile(args.file, args.contents);
    return { type: "tool_result", name, result: await fs.readFile(args.file, "utf8") };
  } catch {
    return { type: "tool_error", name, error: "failed" };
  }
}
