import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Session } from '#kernel/http/visitor.ts';

const NAME = 'password-proof';
/** So long after the password was given, what is most dangerous goes without it (admin.md 7). */
const FRESH_SECONDS = 600;

interface Proof {
  readonly account: string;
  readonly at: string;
}

/**
 * Notes in the session of a browser that its account has just given its password. Before `session.signIn`, so that both
 * are written at once.
 */
export const noteProof = (ctx: Ctx, session: Session, account: string): void =>
  session.write(NAME, { account, at: ctx.now() } satisfies Proof);

/** Forgets it: whoever came by a link gave no password. */
export const forgetProof = (session: Session): void => session.write(NAME, undefined);

/** When the account of a session gave its password last (ISO time); null when it did not. */
export function proofOf(session: Session, account: string): string | null {
  const proof = session.read(NAME) as Proof | undefined;
  return proof?.account === account ? proof.at : null;
}

/** Whether a password that was given at this ISO time need not be asked for again. @param seconds for so long */
export const isFreshProof = (ctx: Ctx, at: string | null, seconds: number = FRESH_SECONDS): boolean =>
  at !== null && at > addSeconds(ctx.now(), -seconds);

/** ISO time until which a password that is given now need not be asked for again. */
export const proofEnds = (ctx: Ctx): string => addSeconds(ctx.now(), FRESH_SECONDS);
