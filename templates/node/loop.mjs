{{ module }}

import fs from "node:fs/promises";

import { runFirstFixture, startedDirectly } from "./lab.mjs";
{% if solved %}
{{ tools_import }}
{% endif %}

{{ default_budget }}
{% if solved %}

{{ closing_events }}
{% if reads_files %}

const SHOWN_CHARACTERS = 200; // of a result, in the trace
{% endif %}

const VISIBLE = /[^\p{Z}\t-\r\x1c-\x1f\x85]/u; // what a name has to have
{% endif %}

/** Collects the events of a run, numbers them, and writes them to a file. */
export function createTracer() {
{% if tracer_solved %}
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
{% else %}
  // This is yours to write. Return an object with three members:
  //
  // 1. `events`: an array, empty at first.
  // 2. `push(event)`: adds the event, with its number from 1 on as `seq`.
  // 3. `dump(file = "trace.json")`: asynchronous, writes the events to a file
  //    as JSON.
  //
  {{ tracer_gates }}
  throw new Error("createTracer is not written yet: open {{ file }}");
{% endif %}
}

/** A model that follows a script, whatever comes of its steps. */
export function scriptedModel(steps) {
  let taken = 0;
  return {
{% if plan_can_end %}
    /** Whether the script has no step left. A model without `ended` never ends. */
    get ended() {
      return taken === steps.length;
    },
    async decide() {
      if (taken === steps.length) throw new Error("the script is at its end");
{% else %}
    async decide() {
      if (taken === steps.length) {
        return { type: "stop", reason: "script_exhausted" };
      }
{% endif %}
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
{% if solved %}
{% if limited or reads_files %}
  const settings = { ...DEFAULT_BUDGET, ...budget };
{% endif %}
{% if limited %}
  const limits = limitsOf(settings);
{% else %}
  const limits = {};
{% endif %}
{% if reads_files %}
  const workspace = new Workspace(process.cwd(), settings.allowedRoots);
{% endif %}
{% for counter in counters %}
  {{ counter }}
{% endfor %}
{% if last_error_told %}
  let lastError = null;
{% endif %}

  async function untilARowHolds() {
    while (true) {
{{ moments }}
    }
  }

  let reason = "crash";
  try {
    reason = await untilARowHolds();
  } finally {
    tracer.push({
      type: CLOSING_EVENTS[reason],
      turn: {{ turns }},
      reason,
{% if last_error_told %}
      last_error: lastError,
{% endif %}
      budgets: limits,
      used: {{ used }},
    });
  }
  if (CLOSING_EVENTS[reason] === "stop") {
    return {{ settled }};
  }
  const code = CLOSING_EVENTS[reason].toUpperCase();
  throw Object.assign(new Error(reason), { code });
{% else %}
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
{% if reads_files %}
  //    The files are in `new Workspace(process.cwd(), budget.allowedRoots)`.
{% endif %}
  // 4. The first row that holds decides. Push one closing event, "stop",
  //    "budget" or "error", with `turn`, `reason`, `budgets` (the limits by
  //    name) and `used`. An error in your own code must not get past it.
  // 5. Resolve to
  //    `{{ settled }}`,
  //    or throw an error whose message is the reason and whose code is "BUDGET"
  //    or "ERROR".
  //
  {{ gates }}
  throw new Error("runLoop is not written yet: open {{ file }}");
{% endif %}
}
{% if solved %}
{% if limited %}

/** The limits by their names. Throws unless each is a whole number. */
function limitsOf(settings) {
  const limits = {{ limits }};
  for (const [name, limit] of Object.entries(limits)) {
    if (!Number.isSafeInteger(limit) || limit < 0) {
      throw new RangeError(`the limit of ${name} is no whole number: ${limit}`);
    }
  }
  return limits;
}
{% endif %}

/** What the model decided: tool, stop, or other for anything malformed. */
function decisionOf(step) {
  const said = isObject(step) ? step : { type: "other" };
  const { type = "tool", {% if reason_used %}reason, {% endif %}name } = said;
  const isText = typeof name === "string" && VISIBLE.test(name);
  const isNamed = type === "tool" && isText;
  return {
    type: ["tool", "stop"].includes(type) ? type : "other",
{% if reason_used %}
    reason: typeof reason === "string" ? reason : "",
{% endif %}
    name: isNamed ? name : "",
{% if named_used %}
    named: isNamed || type === "stop",
{% endif %}
  };
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The event that tells what a call came to. */
function resultEvent(turn, { name{% if mixed %}, scripted{% endif %} }, result) {
  const { ok, error{% if has_scripted %}, final{% endif %}{% if reads_files %}, text{% endif %} } = result;
  if (!ok) return { type: "tool_error", turn, name, error };
{% if mixed %}
  if (scripted) return { type: "tool_result", turn, name, final };
{% endif %}
{% if reads_files %}
  const shown = [...text].slice(0, SHOWN_CHARACTERS).join("");
  return { type: "tool_result", turn, name, result: shown };
{% else %}
  return { type: "tool_result", turn, name, final };
{% endif %}
}
{% endif %}

// `node {{ file }}` runs the first fixture.
if (startedDirectly(import.meta.url)) {
  const program = { DEFAULT_BUDGET, createTracer, runLoop, scriptedModel };
  await runFirstFixture(program);
}
