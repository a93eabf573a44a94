// The code of a server that has started, as V8 compiled it: it spares the executable to compile it at every start (0005).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const TIMEOUT_MS = 60_000;
const FILE = 'APPCTL_CODE_CACHE_FILE';

/** Appended to `bin/start.cjs` in an executable that only the build runs: writes what was compiled when it ends. */
export const recording = `
process.once('exit', () => require('node:fs').writeFileSync(process.env.${FILE}, script.createCachedData()));
`;

/**
 * Starts a server of a new installation, and ends it once it listens.
 * @param executable absolute path of the program with `recording`
 * @param work absolute path of a folder for the installation
 * @returns absolute path of what was compiled
 * @throws Error when the server does not listen within a minute
 */
export async function recordCodeCache(executable: string, work: string): Promise<string> {
  const file = join(work, 'main.cache');
  const home = join(work, 'home');
  mkdirSync(home);
  const args = ['serve', '--json', '--listen', '127.0.0.1:0', '--data-dir', join(home, 'data')];
  const child = spawn(executable, args, {
    cwd: home,
    env: { HOME: home, [FILE]: file },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout))
    if (line.includes('"event":"listening"')) child.kill('SIGTERM');
  const [code] = await ended;
  if (code !== 0) throw new Error(`the server whose code is recorded ended with ${code}: ${complaints}`);
  return file;
}
