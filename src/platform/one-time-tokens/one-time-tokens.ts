import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { newToken, sha256Hex } from '#kernel/crypto.ts';
import { ids } from './record.ts';
import * as repo from './repository.ts';

/** What a link is for. */
export interface Issued {
  /** What alone takes it: `setup`, `reset-password`, … */
  readonly purpose: string;
  /** Id of what it opens. */
  readonly subjectId: string;
  readonly seconds: number;
  /** What must still hold when it is used, or what it brings along. */
  readonly data?: Readonly<Record<string, string>>;
  /** Earlier links for the same purpose and subject stay open: each of several mails has its own. */
  readonly keepsOthers?: boolean;
}

/** What an open link says. */
export interface OpenToken {
  readonly subjectId: string;
  readonly data: Readonly<Record<string, string>>;
  /** ISO time. */
  readonly expiresAt: string;
}

const FORM = /^[\w-]{43}$/;

/**
 * Makes the text of a link that works once: 32 random bytes in base64url, of which SHA-256 is stored (M14). Earlier
 * ones for the same purpose and subject end, unless they are to stay. One that is only ever looked at works until it ends.
 */
export async function issue(
  ctx: Ctx,
  { purpose, subjectId, seconds, data = {}, keepsOthers = false }: Issued,
): Promise<{ token: string; expiresAt: string }> {
  const token = newToken('');
  return ctx.tx(async (ctx) => {
    if (!keepsOthers) await repo.revoke(ctx, purpose, subjectId);
    const createdAt = ctx.now();
    const expiresAt = addSeconds(createdAt, seconds);
    const id = ctx.newId(ids.oneTimeToken);
    const none = { usedAt: null, revokedAt: null };
    const { ip: createdIp } = ctx.origin;
    const row = { id, purpose, subjectId, data, expiresAt, ...none, createdIp, createdAt };
    await repo.insert(ctx, row, sha256Hex(token));
    return { token, expiresAt };
  });
}

/** What a link would open; it stays open. @returns null for one that is unknown, used, replaced or over */
export const look = async (ctx: Ctx, purpose: string, token: string): Promise<OpenToken | null> =>
  FORM.test(token) ? repo.findOpen(ctx, purpose, sha256Hex(token)) : null;

/** Whether a link was open once and its time is over: whoever has it may be told so. */
export const isOver = async (ctx: Ctx, purpose: string, token: string): Promise<boolean> =>
  FORM.test(token) && repo.wasIssued(ctx, purpose, sha256Hex(token));

/** A link, and what became of it. */
export interface KnownToken extends OpenToken {
  /** ISO time; null while nobody has used it. */
  readonly usedAt: string | null;
}

/** A link that was not ended, also when it was used or its time is over: for what goes on after its use. */
export async function recall(ctx: Ctx, purpose: string, token: string): Promise<KnownToken | null> {
  const found = FORM.test(token) ? await repo.find(ctx, purpose, sha256Hex(token)) : null;
  return found?.revokedAt === null ? found : null;
}

/**
 * Uses a link up. Inside the transaction of what it allows: when that is refused, the link is open again.
 *
 * @returns null when it is not open; of two that use it at once, one gets null
 */
export const consume = (ctx: Ctx, purpose: string, token: string): Promise<OpenToken | null> =>
  ctx.tx(async (ctx) => {
    const found = await look(ctx, purpose, token);
    return found && (await repo.take(ctx, purpose, sha256Hex(token))) ? found : null;
  });

/** Ends the links of a purpose that are open for a subject. */
export const revoke = (ctx: Ctx, purpose: string, subjectId: string): Promise<void> =>
  ctx.tx((ctx) => repo.revoke(ctx, purpose, subjectId));
