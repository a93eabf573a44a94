// The executable under proof.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { MissingTool } from './proof.ts';

const root = join(import.meta.dirname, '../../..');
const SOURCES = ['src/**/*', 'migrations/**/*', 'templates/**/*', 'bin/**/*', 'package-lock.json'];

/**
 * Makes sure that there is an executable to prove.
 *
 * @param exe absolute path
 * @param builds whether one that is missing or older than its sources is built; else an older one is proved as it is
 * @throws MissingTool when nothing is there; Error when it cannot be built
 */
export function prepareExecutable(exe: string, builds: boolean, say: (line: string) => void): void {
  const isThere = existsSync(exe);
  if (isThere && !isOlder(exe)) return;
  if (!isThere && !builds)
    throw new MissingTool(`${exe} does not exist; leave out --exe to build and prove build/appctl`);
  const reason = isThere ? 'is older than its sources' : 'is missing';
  if (!builds) {
    say(`${exe} ${reason}, and proved as it is`);
    return;
  }
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
