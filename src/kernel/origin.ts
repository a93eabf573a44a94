import type { RateLimit } from './http/rate-limit.ts';

/** What a use case leaves behind for whoever records the request that caused it. */
export interface Trail {
  /** Id of the credential that was presented, as soon as it is known, and whose it is; also when it is refused. */
  credentialId?: string;
  tenantId?: string;
  /** Id of the thing that was decided about. */
  subject?: string;
  /** Id of what that thing belongs to. */
  owner?: string;
  /** What was decided. An answer of 200 can be a denial too: `valid: false` carries its reason here. */
  decision?: { code: string; denied: boolean };
  /** What a service left for its own observers of the answer; it alone knows the shape. */
  left?: unknown;
  /** What the decision looked at and how it came about; called only when the request is recorded. */
  explain?: () => { facts: unknown; trace: unknown };
  /** The rate limit that refused the request, and the key that it counts under. */
  refusedBy?: RateLimit & { readonly key: string };
  /** Digest of a credential that alone would have opened the request, and that nobody knows (D19d). */
  unknownCredential?: string;
}

/** Where a request comes from; a job and a command have none of it. */
export interface Origin {
  readonly requestId: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** Declared path of the endpoint. */
  readonly route: string | null;
  /** One object per request, filled on its way. */
  readonly trail: Trail | null;
  /**
   * Keeps a secret that is shown once, called inside the transaction that makes it: what cannot be kept is not made. It
   * may be called again when the transaction is repeated. Absent where the answer alone holds the secret.
   */
  readonly keepSecret?: (secret: string) => void;
  /** Why the caller makes the change, for the audit log, where the change itself says nothing of it. */
  readonly note?: string;
}

/** Of what no request has caused. */
export const NO_ORIGIN: Origin = { requestId: null, ip: null, userAgent: null, route: null, trail: null };
