import type { Ctx } from '#kernel/context.ts';
import { conflict } from '#kernel/service/errors.ts';
import { consume, issue, look, revoke } from '../one-time-tokens/index.ts';
import { accountEvents } from './events.ts';
import { requireMayManage } from './management.ts';
import * as repo from './repository.ts';

const HOUR = 3600;

/** Links to an account, and for how long each is valid. */
const SECONDS = { 'reset-password': HOUR, invite: 7 * 24 * HOUR, 'login-link': 300 } as const;
export type LinkPurpose = keyof typeof SECONDS;

export interface Link {
  /** Shown once. */
  readonly url: string;
  /** ISO time. */
  readonly expiresAt: string;
}

/**
 * Makes a link that opens an account once; an earlier one for the same ends. It is built from base_url alone, and it
 * dies with a changed password or address (M14).
 *
 * @param seconds how long it is valid: an hour for a new password, a week for an invitation, five minutes for a sign-in
 * @throws AppError CONFLICT for an account that is disabled, or that has joined already; INSUFFICIENT_SCOPE
 */
export async function linkFor(
  ctx: Ctx,
  purpose: LinkPurpose,
  accountId: string,
  seconds: number = SECONDS[purpose],
): Promise<Link> {
  return ctx.tx(async (ctx) => {
    const account = await repo.lockForSignIn(ctx, accountId);
    await requireMayManage(ctx, accountId);
    if (!account || !isFor(purpose, account)) throw unusable(purpose, account);
    return openingLink(ctx, purpose, account, seconds);
  });
}

/**
 * Makes a link for whoever reads the mails of an account, who need not be signed in.
 *
 * @param ctx of a transaction; @param account locked in it, for which the link is
 */
export async function openingLink(
  ctx: Ctx,
  purpose: LinkPurpose,
  account: repo.SignInRow,
  seconds: number = SECONDS[purpose],
): Promise<Link> {
  const asked = { purpose, subjectId: account.id, seconds, data: { stamp: stampOf(ctx, account) } };
  const { token, expiresAt } = await issue(ctx, asked);
  const data = { purpose, expiresAt };
  await accountEvents.tell(ctx, 'STAFF_LINK_MADE', account.id, data, { after: data });
  return { url: `${ctx.baseUrl}/admin/${purpose}/${token}`, expiresAt };
}

/** The account that a link opens; it is not used up. @returns null for a link that opens nothing any more */
export async function lookAt(ctx: Ctx, purpose: LinkPurpose, token: string): Promise<repo.SignInRow | null> {
  const open = await look(ctx, purpose, token);
  const account = open && (await repo.findForSignIn(ctx, open.subjectId));
  return account && isFor(purpose, account) && open.data.stamp === stampOf(ctx, account) ? account : null;
}

/**
 * Uses a link up and holds its account.
 *
 * @param ctx of the transaction of what the link allows
 * @returns null for a link that opens nothing any more
 */
export async function use(ctx: Ctx, purpose: LinkPurpose, token: string): Promise<repo.SignInRow | null> {
  const seen = await lookAt(ctx, purpose, token);
  if (!seen) return null;
  await repo.lockForSignIn(ctx, seen.id);
  const account = await lookAt(ctx, purpose, token);
  return account && (await consume(ctx, purpose, token)) ? account : null;
}

/** Ends the links to an account: what they were made for is done. */
export async function revokeLinks(ctx: Ctx, accountId: string): Promise<void> {
  for (const purpose of Object.keys(SECONDS)) await revoke(ctx, purpose, accountId);
}

const isFor = (purpose: LinkPurpose, { status }: repo.SignInRow): boolean =>
  status === (purpose === 'invite' ? 'invited' : 'active');

function unusable(purpose: LinkPurpose, account: repo.SignInRow | undefined) {
  const email = account?.email ?? 'this account';
  if (purpose === 'invite') return conflict(`${email} has already chosen a password`);
  return account?.status === 'invited'
    ? conflict(
        `${email} was invited and has no password yet`,
        `appctl admin user create --email ${email} --invite`,
      )
    : conflict(`${email} is disabled`, `appctl admin user enable ${email}`);
}

/** Changes with the password and the address. */
const stampOf = (ctx: Ctx, { id, emailNorm, passwordHash, generation }: repo.SignInRow): string =>
  ctx.keyring.digest('lookup', `link:${id}:${emailNorm}:${passwordHash ?? ''}:${generation}`);
