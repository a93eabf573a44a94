// The executable under proof: made when it is missing or older than what it is made of.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');
const SOURCES = ['src/**/*', 'migrations/**/*', 'templates/**/*', 'bin/**/*', 'package-lock.json'];

/**
 * Makes sure that the executable is as new as its sources.
 *
 * @param exe absolute path
 * @throws Error when it cannot be built
 */
export function prepareExecutable(exe: string, say: (line: string) => void): void {
  const reason = !existsSync(exe) ? 'is missing' : isOlder(exe) ? 'is older than its sources' : null;
  if (reason === null) return;
  say(`${exe} ${reason}: building it`);
  const words = [join(root, 'bin/build.ts'), '--out', exe];
  const built = spawnSync(process.execPath, words, { cwd: root, encoding: 'utf8' });
  if (built.status !== 0) throw new Error(`the executable could not be built:\n${built.stderr}`);
  say(built.stdout.trim());
}

function isOlder(exe: string): boolean {
  const built = statSync(exe).mtimeMs;
  return globSync(SOURCES, { cwd: root }).some((file) => statSync(join(root, file)).mtimeMs > built);
}
