import { existsSync } from 'node:fs';
import { basename, delimiter, join, relative, sep } from 'node:path';
import type { Environment } from '#kernel/environment.ts';
import { startedAs } from '#kernel/process-identity.ts';
import { shellWord } from '../printed-text.ts';

const NAME = 'appctl';
const LOCAL = join('node_modules', '.bin');

/**
 * What stands for the program in a command that is printed: it has to work where it is printed. `appctl` where a shell
 * finds it, the executable's path where it was called by that, `npx appctl` in a folder that has it as a package.
 */
export function programName(env: Environment, started = startedAs(), cwd = process.cwd()): string {
  const { typed, isExecutable, script } = started;
  if (isExecutable) return typed.includes(sep) ? shellWord(typed) : NAME;
  if (script === null || !/^appctl(?:\.js)?$/.test(basename(script)) || isOnPath(env)) return NAME;
  if (existsSync(join(cwd, LOCAL, NAME))) return `npx ${NAME}`;
  const near = relative(cwd, script);
  return `${shellWord(typed)} ${shellWord(near.startsWith('..') ? script : near)}`;
}

/** npm puts the commands of packages on PATH for what it runs; the shell of whoever typed `npm` does not have them. */
function isOnPath({ PATH = '', npm_command: npm }: Environment): boolean {
  const folders = PATH.split(delimiter).filter((folder) => folder !== '');
  const own = npm === undefined ? folders : folders.filter((folder) => !folder.endsWith(LOCAL));
  return own.some((folder) => existsSync(join(folder, NAME)));
}
