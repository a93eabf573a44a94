// Runs the program as a user would: a process of its own, with its own folder and a clean environment.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { bundledProgram } from './bundled-program.ts';

const root = join(import.meta.dirname, '../..');
/** The program as a user of the sources starts it; for what is about the sources themselves. */
export const sourceProgram = join(root, 'bin/appctl.js');

/** The same program as plain JavaScript, which starts sooner. It brings its own cache of what is compiled. */
export const program = await bundledProgram();

/** Where the program keeps compiled sources; a script that uses them alone starts as fast with it. */
export const compileCache = join(root, 'node_modules/.cache/appctl');

const fromSources = { NODE_COMPILE_CACHE: compileCache };

export interface CliRun {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  /** Working directory; the repository's root by default. */
  cwd?: string;
  /** Variables beside PATH and HOME; nothing of the test's own environment goes in. */
  env?: Record<string, string>;
  /** Text for stdin; nothing (/dev/null) by default. */
  input?: string;
  /** Another script that uses the frame, or `sourceProgram`. */
  script?: string;
}

/**
 * Runs the program to its end.
 * @param args words after `appctl`
 */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const { cwd = root, env = {}, input, script = program } = options;
  const child = spawn(process.execPath, [script, ...args], {
    cwd,
    env: { PATH: '/usr/bin:/bin', HOME: cwd, ...(script !== program && fromSources), ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

/** Returns the error document that a failed run with --json leaves as the last line of stderr. */
export function errorOf(run: CliRun): {
  code: string;
  message: string;
  hint: string | null;
  details: object;
} {
  const line = run.stderr.trimEnd().split('\n').at(-1) ?? '';
  const document = JSON.parse(line) as { success: false; error: ReturnType<typeof errorOf> };
  return document.error;
}
