import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { checkInput } from '#kernel/service/input.ts';
import { holdBundle, unpublishFile } from '../bundles/index.ts';
import { type ChangeOptions, changeRelease } from './change.ts';
import { requireChannel } from './draft.ts';
import { requireBytes, statementRequired } from './publish.ts';
import * as queries from './queries.ts';
import { getUnchanged } from './read.ts';
import { changedMeanwhile, refuse, requireState } from './refusal.ts';
import type { Release } from './release.ts';
import { CheckedPromotion, type PromoteInput, type PromoteSent, YankInput } from './schemas.ts';
import { requireRising } from './sequence.ts';
import { keyThatSigned, requireLife, statementOf, termOf } from './signature.ts';
import { requireStatement } from './signed.ts';

/**
 * Withdraws a release: it is neither offered nor served from now on (6.4, D90). Again: unchanged.
 *
 * @param sent `unpublishFile` also deletes the stored bytes
 * @throws AppError NOT_FOUND, VALIDATION_ERROR, PRECONDITION_FAILED; CONFLICT, reason NOT_PUBLISHED for a draft, or
 *   FILE_SHARED when the bytes shall go and another release is served with them
 */
export async function yank(
  ctx: Ctx,
  id: string,
  sent: { reason: string; unpublishFile?: boolean | undefined },
  options: ChangeOptions = {},
): Promise<Release> {
  const { reason } = checkInput(YankInput, { reason: sent.reason });
  let isCommitted = false;
  const release = await changeRelease(ctx, id, options, async (ctx, before) => {
    ctx.afterCommit(() => {
      isCommitted = true;
    });
    if (sent.unpublishFile) await requireUnshared(ctx, before);
    if (before.state === 'YANKED') return null;
    requireState(before, ['PUBLISHED', 'ARCHIVED']);
    const after: Release = { ...before, state: 'YANKED', yankedAt: ctx.now(), yankedReason: reason };
    return { type: 'RELEASE_YANKED', after, data: { reason, fileRemoved: sent.unpublishFile ?? false } };
  });
  // A rehearsal is rolled back: bytes that are gone would not come back with it.
  if (isCommitted && sent.unpublishFile && release.bundleSha256 !== null)
    await unpublishFile(ctx, release.bundleSha256);
  return release;
}

/** Contents are stored once, whatever releases have them, also those of another tenant: none is named. */
async function requireUnshared(ctx: Ctx, { id, bundleSha256 }: Release): Promise<void> {
  if (bundleSha256 === null || !(await queries.isServedElsewhere(ctx, bundleSha256, id))) return;
  throw refuse('FILE_SHARED', 'another release uses the same bundle, so it must stay', { id });
}

/**
 * Takes a withdrawal back: the release is again what it was, published or archived. One that is not withdrawn stays
 * as it is.
 *
 * @throws AppError NOT_FOUND, PRECONDITION_FAILED; CONFLICT, reason NOT_PUBLISHED, or FILE_MISSING when its bytes were
 *   deleted; VERIFICATION_FAILED, reason HASH_MISMATCH
 */
export async function unyank(ctx: Ctx, id: string, options: ChangeOptions = {}): Promise<Release> {
  const seen = await getUnchanged(ctx, id, options.ifMatch);
  if (seen.state === 'YANKED') await requireBytes(ctx, seen);
  return changeRelease(ctx, id, options, async (ctx, before) => {
    if (before.state === 'PUBLISHED' || before.state === 'ARCHIVED') return null;
    requireState(before, ['YANKED']);
    // Its bytes were not looked at when it was withdrawn only a moment ago.
    if (seen.state !== 'YANKED') throw changedMeanwhile(before);
    await holdBundle(ctx, before.bundleSha256 as string);
    const state = before.archivedAt === null ? 'PUBLISHED' : 'ARCHIVED';
    const after: Release = { ...before, state, yankedAt: null, yankedReason: null };
    return { type: 'RELEASE_UNYANKED', after };
  });
}

/**
 * Stops offering a release; by its id it is still served, for repair installs (D90). Again: unchanged.
 *
 * @throws AppError NOT_FOUND, PRECONDITION_FAILED; CONFLICT, reason NOT_PUBLISHED
 */
export const archive = (ctx: Ctx, id: string, options: ChangeOptions = {}): Promise<Release> =>
  changeRelease(ctx, id, options, async (ctx, before) => {
    if (before.state === 'ARCHIVED') return null;
    requireState(before, ['PUBLISHED']);
    return { type: 'RELEASE_ARCHIVED', after: { ...before, state: 'ARCHIVED', archivedAt: ctx.now() } };
  });

/**
 * Moves a published release to another channel. One with a statement needs a statement for the new channel, signed by
 * the key that signed it, with a sequence above the highest of that line (4.2, 6.3).
 *
 * @throws AppError NOT_FOUND, PRECONDITION_FAILED; VALIDATION_ERROR, reason CHANNEL_MISMATCH for a prerelease on
 *   stable; CONFLICT, reason NOT_PUBLISHED, SEQUENCE_NOT_RISING or CHANGED_MEANWHILE; VERIFICATION_FAILED
 */
export async function promote(
  ctx: Ctx,
  id: string,
  input: PromoteSent,
  options: ChangeOptions = {},
): Promise<Release> {
  const sent = checkInput(CheckedPromotion, input) as z.output<typeof PromoteInput>;
  const seen = await getUnchanged(ctx, id, options.ifMatch);
  requireState(seen, ['PUBLISHED']);
  const wanted: Release = { ...seen, channel: sent.channel };
  requireChannel(wanted);
  const statement = statementOf(sent);
  if (seen.channel === sent.channel && statement === null) return seen;
  if (statement === null && seen.statement !== null) throw statementRequired(wanted);
  const opened = statement && requireStatement(wanted, statement, (await keyThatSigned(ctx, seen)).publicKey);
  return changeRelease(ctx, id, options, async (ctx, before, product) => {
    requireState(before, ['PUBLISHED']);
    if (!isDeepStrictEqual(before, seen)) throw changedMeanwhile(before);
    if (opened === null && product.statementRequired) throw statementRequired(wanted);
    const after: Release = { ...wanted, ...statement, ...termOf(opened), ...formerOf(before) };
    if (opened !== null) {
      const from = later(after.publishedAt, ctx.now());
      requireLife(after, after.statementExpiresAt as string, from);
      await requireRising(ctx, after, opened.sequence, () => from);
    }
    return { type: 'RELEASE_PROMOTED', after, data: { from: before.channel } };
  });
}

/** Clients of the channel where it was remember its sequence, so nothing lower may come there (6.3). */
const formerOf = ({ formerSequences, channel, sequence }: Release): Pick<Release, 'formerSequences'> => ({
  formerSequences: sequence === null ? formerSequences : { ...formerSequences, [channel]: sequence },
});

const later = (at: string | null, now: string): string => (at !== null && at > now ? at : now);
