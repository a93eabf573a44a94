import { constants, copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';

/** Path of the executable that the build made. @throws Error when there is none */
export function builtExecutable(): string {
  const built = join(import.meta.dirname, '../../build/appctl');
  if (!existsSync(built)) throw new Error('build/appctl does not exist: run npm run build');
  return built;
}

/** Copies it into a folder, as an operator does. @returns path of the copy */
export function copyOfExecutable(folder: string): string {
  const exe = join(folder, 'appctl');
  copyFileSync(builtExecutable(), exe, constants.COPYFILE_FICLONE);
  return exe;
}
