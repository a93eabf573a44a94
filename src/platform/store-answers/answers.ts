import { AppError, defineErrors } from '#kernel/errors.ts';
import { type Issue, issuesOf } from '#kernel/http/fields.ts';
import type { Surface } from '#kernel/http/surface.ts';

/** The codes of the store's JSON (storefront-api.md 1). */
export const storeFail = defineErrors({
  AUTH_UNAUTHORIZED: [401, 'Authentication is required'],
  AUTH_FORBIDDEN: [403, 'This is not allowed'],
  NOT_FOUND: [404, 'Not found'],
  VALIDATION_ERROR: [400, 'Request is not valid'],
  VALIDATION_MISSING_FIELD: [400, 'A required field is missing'],
  RATE_LIMITED: [429, 'Too many requests'],
  INTERNAL_ERROR: [500, 'Unexpected error'],
} as const);

type Code = keyof typeof storeFail.table;

/** What shared use cases refuse, in the codes of the store, each with the reason that it stands for there. */
const known: Record<string, readonly [code: Code, reason?: string]> = {
  UNAUTHORIZED: ['AUTH_UNAUTHORIZED'],
  INSUFFICIENT_SCOPE: ['AUTH_FORBIDDEN'],
  CSRF_FAILED: ['AUTH_FORBIDDEN', 'CSRF'],
  CONFLICT: ['VALIDATION_ERROR', 'INVALID_TRANSITION'],
  PRECONDITION_FAILED: ['VALIDATION_ERROR', 'STALE_VERSION'],
  SERVER_ERROR: ['INTERNAL_ERROR'],
};

const isStoreCode = (code: string): code is Code => Object.hasOwn(storeFail.table, code);

/** The code of the store that stands for one of shared parts. */
export const storeCodeOf = (code: string): Code =>
  isStoreCode(code) ? code : (known[code]?.[0] ?? 'VALIDATION_ERROR');

const fieldsOf = (issues: readonly Issue[]) => issues.map(({ path, message }) => ({ field: path, message }));

function inStoreCodes(error: AppError): AppError {
  const {
    issues,
    reason,
    hint: _hint,
    ...details
  } = error.details as { issues?: Issue[]; reason?: string; hint?: string };
  const [code, standing] = known[error.code] ?? ['VALIDATION_ERROR'];
  const why = error.code === 'PRECONDITION_FAILED' ? standing : (reason ?? standing);
  const more = { ...details, ...(why && { reason: why }), ...(issues && { fields: fieldsOf(issues) }) };
  const isMissing = error.code === 'VALIDATION_ERROR' && issues?.some(({ rule }) => rule === 'required');
  if (isMissing) return storeFail('VALIDATION_MISSING_FIELD', error.message, { details: more });
  if (isStoreCode(error.code))
    return new AppError(error.code, error.status, error.message, { details: more });
  // What the server lacks has a status of its own under the one code for it.
  if (code === 'INTERNAL_ERROR') return new AppError(code, error.status, error.message, { details: more });
  return storeFail(code, error.message, { details: more });
}

/** What the caller can do about it; the buckets are those of the store. */
function tooMany(bucket: string, limit: number, seconds: number): string {
  const then = `try again in ${seconds} s`;
  if (bucket === 'failures')
    return `This address sent ${limit} API keys or tokens that are not valid: check the one you send, and ${then}`;
  if (bucket === 'staff')
    return `Too many requests: each API key and each member of staff may send ${limit} in a window; ${then}, or spread them over several keys`;
  return `Too many requests: at most ${limit} in a window; ${then}`;
}

/** How the store answers staff and shoppers alike: a success is what the manner of the store made of it. */
export const storeAnswers = {
  success: (body: unknown) => ({ success: true, ...(body as object) }),
  failure: ({ code, message, details }: AppError, requestId: string) => {
    const all = code === 'INTERNAL_ERROR' ? { ...details, request_id: requestId } : details;
    const told = Object.keys(all).length > 0 && { details: all };
    return { success: false, error: message, error_code: code, ...told };
  },
  invalid: (issues) => {
    const listed = issuesOf(issues);
    const isMissing = listed.some(({ rule }) => rule === 'required');
    const text = listed.map(({ path, message }) => (path ? `${path} ${message}` : message)).join('; ');
    return storeFail(isMissing ? 'VALIDATION_MISSING_FIELD' : 'VALIDATION_ERROR', text, {
      details: { fields: fieldsOf(listed) },
    });
  },
  unreadable: (message, status) => new AppError('VALIDATION_ERROR', status, message),
  unmet: (header, message) => storeFail('VALIDATION_ERROR', `${header}: ${message}`),
  rateLimited: (bucket, limit, seconds) =>
    storeFail('RATE_LIMITED', tooMany(bucket, limit, seconds), { details: { bucket, limit } }),
  notFound: () => storeFail('NOT_FOUND', 'No such endpoint'),
  switchedOff: () =>
    storeFail('NOT_FOUND', 'This feature of the shop is switched off', {
      details: { reason: 'FEATURE_DISABLED' },
    }),
  unexpected: () => storeFail('INTERNAL_ERROR'),
  refused: inStoreCodes,
} as const satisfies Partial<Surface>;
