// Judges fixtures/app.js. No tool can change this file, because it lies outside the allowed roots. The code it
// judges runs in a second process, where it can end, loop or print what it likes: all of that is red.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";

function isGreen() {
  const names = ["ada", "", ...[1, 2, 3].map(() => randomBytes(8).toString("hex"))];
  const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...names], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const wanted = JSON.stringify(names.map((name) => `hello, ${name}`));
  return child.status === 0 && child.stdout === wanted;
}

const asked = process.argv.slice(2);
if (asked.length > 0) {
  const { greet } = await import("./fixtures/app.js");
  process.stdout.write(JSON.stringify(asked.map((name) => greet(name))));
} else {
  process.exitCode = isGreen() ? 0 : 1;
}
