// Plays many fixtures in one process: a list of jobs comes in, a list of what they came to goes out.
//
//   {"lab": FOLDER, "file": NAME, "fixture": FIXTURE, "workspace": FOLDER or null}
//
// With "eval" instead, the value of a JavaScript expression.
import { pathToFileURL } from "node:url";

async function come({ lab, file, fixture, workspace, eval: source }) {
  if (source !== undefined) return (0, eval)(`(${source})`);
  const base = pathToFileURL(`${lab}/`);
  const { play } = await import(new URL("lab.mjs", base));
  const program = await import(new URL(file, base));
  const { record, exitCode, events, crash } = await play(fixture, {
    program,
    workspace: workspace ?? undefined,
  });
  return { record, exitCode, events, crash: crash?.message };
}

let asked = "";
for await (const chunk of process.stdin) asked += chunk;
const answers = [];
for (const job of JSON.parse(asked)) answers.push(await come(job));
process.stdout.write(JSON.stringify(answers));
