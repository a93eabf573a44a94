import type { Visitor } from '#kernel/http/visitor.ts';

/** Whose cart it is: a customer's who signed in, or a browser's. */
export interface Owner {
  readonly customerId: string | null;
  readonly sessionKey: string | null;
}

/** @param visitor null where no browser asked: a program has no cart */
export function ownerOf(visitor: Visitor | null): Owner {
  if (visitor === null) return { customerId: null, sessionKey: null };
  const { customer, session } = visitor;
  return customer?.id
    ? { customerId: customer.id, sessionKey: null }
    : { customerId: null, sessionKey: session.key };
}

/** Under which the session remembers that its browser has a cart: with that it has a row, and lasts as one does. */
const MARK = 'cart';

/** Gives the browser a session that lasts, with its first cart. */
export function markSession(visitor: Visitor | null): void {
  if (visitor && visitor.session.read(MARK) === undefined) visitor.session.write(MARK, true);
}
