// Asks the Node planner for steps: `node drive.mjs PLANNER`, with the questions as JSON on standard input.
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

const { endpointFrom, liveModel, SettingsError } = await import(pathToFileURL(process.argv[2]).href);
const { tools, goal, lasts } = JSON.parse(await text(process.stdin));
try {
  const live = liveModel({ endpoint: endpointFrom(process.env), tools });
  const given = [];
  for (const [index, last] of lasts.entries()) given.push(await live.decide({ turn: index + 1, goal, last }));
  process.stdout.write(JSON.stringify({ given, steps: live.steps, failed: live.failed }));
} catch (problem) {
  if (!(problem instanceof SettingsError)) throw problem;
  console.error(`settings: ${problem.message}`);
  process.exitCode = 1;
}
