import { AppError } from '#kernel/errors.ts';

interface Issue {
  path?: unknown;
  message?: unknown;
}

const CODES: readonly string[] = ['VALIDATION_ERROR', 'VALIDATION_MISSING_FIELD'];

/** What is wrong, field by field: the store says it in words of its own. */
function issuesOf({ details }: AppError): readonly Issue[] {
  if (Array.isArray(details.issues)) return details.issues;
  const fields: readonly { field?: unknown; message?: unknown }[] = Array.isArray(details.fields)
    ? details.fields
    : [];
  return fields.map(({ field, message }) => ({ path: field, message }));
}

/**
 * Runs a use case and lets its refusals name the flags of the command instead of the fields of the API: who typed
 * `--email` was never told of `customerEmail`. Code, details and exit code stay.
 *
 * @param flags field to flag, `{ customerEmail: '--email' }`; a field inside another one as `'changes.name'`
 */
export async function namingFlags<T>(
  flags: Readonly<Record<string, string>>,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof AppError ? renamed(error, flags) : error;
  }
}

function renamed(error: AppError, flags: Readonly<Record<string, string>>): AppError {
  const issues = issuesOf(error);
  if (!CODES.includes(error.code) || issues.length === 0) return error;
  const texts = issues.map(({ path, message }) => {
    const text = withFlags(String(message), flags);
    const flag = flagOf(String(path ?? ''), flags);
    return text.includes(flag) ? text : `${flag} ${text}`;
  });
  return new AppError(error.code, error.status, texts.join('; '), {
    details: error.details,
    extra: error.extra,
  });
}

/** `features.seats` is of `--features`, and the rest still tells where. The longest name that has a flag counts. */
function flagOf(path: string, flags: Readonly<Record<string, string>>): string {
  const parts = path.split('.');
  for (let length = parts.length; length > 0; length -= 1) {
    const flag = flags[parts.slice(0, length).join('.')];
    if (flag !== undefined) return [flag, ...parts.slice(length)].join(' ');
  }
  return parts.join(' ');
}

/** A message may name other fields; only those that no sentence holds by chance, `maxDeactivations` or `max_uses`. */
function withFlags(message: string, flags: Readonly<Record<string, string>>): string {
  const fields = Object.keys(flags).filter((field) => /[A-Z_]/.test(field));
  return fields.reduce((text, field) => text.replaceAll(field, flags[field] ?? field), message);
}
