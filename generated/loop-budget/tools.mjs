// The tools of the lab, which are given: Stop an agent loop on a budget, and
// leave a trace

import { spawn } from "node:child_process";
import { lstatSync, readlinkSync } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";

/** The tools that a plan can call. A name that is not in here is unknown. */
export const TOOLS = {
  read_file: { kind: "builtin" },
  write_file: { kind: "builtin" },
  run_tests: {
    kind: "command",
    argv: ["node", "check.mjs"],
    seconds: 10,
    error: "test_failed",
  },
};

const SEPARATOR = path.sep === "\\" ? /[\\/]/ : "/";
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const HALF_A_CHARACTER = /\p{Surrogate}/u; // JSON can hold it, a file cannot

/**
 * What can be seen of a call before it runs.
 *
 * `problem` is the code of the failure if nothing can execute the call, and
 * empty otherwise. `bytes` and `lines` are those of the contents it wants to
 * write.
 */
export function lookAt(name, step, workspace) {
  const call = {
    name,
    known: Object.hasOwn(TOOLS, name),
    problem: "",
    path: "",
    inside: true,
    bytes: 0,
    lines: 0,
  };
  if (!call.known) return { ...call, problem: "unknown_tool" };
  if (TOOLS[name].kind !== "builtin") return call;
  const { file, contents } = isObject(step.args) ? step.args : {};
  const writes = name === "write_file";
  if (!isPath(file) || (writes && !isText(contents))) {
    return { ...call, problem: "bad_arguments" };
  }
  const seen = { ...call, path: file, inside: workspace.inside(file) };
  if (!writes) return seen;
  const bytes = Buffer.byteLength(contents);
  return { ...seen, bytes, lines: linesIn(contents) };
}

/** Run a call that `lookAt` has seen. A failed result has a code, `error`. */
export async function callTool(call, step, workspace) {
  if (call.problem) return failure(call.problem);
  const tool = TOOLS[call.name];
  if (tool.kind === "command") return workspace.runCommand(tool);
  const { file, contents } = step.args;
  if (call.name === "read_file") return workspace.readFile(file);
  return workspace.writeFile(file, contents);
}

/** The result of a call that failed, or that did not run at all. */
export function failure(error) {
  return { ok: false, error, final: false };
}

function success(text) {
  return { ok: true, error: "", final: false, text };
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value) {
  return typeof value === "string" && !HALF_A_CHARACTER.test(value);
}

function isPath(value) {
  return isText(value) && value !== "" && !value.includes("\0");
}

/** How many lines a text has; the last one may do without its newline. */
function linesIn(text) {
  const whole = text === "" || text.endsWith("\n");
  return text.split("\n").length - (whole ? 1 : 0);
}

/**
 * The files that tools work on: the folder `root`, and the roots that a path
 * may lie in.
 *
 * A path is inside when its real path lies in the real path of a root, compared
 * by components: neither links nor folders with similar names help. Hard links
 * cannot be told from files. Nothing outside the folder that holds the
 * workspace is read or written.
 */
export class Workspace {
  constructor(root, roots) {
    this.root = realPath("", path.resolve(root));
    this.roots = roots.map((each) => this.real(each));
  }

  /** Whether a path lies in an allowed root. */
  inside(file) {
    const real = this.real(file);
    return this.roots.some((root) => lies(real, root));
  }

  /** The text of a file. Fails with `not_readable`. */
  async readFile(file) {
    const place = this.real(file);
    if (!this.reaches(place)) return failure("not_readable");
    try {
      const isFile = (await fs.stat(place)).isFile();
      const bytes = isFile ? await fs.readFile(place) : null;
      return isFile ? success(UTF8.decode(bytes)) : failure("not_readable");
    } catch {
      return failure("not_readable");
    }
  }

  /** Replace a file as a whole, or fail with `not_writable` and leave it. */
  async writeFile(file, contents) {
    const place = this.real(file);
    if (!this.reaches(place)) return failure("not_writable");
    const temporary = path.join(path.dirname(place), temporaryName());
    try {
      const there = await fs.stat(place).catch(() => null);
      if (there && !there.isFile()) return failure("not_writable");
      await fs.writeFile(temporary, contents, { flag: "wx" });
      await fs.chmod(temporary, there ? there.mode & 0o777 : 0o644);
      await fs.rename(temporary, place);
    } catch {
      await fs.rm(temporary, { force: true }).catch(() => {});
      return failure("not_writable");
    }
    return success(`wrote ${Buffer.byteLength(contents)} bytes`);
  }

  /** Run a program in the workspace. Only exit code 0 in time is a success. */
  async runCommand({ argv, seconds, error }) {
    const [program, ...words] = argv;
    const code = await exitCodeOf(program, words, this.root, seconds);
    return code === 0 ? success("pass") : failure(error);
  }

  /** The real path of a path of the workspace. */
  real(file) {
    return realPath(this.root, file);
  }

  /** Whether a real path lies in the folder that holds the workspace. */
  reaches(place) {
    return lies(place, path.dirname(this.root));
  }
}

/** Whether a real path is that of a folder, or lies in it. */
function lies(place, folder) {
  const way = path.relative(folder, place);
  const leaves = way === ".." || way.startsWith(`..${path.sep}`);
  return !leaves && !path.isAbsolute(way);
}

/**
 * The path without `.`, `..` and links, wherever the links lead.
 *
 * `folder` is a real path. What does not exist is taken for a plain name, and
 * so is a link that leads to itself, which no system can follow.
 */
function realPath(folder, file, links = new Map()) {
  const start = path.isAbsolute(file) ? path.parse(file).root : "";
  let real = start ? path.resolve(start) : folder;
  for (const part of file.slice(start.length).split(SEPARATOR)) {
    if (part === "" || part === ".") continue;
    const isUp = part === "..";
    real = isUp ? path.dirname(real) : followed(path.join(real, part), links);
  }
  return real;
}

/** Where a name leads if it is a link; `links` has those that were followed. */
function followed(place, links) {
  if (links.has(place)) return links.get(place);
  const target = targetOf(place);
  if (target === null) return place;
  links.set(place, place);
  links.set(place, realPath(path.dirname(place), target, links));
  return links.get(place);
}

function targetOf(place) {
  try {
    return lstatSync(place).isSymbolicLink() ? readlinkSync(place) : null;
  } catch {
    return null;
  }
}

let temporaries = 0;

function temporaryName() {
  temporaries += 1;
  return `.write-${process.pid}-${temporaries}.tmp`;
}

/** The exit code of a program; null if it was stopped or could not start. */
function exitCodeOf(program, words, folder, seconds) {
  const pythons = process.platform === "win32" ? "python" : "python3";
  const commands = { node: process.execPath, python: pythons };
  // A test run inside a test run would be skipped, and be green for that.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const child = spawn(commands[program] ?? program, words, {
    cwd: folder,
    env: { ...inherited, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: "ignore",
    detached: process.platform !== "win32", // in a process group of its own
  });
  return new Promise((resolve) => {
    const stop = () => endGroup(child);
    const timer = setTimeout(stop, 1000 * seconds);
    const settle = (code) => {
      clearTimeout(timer);
      process.off("exit", stop);
      stop();
      resolve(code);
    };
    process.once("exit", stop);
    child.once("error", () => settle(null));
    child.once("exit", settle);
  });
}

/** End a program and what it has started. */
function endGroup(child) {
  try {
    if (process.platform === "win32") child.kill();
    else if (child.pid) process.kill(-child.pid, "SIGKILL");
  } catch {
    // nothing is left of it
  }
}
