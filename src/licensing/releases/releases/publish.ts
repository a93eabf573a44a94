import { isDeepStrictEqual } from 'node:util';
import type { Ctx } from '#kernel/context.ts';
import { checkInput } from '#kernel/service/input.ts';
import { type ClientKey, publicKeysForClients } from '#licensing/catalog/keys/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import type { Statement } from '#signing/releases/statement.ts';
import { holdBundle, verifyStored } from '../bundles/index.ts';
import { type ChangeOptions, changeRelease } from './change.ts';
import { requireChannel } from './draft.ts';
import { getUnchanged } from './read.ts';
import { changedMeanwhile, nameOf, refuse, requireDraft } from './refusal.ts';
import type { Release } from './release.ts';
import { toBps } from './rollout.ts';
import { PublishInput, type PublishSent } from './schemas.ts';
import { requireRising } from './sequence.ts';
import { requireLife, termOf, wrongKey } from './signature.ts';
import { requireSignature, requireStatement } from './signed.ts';

/** The only key that opens new releases (decision 6 of issue 5). */
type ActiveKey = Pick<ClientKey, 'keyId' | 'publicKey'>;

/**
 * Publishes a draft, and freezes its bytes and version (D93). It is refused unless the stored bytes have the size and
 * digest that were signed, the signature is one of the product's ACTIVE key, the channel fits the version, and the
 * statement (6.3) verifies, says what the release says, is good for more than 7 days and has a sequence above the
 * highest of its line. The bytes are read and the signatures verified before the transaction (C10), which makes sure
 * that nothing of it changed.
 *
 * @param sent `at` in the future: offered and served from then on
 * @throws AppError NOT_FOUND, VALIDATION_ERROR, PRECONDITION_FAILED; CONFLICT and VERIFICATION_FAILED with
 *   `details.reason`
 */
export async function publish(
  ctx: Ctx,
  id: string,
  sent: PublishSent = {},
  options: ChangeOptions = {},
): Promise<Release> {
  const { at, rolloutPercent } = checkInput(PublishInput, sent);
  const seen = await getUnchanged(ctx, id, options.ifMatch);
  const { key, opened } = await judge(ctx, seen, at);
  await requireBytes(ctx, seen);
  return changeRelease(ctx, id, options, async (ctx, before, product) => {
    requireDraft(before);
    if (!isDeepStrictEqual(before, seen)) throw changedMeanwhile(before);
    await holdBundle(ctx, before.bundleSha256 as string);
    const active = await requireActiveKey(ctx, before);
    if (active.keyId !== key.keyId) throw wrongKey(before, key.keyId, active.keyId);
    const publishedAt = later(at, ctx.now());
    await requireTerm(ctx, before, { product, opened, publishedAt: () => publishedAt });
    const after: Release = {
      ...before,
      ...termOf(opened),
      state: 'PUBLISHED',
      keyId: key.keyId,
      publishedAt,
      rollout:
        rolloutPercent === undefined
          ? before.rollout
          : { ...before.rollout, bps: toBps(rolloutPercent), schedule: [] },
    };
    const { sequence, bundleSha256: sha256 } = after;
    return { type: 'RELEASE_PUBLISHED', after, data: { keyId: key.keyId, sha256, sequence, publishedAt } };
  });
}

/** A time that has passed means now: nothing can have been offered before it was published. */
const later = (at: string | undefined, now: string): string => (at !== undefined && at > now ? at : now);

/** Everything that can be said without reading the bytes, so that a refusal does not wait for them. */
async function judge(
  ctx: Ctx,
  release: Release,
  at: string | undefined,
): Promise<{ key: ActiveKey; opened: Statement | null }> {
  requireDraft(release);
  requireChannel(release);
  const { bundleSha256, signature, statement, statementSignature } = release;
  if (bundleSha256 === null)
    throw refuse('NO_BUNDLE', `${nameOf(release)} has no bundle: appctl release upload ${release.id} FILE`);
  if (signature === null) {
    throw refuse(
      'UNSIGNED',
      `${nameOf(release)} is not signed: appctl release sign, then upload with --sig`,
      {
        id: release.id,
      },
    );
  }
  const key = await requireActiveKey(ctx, release);
  requireSignature(release, bundleSha256, signature, key.publicKey);
  const opened =
    statement === null || statementSignature === null
      ? null
      : requireStatement(release, { statement, statementSignature }, key.publicKey);
  const product = await products.get(ctx, release.productId);
  await requireTerm(ctx, release, { product, opened, publishedAt: () => later(at, ctx.now()) });
  return { key, opened };
}

/** The key that new releases are signed with, if it is the one that signed this one. */
async function requireActiveKey(ctx: Ctx, release: Release): Promise<ActiveKey> {
  const keys = await publicKeysForClients(ctx, release.productId);
  const active = keys.find(({ status }) => status === 'ACTIVE');
  if (!active) {
    throw refuse(
      'NO_ACTIVE_KEY',
      `${release.productSlug} has no active signing key: appctl keys generate --product ${release.productSlug}`,
    );
  }
  if (release.keyId !== null && release.keyId !== active.keyId)
    throw wrongKey(release, release.keyId, active.keyId);
  return active;
}

/** What the statement must be beyond its content: present, good for long enough, and the newest of its line (6.3). */
async function requireTerm(
  ctx: Ctx,
  release: Release,
  judged: {
    product: { slug: string; statementRequired: boolean };
    opened: Statement | null;
    publishedAt: () => string;
  },
): Promise<void> {
  const { product, opened, publishedAt } = judged;
  if (opened === null) {
    if (product.statementRequired) throw statementRequired(release);
    return;
  }
  // The slug may have changed since the statement was read.
  if (opened.product !== product.slug) throw changedMeanwhile(release);
  requireLife(release, termOf(opened).statementExpiresAt as string, publishedAt());
  await requireRising(ctx, release, opened.sequence, publishedAt);
}

export const statementRequired = (release: Release) =>
  refuse(
    'STATEMENT_REQUIRED',
    `${nameOf(release)} needs a signed statement: appctl release sign --product ${release.productSlug} --version ${release.version} --channel ${release.channel}`,
  );

/**
 * What is stored must be what was signed, whatever has happened to the disk since the upload.
 *
 * @throws AppError CONFLICT, reason FILE_MISSING; VERIFICATION_FAILED, reason HASH_MISMATCH
 */
export async function requireBytes(ctx: Ctx, release: Release): Promise<void> {
  const { bundleSha256: sha256, bundleSize: size } = release;
  if (sha256 === null || size === null) return;
  const found = await verifyStored(ctx, { sha256, size });
  if (found === 'ok') return;
  const cure = `appctl release upload ${release.id} FILE uploads it again`;
  if (found === 'missing')
    throw refuse('FILE_MISSING', `the stored bundle of ${nameOf(release)} is missing; ${cure}`, { sha256 });
  throw refuse(
    'HASH_MISMATCH',
    `the stored bundle of ${nameOf(release)} differs from what was uploaded; ${cure}`,
    {
      sha256,
    },
  );
}
