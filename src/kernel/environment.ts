/** Variables of the environment by name, as a process or a test hands them in. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the variables of this process. It is the only place that reads them, so that every other
 * function receives its environment as a value and a test can give it another one.
 */
export function processEnvironment(): Environment {
  return process.env;
}
