/** What an address that a user named must fulfil (reliability M8). */
export interface TargetRules {
  /** http beside https; into `openedRanges` it is always allowed. */
  readonly allowHttp: boolean;
  /** CIDR blocks that may be reached although they are private. */
  readonly openedRanges: readonly string[];
  /** What opens more, by name: refusals tell it. */
  readonly opensMore: { readonly http: string; readonly ranges: string };
}

/** One request to an address that a user named. */
export interface TargetRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** One deadline for look-up, connection, TLS, request and answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Bytes of the answer that are kept. */
  readonly keepBytes: number;
}

/** Why there was no answer. `blocked` is the guard's word: no connection was made. */
export type TargetFailure = 'blocked' | 'timeout' | 'network';

/** What came of it. */
export type TargetOutcome = {
  /** Milliseconds until the answer's head, or until it failed. */
  readonly ms: number;
} & (
  | {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** The first bytes of the body as text, never decompressed. */
      readonly excerpt: string;
    }
  | { readonly failure: TargetFailure; readonly error: string }
);
