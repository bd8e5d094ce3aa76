// Your own tests of the loop.

import assert from "node:assert/strict";
import test from "node:test";

import { playFixture } from "./lab.mjs";
import * as program from "./loop-budget.mjs";

test("Read, repair, test, stop", async () => {
  const { record } = await playFixture("happy_path_v1", program);
  assert.equal(record.reason, "tests_green");
  assert.equal(record.turns, 4);
  assert.deepEqual(record.tool_names, ["read_file", "write_file", "run_tests"]);
  assert.equal(record.last_error, null);
});

// Add a test like this one for each fixture, and for plans of your own: make a file in
// fixtures/, read the decision table, write down the exit you expect, and run
// `node --test loop-budget.test.mjs`.
