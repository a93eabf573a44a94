import { accessSync, constants, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * What is wrong with a folder that the program is to work in: one that is there, or that it will make.
 *
 * @returns a sentence without its full stop; undefined where nothing is wrong
 */
export function folderProblem(text: string): string | undefined {
  if (text.trim() === '') return 'a folder is needed';
  const asked = resolve(text);
  for (let path = asked; ; path = dirname(path)) {
    const found = stateOf(path);
    if (found === 'missing') continue;
    if (found === 'closed') return `no permission to read ${dirname(path)}`;
    if (found === 'file') return `${path} is a file`;
    return isWritable(path) ? undefined : `no permission to write to ${path}`;
  }
}

type State = 'missing' | 'closed' | 'file' | 'folder';

function stateOf(path: string): State {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'closed';
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
