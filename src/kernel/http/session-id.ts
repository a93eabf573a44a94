import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../crypto.ts';

/** Of nobody known, or of somebody who signed in. */
export type SessionKind = 'guest' | 'user';

/** What an id says of itself; it is believed because the cookie is signed. */
export interface SessionIdFacts {
  readonly kind: SessionKind;
  /** Milliseconds since 1970, to the second. */
  readonly issuedMs: number;
}

const LETTER: Readonly<Record<SessionKind, string>> = { guest: 'g', user: 'u' };
const FORM = /^([gu])\.([0-9a-z]{1,9})\.[\w-]{43}$/;

/**
 * A new id of a session: its kind, the second of issue and 32 random bytes (reliability M15). With the first two a
 * guest needs no row before there is something to keep.
 */
export const newSessionId = (kind: SessionKind, nowMs: number): string => {
  const second = Math.max(0, Math.floor(nowMs / 1000)).toString(36);
  return `${LETTER[kind]}.${second}.${randomBytes(32).toString('base64url')}`;
};

/** What an id says of itself, or null for a text that is none. */
export function readSessionId(id: string): SessionIdFacts | null {
  const [, letter, second] = FORM.exec(id) ?? [];
  if (letter === undefined || second === undefined) return null;
  return { kind: letter === 'u' ? 'user' : 'guest', issuedMs: Number.parseInt(second, 36) * 1000 };
}

/** Under which a session is kept: a copy of the database opens none. */
export const sessionDigest = (id: string): string => sha256Hex(id);
