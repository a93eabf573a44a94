/** A failure of the command line itself, with the code that the process ends with (cli.md section 1.8). */
export class CliError extends Error {
  readonly exit: number;
  readonly code: string;
  readonly hint: string | null;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    exit: number,
    code: string,
    message: string,
    more: { hint?: string | null; details?: Readonly<Record<string, unknown>> } = {},
  ) {
    super(message);
    this.name = 'CliError';
    this.exit = exit;
    this.code = code;
    this.hint = more.hint ?? null;
    this.details = more.details ?? {};
  }
}

/** The call is wrong: unknown or invalid flag, missing value, prompt impossible. Ends with 2. */
export function usageError(
  message: string,
  hint?: string,
  details?: Readonly<Record<string, unknown>>,
): CliError {
  return new CliError(2, 'USAGE', message, { hint: hint ?? null, details: details ?? {} });
}

/** What was asked for does not exist. Ends with 3. */
export function notFoundError(message: string, hint?: string): CliError {
  return new CliError(3, 'NOT_FOUND', message, { hint: hint ?? null });
}

/** The state does not allow it: a file exists, a name is taken. Ends with 5. */
export function conflictError(message: string, hint?: string): CliError {
  return new CliError(5, 'CONFLICT', message, { hint: hint ?? null });
}

/** A check came out wrong: a signature, a hash, a schema. Ends with 6. */
export function verificationError(message: string, hint?: string): CliError {
  return new CliError(6, 'VERIFICATION_FAILED', message, { hint: hint ?? null });
}
