import type { Ctx } from '#kernel/context.ts';
import type { Visitor } from '#kernel/http/visitor.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { provePassword } from '../accounts/index.ts';

/** The scope of an endpoint about the person who signed in: no program's token opens it, whatever it may do. */
export const OWN_ACCOUNT = 'own-account';

/**
 * The account of the person who acts: by a session, or by a login token.
 *
 * @throws AppError INSUFFICIENT_SCOPE for a token that is nobody's
 */
export function personIn({ actor }: Ctx): string {
  const isPerson = actor.kind === 'staff' || (actor.kind === 'admin' && actor.tokenId !== undefined);
  if (isPerson && actor.id !== null) return actor.id;
  throw fail(
    'INSUFFICIENT_SCOPE',
    'This is about the person who signed in, but this token belongs to a program',
    {
      details: { reason: 'PERSON_REQUIRED' },
    },
  );
}

/** The browser of the person who acts. @throws AppError INSUFFICIENT_SCOPE for a token */
export function browserOf(visitor: Visitor | null): Visitor {
  if (visitor) return visitor;
  throw fail('INSUFFICIENT_SCOPE', 'This only works in a browser session', {
    details: { reason: 'SESSION_REQUIRED' },
  });
}

/** @throws AppError VALIDATION_ERROR about `password` for a wrong one; RATE_LIMITED */
export async function requirePassword(ctx: Ctx, account: string, password: string): Promise<void> {
  if (!(await provePassword(ctx, account, password))) throw invalidField('password', 'is wrong');
}
