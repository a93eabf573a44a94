import type { Json } from './json.ts';

/** What an answer of the server says beside its code. */
export interface ApiErrorFacts {
  httpStatus: number;
  /** `error.details` (licensing.md 6.6). */
  details: Record<string, Json>;
  requestId: string | null;
  /** From Retry-After or RateLimit-Reset. */
  retryAfterSeconds: number | null;
  /** The same as a time of the client's own clock. */
  retryAt: string | null;
  /** The whole body. */
  body: Json;
}

/** The server answered, and refused. `code` is a code of the API, such as ACTIVATION_FAILED. */
export class LicenseApiError extends Error {
  readonly code: string;
  readonly httpStatus: number;
  readonly details: Record<string, Json>;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
  readonly retryAt: string | null;
  readonly body: Json;

  constructor(code: string, message: string, facts: ApiErrorFacts) {
    super(message);
    this.name = 'LicenseApiError';
    this.code = code;
    this.httpStatus = facts.httpStatus;
    this.details = facts.details;
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.retryAt = facts.retryAt;
    this.body = facts.body;
  }
}

export type ClientErrorCode =
  | 'NETWORK'
  | 'TIMEOUT'
  | 'ABORTED'
  | 'BAD_RESPONSE'
  | 'RESPONSE_SIGNATURE'
  | 'HASH_MISMATCH'
  | 'SIGNATURE_INVALID'
  | 'STATEMENT_INVALID'
  | 'STATEMENT_MISMATCH'
  | 'STATEMENT_EXPIRED'
  | 'ROLLBACK'
  | 'CLOCK_ROLLED_BACK'
  | 'NO_LICENSE_KEY'
  | 'INVALID_KEY'
  | 'STORAGE';

/** There is no usable answer. `cause` holds what lies behind it, when there is anything. */
export class ClientError extends Error {
  readonly code: ClientErrorCode;

  constructor(code: ClientErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ClientError';
    this.code = code;
  }
}

/** Anything thrown as an Error, for events that carry one. */
export const errorOf = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
