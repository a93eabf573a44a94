const LONGEST = 500;

/** What a before-hook throws to refuse something: its message is shown to whoever asked for it. */
export class HookError extends Error {
  constructor(message?: unknown) {
    super(typeof message === 'string' ? message : '');
    this.name = 'HookError';
  }
}

/** The message as it is shown: one paragraph of plain text. */
export function shownMessage({ message }: HookError): string {
  const text = String(message)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (text === '') return 'A rule of this shop does not allow this';
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1).toWellFormed()}…` : text;
}

/** A hook of the operator failed: nobody who uses the shop can do anything about it. */
export class HookFailed extends Error {
  readonly file: string;

  constructor(file: string, event: string, cause: unknown) {
    super(`the hook ${event} of ${file} failed: ${failureOf(cause)}`, { cause });
    this.name = 'HookFailed';
    this.file = file;
  }
}

/** What went wrong, in one line, of whatever was thrown. */
export function failureOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return oneLine(`${thrown.name}: ${thrown.message}${causeOf(thrown)}`);
    return oneLine(`it threw ${typeof thrown === 'string' ? JSON.stringify(thrown) : String(thrown)}`);
  } catch {
    return 'it threw something that cannot be shown';
  }
}

/** `fetch failed` says nothing; why it failed is in what it was caused by. */
function causeOf({ cause }: Error): string {
  if (!(cause instanceof Error)) return '';
  const { code } = cause as { code?: unknown };
  const text = withoutPassword(cause.message);
  const isNamed = typeof code !== 'string' || text.includes(code);
  const said = [isNamed ? '' : code, text].filter(Boolean).join(': ');
  return said === '' ? '' : ` (${said})`;
}

/** The part of an address that nobody may read. */
const withoutPassword = (text: string): string => text.replaceAll(/(\w:\/\/)[^\s/@]+@/g, '$1***@');

/** As `failureOf`, with the place where it happened; text alone, since anything may be thrown. */
export function loggedFailure(thrown: unknown): { readonly reason: string; readonly stack?: string } {
  const reason = failureOf(thrown);
  try {
    const { stack } = Object(thrown) as { stack?: unknown };
    return typeof stack === 'string' ? { reason, stack } : { reason };
  } catch {
    return { reason };
  }
}

const oneLine = (text: string): string =>
  text.toWellFormed().replaceAll(/\s+/g, ' ').slice(0, LONGEST).toWellFormed();
