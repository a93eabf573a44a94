import type { Ctx } from '#kernel/context.ts';
import type { UpdateStanding } from '#licensing/licenses/standing/index.ts';
import { servableReleases } from '../releases/index.ts';
import { judgeUpdate, rightsOf } from './access.ts';
import { type Candidate, catalogueOf, parseVersion, rememberedReleases } from './catalogue.ts';
import { type Choice, chooseRelease, type Question } from './choose.ts';
import { count } from './counts.ts';
import type { CheckAnswer, CheckAsked } from './schemas.ts';
import { isServed } from './served.ts';
import { shownRelease } from './shown.ts';
import { type Sender, timestampToken } from './timestamp.ts';

/**
 * Tells whether a newer version is there for an installation (spec, GET /api/v1/updates/check; D85 to D89). Writes
 * nothing: what is counted is written later (C13).
 *
 * @param standing of the admitted license
 * @param sender its machine's place in a rollout counts, else the license's (6.4)
 * @throws AppError INVALID_LICENSE
 */
export async function check(
  ctx: Ctx,
  standing: UpdateStanding,
  asked: CheckAsked,
  sender: Omit<Sender, 'keyIds'>,
): Promise<CheckAnswer> {
  const { machineId } = sender;
  judgeUpdate(ctx, standing, null, machineId);
  const now = ctx.now();
  const { product, releasesVersion } = standing;
  const { candidates } = await rememberedReleases(ctx, product.id, releasesVersion);
  const question = questionOf(standing, asked, machineId, now);
  const choice = chooseRelease(candidates, question, now);
  countCheck(ctx, choice, asked.current_version);
  const { channel, current_version: installed, nonce } = asked;
  const { platform, arch, rights } = question;
  const offer = choice.offer?.release ?? null;
  const asker = { ...sender, keyIds: asked.key_ids ?? '' };
  const stamped = { product, channel, platform, arch, installed, offer, nonce, asker };
  const token = await timestampToken(ctx, stamped, now);
  return {
    ...answerOf(choice, asked, now),
    ...(token !== null && { timestamp_token: token }),
    ...(rights.onlyCritical && { lapsed: true }),
    ...(nonce !== undefined && { nonce }),
  };
}

/** A license as a check looks at it; also one that somebody only imagines (6.5). */
export type Asker = Pick<UpdateStanding, 'license' | 'policy' | 'prereleaseNeedsBeta'> & {
  readonly product: { readonly id: string };
};

/**
 * What a check would answer at a moment, without timestamp token and nonce. Counts nothing and judges no license.
 *
 * @param at ISO 8601 UTC
 */
export async function previewCheck(
  ctx: Ctx,
  asker: Asker,
  asked: CheckAsked,
  machineId: string,
  at: string,
): Promise<CheckAnswer> {
  const { candidates } = catalogueOf(await servableReleases(ctx, asker.product.id));
  const question = questionOf(asker, asked, machineId, at);
  const answer = answerOf(chooseRelease(candidates, question, at), asked, at);
  return question.rights.onlyCritical ? { ...answer, lapsed: true } : answer;
}

/** The question that a check asks. @param machineId empty for none */
export function questionOf(
  asker: Omit<Asker, 'product'>,
  asked: Pick<CheckAsked, 'current_version' | 'channel' | 'platform' | 'arch' | 'key_ids'>,
  machineId: string,
  now: string,
): Question {
  return {
    installed: parseVersion(asked.current_version),
    channel: asked.channel,
    platform: asked.platform || undefined,
    arch: asked.arch || undefined,
    subject: machineId || asker.license.id,
    keyIds: asked.key_ids?.split(',') ?? null,
    rights: rightsOf(asker, now),
  };
}

/** What a check answers, without what only its moment adds. */
function answerOf(
  choice: Choice,
  { current_version, channel }: Pick<CheckAsked, 'current_version' | 'channel'>,
  now: string,
): CheckAnswer {
  const { offer, notAllowed, isCritical, requiresMigration } = choice;
  if (offer !== null && isServed(offer.release, now)) {
    const { version, sha256, signature, published_at, ...more } = shownRelease(offer.release);
    return {
      update_available: true,
      version,
      changelog: offer.release.changelog,
      bundle_size: offer.release.bundleSize,
      sha256,
      signature,
      is_critical: isCritical,
      requires_migration: requiresMigration,
      published_at,
      release_id: offer.release.id,
      ...more,
    };
  }
  const newer = notAllowed?.release.version;
  const barred = newer === undefined ? {} : { newer_version_not_allowed: newer };
  return { update_available: false, current_version, channel, ...barred };
}

/** A release that was held back by its rollout was asked for as well. */
export function countCheck(
  ctx: Ctx,
  { offer, whenRolledOut }: Pick<Choice, 'offer' | 'whenRolledOut'>,
  from: string,
): void {
  const asked = new Set([whenRolledOut, offer].filter((one): one is Candidate => one !== null));
  for (const { release } of asked) count(ctx, release.id, from, 'checks');
  if (offer) count(ctx, offer.release.id, from, 'offers');
}
