import type { Actor } from '../actor.ts';
import type { Ctx } from '../context.ts';
import type { SessionKind } from './session-id.ts';

/** What a session holds between two requests. */
export interface SessionContent {
  /** Account of staff that signed in; `generation` is the one of its sessions at that time. */
  readonly staff: { readonly id: string; readonly generation: number } | null;
  /** The password of the staff was right and the second factor is still to come: until then it may do nothing else. */
  readonly isSecondFactorPending: boolean;
  /** Customer who signed in, as with staff; one session may hold both (decision 0083). */
  readonly customer: SignedInCustomer | null;
  /** ISO time until which the browser of a guest keeps the session, beyond the age of others; null for no longer. */
  readonly keptUntil: string | null;
  /** JSON values by name. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A customer of a session. */
export interface SignedInCustomer {
  readonly id: string;
  readonly generation: number;
  /** The second factor is still to come: until then it is nobody. */
  readonly isPending: boolean;
  /** Stays signed in without requests, until the session is too old. */
  readonly isRemembered: boolean;
}

export const EMPTY_SESSION: SessionContent = {
  staff: null,
  isSecondFactorPending: false,
  customer: null,
  keptUntil: null,
  data: {},
};

/** Whether there is nothing to keep. */
export const isEmptySession = (content: SessionContent): boolean =>
  isNobodys(content) && Object.keys(content.data).length === 0;

/** Whether nobody signed in. */
export const isNobodys = ({ staff, customer }: SessionContent): boolean =>
  staff === null && customer === null;

/** What an account has to do before it may do anything else. */
export type Owed = 'SECOND_FACTOR' | 'NEW_PASSWORD';

/** A session that has a row, as a request finds it. */
export interface KeptSession {
  /** Of its row: no secret, unlike what the cookie carries. */
  readonly id: string;
  readonly content: SessionContent;
  /** What the account that signed in has to do first; null for nothing. Its actor has no permission until then. */
  readonly owes: Owed | null;
  /** For whom the browser acts now: a guest when the account that signed in may no longer. */
  readonly actor: Actor;
  /** The customer for whom it acts in the shop, also where it acts for staff; null for a guest. */
  readonly customer: Actor | null;
  readonly lastSeenAt: string;
}

/** Keeps the sessions of browsers in the database; ids reach it as digests only. */
export interface SessionKeeper {
  /** A session that has not ended, or null. */
  find(ctx: Ctx, digest: string): Promise<KeptSession | null>;
  /** Makes the row, or writes the content where another request was first. */
  insert(ctx: Ctx, digest: string, kind: SessionKind, content: SessionContent): Promise<void>;
  /** Writes the content of a session that is still there, and nothing where it has ended meanwhile. */
  update(ctx: Ctx, digest: string, content: SessionContent): Promise<void>;
  remove(ctx: Ctx, digest: string): Promise<void>;
  /** Notes that its browser was here. It does not wait, and may be lost. */
  touch(ctx: Ctx, digest: string, lastSeenAt: string): void;
  /** How long a session lasts at most. */
  maxAgeSeconds(ctx: Ctx): number;
}
