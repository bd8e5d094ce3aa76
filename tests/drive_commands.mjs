// Runs many command lines of one lab.mjs in one process, as if each were a process of its own.
//
//   node drive_commands.mjs LAB   a list of lists of words comes in, a list of exit codes goes out
//
// Every command line gets a fresh copy of the module. Only the end of the process is replaced.
import path from "node:path";
import { pathToFileURL } from "node:url";

const [lab] = process.argv.slice(2).map((folder) => path.join(folder, "lab.mjs"));
const say = process.stdout.write.bind(process.stdout);
const url = pathToFileURL(lab).href;
await import(url); // the copy that the loop imports, which is not the one that is started

function run(words, number) {
  process.argv = [process.execPath, lab, ...words];
  return new Promise((resolve, reject) => {
    process.exit = resolve;
    import(`${url}?${number}`).catch(reject);
  });
}

let asked = "";
for await (const chunk of process.stdin) asked += chunk;
process.stdout.setMaxListeners(0);
process.stdout.write = (data, done) => done?.() ?? true;
const codes = [];
for (const [number, words] of JSON.parse(asked).entries()) codes.push(await run(words, number));
say(JSON.stringify(codes));
