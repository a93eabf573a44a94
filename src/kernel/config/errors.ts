/** One thing that is wrong, or doubtful, in the configuration. */
export interface ConfigProblem {
  /** The TOML key or the name of the variable it is about. */
  key: string;
  message: string;
  /** What to write instead. */
  hint: string;
}

/** The configuration cannot be used. It carries every problem found, not only the first. */
export class ConfigError extends Error {
  readonly code = 'CONFIG_INVALID';
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[], warnings: readonly ConfigProblem[] = []) {
    const [first] = problems;
    const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
    super(first === undefined ? 'configuration invalid' : `${first.key}: ${first.message}${more}`);
    this.name = 'ConfigError';
    this.problems = problems;
    this.warnings = warnings;
  }
}

/** A value that its kind does not accept. The loader turns it into a ConfigProblem. */
export class InvalidValue extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'InvalidValue';
    this.hint = hint;
  }
}
