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
 * @param builds whether it is made when it is missing or older than its sources; else it is only told
 * @throws MissingTool when nothing is there; Error when it cannot be built
 */
export function prepareExecutable(exe: string, builds: boolean, say: (line: string) => void): void {
  const reason = !existsSync(exe) ? 'is missing' : isOlder(exe) ? 'is older than its sources' : null;
  if (reason === null) return;
  if (!builds && !existsSync(exe))
    throw new MissingTool(`there is no executable ${exe}: leave out --exe, and build/appctl is built`);
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
