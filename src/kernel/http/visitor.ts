import type { Actor } from '../actor.ts';
import type { Owed, SignedInCustomer } from './session-keeper.ts';

/** Whom a page is for: everybody, customers who signed in, staff who did, or staff with a permission, `or` another one. */
export type Audience = 'public' | 'customer' | 'staff' | { readonly staff: string; readonly or?: string };

/** What a session remembers between two requests of one browser. */
export interface Session {
  /** Under which limits count it; null for a visitor who has none yet. */
  readonly limitKey: string | null;
  /**
   * What belongs to this browser can be kept under it before the session has a row: it says nothing of what the cookie
   * carries, and is another one after each sign-in and sign-out. null for a visitor without a cookie of ours.
   */
  readonly key: string | null;
  /** Id of its row, which lists of sessions show; null without one. */
  readonly id: string | null;
  /** The account of staff whose password was right and whose second factor is still to come. */
  readonly pending: { readonly id: string; readonly generation: number } | null;
  /** As `pending`, of a customer. */
  readonly pendingCustomer: SignedInCustomer | null;
  /** What was kept under a name; undefined when there is nothing. */
  read(name: string): unknown;
  /** Keeps a JSON value from now on; undefined removes it. The first write makes the session's row. */
  write(name: string, value: unknown): void;
  /**
   * Lets the session of a guest last until an ISO time, however old it is then, and the browser keep its cookie as long.
   * The session of somebody who signed in ends as it would.
   */
  keepUntil(time: string): void;
  /** Refuses from now on the forms that were shown before: they were about something else. */
  endForms(): void;
  /** From now on the browser acts for somebody, under a new id (reliability M15). */
  signIn(who: SignedIn): Promise<void>;
  /** Ends the session; the browser goes on as a guest with a new id. */
  signOut(): Promise<void>;
}

/** A browser as it is known beyond its sessions: by a cookie of its own, which opens nothing. */
export interface Device {
  /** What its cookie carries, a secret; null for a browser that was given none. */
  readonly name: string | null;
  /** Gives the browser a new name with this answer. @returns the name */
  rename(): string;
}

/** Whose session one becomes. */
export interface SignedIn {
  readonly kind: 'customer' | 'staff';
  readonly id: string;
  /** Of the account's sessions when its password was judged: a later one, as of a new password, ends this session. */
  readonly generation: number;
  /** Only the password was proven: the session may do nothing but prove the second factor. */
  readonly isSecondFactorPending?: boolean;
  /** A customer who wants to stay signed in: no idle limit ends the session, and the browser keeps its cookie. */
  readonly isRemembered?: boolean;
}

/** Who looks at a page or sends its form. */
export interface Visitor {
  readonly actor: Actor;
  /** The customer who signed in, also where the same browser acts for staff (decision 0083); null for a guest. */
  readonly customer: Actor | null;
  readonly tenantId: string;
  /** The languages that the browser asks for, best first, as tags in small letters. */
  readonly languages: readonly string[];
  readonly session: Session;
  readonly device: Device;
  /** What the account has to do before it may do anything else; null for nothing. */
  readonly owes: Owed | null;
  /** The browser says that the page of another site sent the request. */
  readonly isFromElsewhere: boolean;
  /** A token for the forms of one page, masked anew each time. Asking for it gives the browser its cookie. */
  csrfToken(): string;
  /** Whether a token is the one of this session. */
  accepts(token: string | undefined): boolean;
  /**
   * Judges what a form presented: header `X-CSRF-Token`, or its field `_csrf`. It does not wait for anything, because
   * a file that follows the field may not be written before (M16).
   *
   * @throws AppError 403 when it is not the token of this visitor, or when another site sent the form
   */
  requireCsrf(presented: string | undefined): void;
  /** Writes what the request changed in the session. The answer waits for it, so that a redirect finds it. */
  settle(): Promise<void>;
}
