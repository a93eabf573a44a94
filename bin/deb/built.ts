// What a build leaves, and a package is made of.
import { existsSync } from 'node:fs';

/** A package is asked for before its build. */
export class NotBuilt extends Error {}

/**
 * @param words more arguments of the build, after a blank
 * @returns the path given
 * @throws NotBuilt with the command that makes the file
 */
export function builtFile(path: string, words = ''): string {
  if (!existsSync(path)) throw new NotBuilt(`${path} does not exist: npm run build${words}`);
  return path;
}
