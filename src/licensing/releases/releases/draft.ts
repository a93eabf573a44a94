import compare from 'semver/functions/compare.js';
import prerelease from 'semver/functions/prerelease.js';
import type { Ctx } from '#kernel/context.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { requireUnchanged } from '#kernel/service/precondition.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { ids } from '#licensing/contract/ids.ts';
import { announceChange, type ChangeOptions, changeRelease, lockRelease, storing } from './change.ts';
import { nameOf, refuse, requireDraft } from './refusal.ts';
import type { Release } from './release.ts';
import * as repo from './repository.ts';
import { FULL_ROLLOUT, toBps } from './rollout.ts';
import { ReleaseCreate, type ReleaseCreateInput, ReleaseUpdate, type ReleaseUpdateInput } from './schemas.ts';

/**
 * Makes a draft of a release (licensing 4.2). Nothing of it is visible to a client.
 *
 * @param input productId is an id or a slug; platform and arch may be aliases
 * @throws AppError VALIDATION_ERROR (reason CHANNEL_MISMATCH for a prerelease on stable); NOT_FOUND for the product;
 *   CONFLICT, reason VERSION_EXISTS
 */
export async function create(
  ctx: Ctx,
  input: ReleaseCreateInput,
  options: Pick<ChangeOptions, 'note'> = {},
): Promise<Release> {
  const { productId, rolloutPercent, ...sent } = checkInput(ReleaseCreate, input);
  return ctx.tx(async (ctx) => {
    const named = await products.get(ctx, productId);
    const product = await repo.lockProduct(ctx, named.id);
    if (!product) throw fail('NOT_FOUND', `product ${productId} was not found`);
    const now = ctx.now();
    const release: Release = {
      ...BLANK,
      ...sentFields(sent),
      version: sent.version,
      requiredEntitlements: [...new Set(sent.requiredEntitlements ?? [])],
      id: ctx.newId(ids.release),
      tenantId: ctx.tenantId,
      productId: product.id,
      productSlug: product.slug,
      rollout: { ...BLANK.rollout, bps: rolloutPercent === undefined ? FULL_ROLLOUT : toBps(rolloutPercent) },
      createdAt: now,
      updatedAt: now,
    };
    requireSense(release);
    await storing(release, repo.insert(ctx, release));
    await announceChange(ctx, { type: 'RELEASE_CREATED', after: release }, { after: release }, options.note);
    return release;
  });
}

const BLANK = {
  channel: 'stable',
  platform: '',
  arch: '',
  state: 'DRAFT',
  changelog: '',
  bundleFilename: null,
  bundleSize: null,
  bundleSha256: null,
  bundleSha512: null,
  signature: null,
  keyId: null,
  extraSignatures: {},
  statement: null,
  statementSignature: null,
  sequence: null,
  formerSequences: {},
  statementExpiresAt: null,
  isCritical: false,
  requiresMigration: false,
  minFromVersion: null,
  rollout: { bps: FULL_ROLLOUT, paused: false, schedule: [] },
  publishedAt: null,
  archivedAt: null,
  yankedAt: null,
  yankedReason: null,
} as const;

/**
 * Changes a release; what is not sent stays. After publishing only changelog and rollout may change, and isCritical
 * where no statement tells it (licensing 4.2).
 *
 * @throws AppError NOT_FOUND, VALIDATION_ERROR, PRECONDITION_FAILED; CONFLICT, reason NOT_DRAFT with the fields that
 *   are frozen, or VERSION_EXISTS
 */
export async function update(
  ctx: Ctx,
  id: string,
  input: ReleaseUpdateInput,
  options: ChangeOptions = {},
): Promise<Release> {
  const { rolloutPercent, ...fields } = checkInput(ReleaseUpdate, input);
  const sent = sentFields(fields);
  return changeRelease(ctx, id, options, async (_ctx, before) => {
    const after: Release = { ...before, ...sent };
    if (sent.requiredEntitlements) after.requiredEntitlements = [...new Set(sent.requiredEntitlements)];
    // By hand: a schedule would take the release further than was asked for just now.
    if (rolloutPercent !== undefined)
      after.rollout = { ...before.rollout, bps: toBps(rolloutPercent), schedule: [] };
    if (before.state === 'DRAFT') requireSense(after);
    else refuseFrozen(before, after);
    return { type: 'RELEASE_CHANGED', after };
  });
}

/** A client would refuse, or could never get, such a release. */
function requireSense(release: Release): void {
  requireChannel(release);
  const { version, minFromVersion } = release;
  if (minFromVersion === null || compare(minFromVersion, version) < 0) return;
  throw fail('VALIDATION_ERROR', `minFromVersion ${minFromVersion} must be below the version ${version}`, {
    details: { issues: [{ path: 'minFromVersion', rule: 'order', message: `must be below ${version}` }] },
  });
}

/**
 * A prerelease is not allowed on stable (D93).
 *
 * @throws AppError VALIDATION_ERROR, reason CHANNEL_MISMATCH
 */
export function requireChannel({ version, channel }: Pick<Release, 'version' | 'channel'>): void {
  if (channel !== 'stable' || prerelease(version) === null) return;
  throw refuse(
    'CHANNEL_MISMATCH',
    `${version} is a prerelease and cannot be on channel stable; use rc, beta, alpha or nightly`,
    { version, channel },
  );
}

const STAYS_OPEN = ['changelog', 'rollout'];

function refuseFrozen(before: Release, after: Release): void {
  const open = before.statement === null ? [...STAYS_OPEN, 'isCritical'] : STAYS_OPEN;
  const frozen = Object.keys(after).filter(
    (field) =>
      !open.includes(field) &&
      JSON.stringify(after[field as keyof Release]) !== JSON.stringify(before[field as keyof Release]),
  );
  if (frozen.length === 0) return;
  throw refuse(
    'NOT_DRAFT',
    `${nameOf(before)} is ${before.state}: ${frozen.join(', ')} can no longer change; create a new version`,
    { id: before.id, state: before.state, fields: frozen },
  );
}

/**
 * Deletes a draft. Its bundle is swept away later, unless another release has the same bytes.
 *
 * @throws AppError NOT_FOUND, PRECONDITION_FAILED; CONFLICT, reason NOT_DRAFT
 */
export async function remove(ctx: Ctx, id: string, options: ChangeOptions = {}): Promise<void> {
  await ctx.tx(async (ctx) => {
    const { before } = await lockRelease(ctx, id);
    requireUnchanged(id, before.updatedAt, options.ifMatch);
    requireDraft(before, 'only drafts can be deleted; appctl release yank withdraws it');
    await repo.removeDraft(ctx, id);
    await announceChange(ctx, { type: 'RELEASE_DELETED', after: before }, { before }, options.note);
  });
}
