import { type Actor, personOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { passwordSignIn } from '../passwords/index.ts';
import { normalEmail } from './email.ts';
import { accountEvents } from './events.ts';
import * as repo from './repository.ts';

export type { SignedInAccount } from '../passwords/index.ts';

/** How staff signs in. */
export const { signIn, proveSecondFactor, proveCode, provePassword, admitted, admitNew } =
  passwordSignIn<repo.SignInRow>({
    findByEmail: (ctx, email) => repo.findByEmail(ctx, normalEmail(email)),
    find: repo.findForSignIn,
    lock: repo.lockForSignIn,
    isOpen: ({ status }) => status === 'active',
    replaceHash: repo.replaceHash,
    async noteSignIn(ctx, { id, email }) {
      await repo.noteSignIn(ctx, id);
      const actor: Actor = { kind: 'staff', id, label: email, isInstanceWide: true };
      await accountEvents.tell(ctx.with({ actor }), 'SIGNED_IN', id, { ip: ctx.origin.ip });
    },
    countFailure: repo.countFailure,
    lockOut: repo.lockAccount,
    tellFailure: (ctx, id, failure) =>
      accountEvents.tell(ctx, 'SIGN_IN_FAILED', id, { ...failure, ip: ctx.origin.ip }),
  });

/** Notes that somebody signs out, if it is somebody of the staff; also while looking as somebody else. */
export async function noteSignOut(ctx: Ctx, visitor: Actor): Promise<void> {
  const { id, label } = personOf(visitor);
  if (visitor.kind !== 'staff' || id === null) return;
  const own = ctx.with({ actor: { kind: 'staff', id, label } });
  await own.tx((ctx) => accountEvents.tell(ctx, 'SIGNED_OUT', id, { ip: ctx.origin.ip }));
}
