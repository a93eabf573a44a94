import { homedir } from 'node:os';

/** Variables of the environment by name, as a process or a test hands them in. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the variables of this process. It is the only place that reads them, so that every other
 * function receives its environment as a value and a test can give it another one.
 */
export function processEnvironment(): Environment {
  return process.env;
}

/** The home of this process's user; the root folder for one whom the system does not know, as in a container. */
export function homeFolder(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}
