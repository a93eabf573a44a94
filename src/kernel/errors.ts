/**
 * A failure that a caller can expect: it carries the code and status that the surface prints.
 * Anything else that is thrown is a defect and becomes a 500.
 */
export class AppError extends Error {
  readonly code: string;
  readonly status: number;
  /** Printed as `error.details`: facts that help to cure the failure, never a secret (licensing 6.6). */
  readonly details: Record<string, unknown>;
  /** Printed beside `error` at the top level, for facts that a specification places there (D1). */
  readonly extra: Record<string, unknown>;

  constructor(
    code: string,
    status: number,
    message: string,
    more: { details?: Record<string, unknown>; extra?: Record<string, unknown> } = {},
  ) {
    super(message);
    this.name = 'AppError';
    this.code = code;
    this.status = status;
    this.details = more.details ?? {};
    this.extra = more.extra ?? {};
  }
}

type ErrorTable = Record<string, readonly [status: number, message: string]>;

/**
 * Declares the errors of a service once, as its specification's table.
 *
 * @param table code to `[HTTP status, default message]`
 * @returns a function `fail(code, message?, {details?, extra?})` that makes the AppError; `fail.table` is the table
 */
export function defineErrors<T extends ErrorTable>(table: T) {
  const fail = (
    code: keyof T & string,
    message?: string,
    more?: { details?: Record<string, unknown>; extra?: Record<string, unknown> },
  ): AppError => {
    const [status, text] = table[code] as readonly [number, string];
    return new AppError(code, status, message ?? text, more);
  };
  return Object.assign(fail, { table });
}
