// The command `appctl` as whoever types it has it.
import { globSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from './cli-process.ts';

const root = join(import.meta.dirname, '../..');
const executable = join(root, 'build/appctl');

/**
 * The words that start the program: the executable when it was built from these sources, as by `npm test`, because it
 * needs half the time; else the program as it runs from the source.
 */
export const appctl: readonly string[] = isFresh() ? [executable] : [process.execPath, program];

/** Makes a folder for PATH with `appctl` in it, below `cwd`. @param words that it runs */
export function commandFolder(cwd: string, words = appctl): string {
  const folder = join(cwd, 'bin');
  const command = words.map((word) => `'${word}'`).join(' ');
  mkdirSync(folder);
  writeFileSync(join(folder, 'appctl'), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  return folder;
}

function isFresh(): boolean {
  const built = statSync(executable, { throwIfNoEntry: false });
  const sources = globSync(['src/**', 'templates/**', 'migrations/*', 'bin/*', 'package-lock.json'], {
    cwd: root,
  });
  return built !== undefined && sources.every((file) => statSync(join(root, file)).mtimeMs < built.mtimeMs);
}
