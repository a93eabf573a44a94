import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { fail } from '#licensing/contract/errors.ts';
import type { KeyShape } from '#signing/keys/key-shape.ts';
import { renewOf } from '../online/renewal.ts';
import { lockProduct } from '../queries.ts';
import { type Bridges, bridgesOf, requireBridges } from './bridges.ts';
import { signingKeyEvents } from './events.ts';
import { listSignedBy } from './queries.ts';
import { findKeyToChange, shapeOf } from './registered-key.ts';
import { toldOf } from './registry.ts';
import * as repo from './repository.ts';

/** Why a change is made, for the timeline. */
export interface Why {
  readonly note?: string;
}

/** How a key takes over by hand. */
export interface Activation extends Why {
  /** Also where clients that know only the old key are left behind. */
  readonly strandOldClients?: boolean;
}

/** A change of a key's place. */
export interface Succession {
  readonly key: KeyShape;
  readonly changed: boolean;
  /** Key id of the key that was ACTIVE before; null when there was none or nothing changed. */
  readonly retired: string | null;
  /** The online key whose delegation ended with a retired key, and whether another root key has renewed it. */
  readonly delegation: { keyId: string; renewed: boolean } | null;
}

/**
 * Puts a NEXT key into use; the one that was ACTIVE is retired, its releases stay verifiable (licensing D98). Delegations
 * of the retired key end; where the server holds the new key they are signed anew at once (licensing 6.1).
 *
 * @param productId needed when several products have the key
 * @throws AppError NOT_FOUND, VALIDATION_ERROR (several products), CONFLICT KEY_RETIRED, or NO_BRIDGING_RELEASE when
 *   clients that know only the old key could not follow
 */
export async function activate(
  ctx: Ctx,
  keyId: string,
  productId: string | null = null,
  { strandOldClients = false, ...why }: Activation = {},
): Promise<Succession> {
  const found = await findKeyToChange(ctx, keyId, productId);
  const change = await ctx.tx(async (ctx) => {
    const { key, all } = await lockKey(ctx, found);
    if (key.status === 'RETIRED') {
      throw fail('CONFLICT', `the key ${keyId} is retired and cannot be used again`, {
        details: { reason: 'KEY_RETIRED', keyId, hint: `appctl keys rotate --product ${key.productSlug}` },
      });
    }
    if (key.status === 'ACTIVE') return unchanged(key);
    if (!strandOldClients) await requireFollowers(ctx, key, all);
    return takeOver(ctx, key, all, why);
  });
  return settled(ctx, found.productId, change);
}

/**
 * What would lead clients from the ACTIVE key to a NEXT one; null when there is no change to make, or no key before it.
 *
 * @param productId needed when several products have the key
 * @throws AppError NOT_FOUND, VALIDATION_ERROR (several products)
 */
export async function bridgesTo(
  ctx: Ctx,
  keyId: string,
  productId: string | null = null,
): Promise<{ oldKeyId: string; bridges: Bridges } | null> {
  const key = await findKeyToChange(ctx, keyId, productId);
  const all = await repo.listOfProduct(ctx, key.productId);
  const before = all.find(({ status }) => status === 'ACTIVE');
  if (key.status !== 'NEXT' || !before) return null;
  return { oldKeyId: before.keyId, bridges: await bridgesBetween(ctx, before, key) };
}

const bridgesBetween = async (ctx: Ctx, before: repo.SigningKeyRow, next: repo.SigningKeyRow) =>
  bridgesOf(await listSignedBy(ctx, next.productId, before.keyId), next.createdAt);

/** @throws AppError CONFLICT NO_BRIDGING_RELEASE */
async function requireFollowers(
  ctx: Ctx,
  next: repo.SigningKeyRow,
  all: readonly repo.SigningKeyRow[],
): Promise<void> {
  const before = all.find(({ status }) => status === 'ACTIVE');
  if (!before) return;
  const names = { slug: next.productSlug, old: before.keyId, next: next.keyId };
  requireBridges(await bridgesBetween(ctx, before, next), names);
}

/**
 * Retires a key: publishing takes it no more and its delegations end; the releases that it signed stay published and
 * verifiable. A retired key does not come back.
 *
 * @param productId needed when several products have the key
 * @throws AppError NOT_FOUND, VALIDATION_ERROR (several products)
 */
export async function retire(
  ctx: Ctx,
  keyId: string,
  productId: string | null = null,
  why: Why = {},
): Promise<Succession> {
  const found = await findKeyToChange(ctx, keyId, productId);
  const change = await ctx.tx(async (ctx) => {
    const { key } = await lockKey(ctx, found);
    if (!(await repo.retire(ctx, key))) return unchanged(key);
    const planned = key.status === 'NEXT' ? { activateAt: null, continuity: null } : {};
    const retired = { ...key, ...planned, status: 'RETIRED' as const };
    await signingKeyEvents.tell(
      ctx,
      'SIGNING_KEY_RETIRED',
      key.id,
      { ...toldOf(key), from: key.status, ...why },
      { before: key, after: retired, ...why },
    );
    return { key: shapeOf(retired), changed: true, retired: key.status === 'ACTIVE' ? keyId : null };
  });
  return settled(ctx, found.productId, change);
}

/**
 * Activates the NEXT keys whose time has come, of every tenant (job `key-activation`). Each is looked at again under the
 * lock of its product: somebody may have been faster. One that would leave clients behind waits for a release that leads
 * them over.
 */
export async function activateDue(ctx: Ctx): Promise<{ activated: number; failed: number }> {
  const counts = { activated: 0, failed: 0 };
  for (const due of await repo.listDue(ctx)) {
    try {
      if (await activateOne(ctx.with({ tenantId: due.tenantId }), due)) counts.activated += 1;
    } catch (error) {
      // A key that cannot take over must not keep those of other products from it.
      counts.failed += 1;
      if (error instanceof AppError && error.details.reason === 'NO_BRIDGING_RELEASE') {
        const facts = { product: due.productSlug, tenantId: due.tenantId };
        ctx.log.warn(facts, `the next release key is waiting: ${error.message}`);
        continue;
      }
      ctx.log.error({ err: error, product: due.productSlug }, 'the next release key could not take over');
    }
  }
  return counts;
}

async function activateOne(ctx: Ctx, due: repo.DueKey): Promise<boolean> {
  const change = await ctx.tx(async (ctx) => {
    await lockProduct(ctx, due.productId);
    const all = await repo.listOfProduct(ctx, due.productId);
    const key = all.find(({ id }) => id === due.id);
    const isDue = key?.status === 'NEXT' && key.activateAt !== null && key.activateAt <= ctx.now();
    if (!key || !isDue) return null;
    await requireFollowers(ctx, key, all);
    return takeOver(ctx, key, all, {});
  });
  if (change === null) return false;
  const { delegation } = await settled(ctx, due.productId, change);
  if (delegation?.renewed === false) {
    const facts = { keyId: delegation.keyId, product: due.productSlug, tenantId: due.tenantId };
    ctx.log.warn(facts, 'the delegation of an online key ended with its root key: appctl keys delegate');
  }
  return true;
}

async function lockKey(ctx: Ctx, found: repo.SigningKeyRow) {
  await lockProduct(ctx, found.productId);
  const all = await repo.listOfProduct(ctx, found.productId);
  const key = all.find(({ id }) => id === found.id);
  if (!key)
    throw fail('NOT_FOUND', `signing key ${found.keyId} was not found`, { details: { keyId: found.keyId } });
  return { key, all };
}

type Change = Omit<Succession, 'delegation'>;

const unchanged = (key: repo.SigningKeyRow): Change => ({ key: shapeOf(key), changed: false, retired: null });

async function takeOver(
  ctx: Ctx,
  key: repo.SigningKeyRow,
  all: readonly repo.SigningKeyRow[],
  why: Why,
): Promise<Change> {
  const before = all.find(({ status }) => status === 'ACTIVE');
  if (before) {
    await repo.retire(ctx, before);
    await signingKeyEvents.tell(
      ctx,
      'SIGNING_KEY_RETIRED',
      before.id,
      {
        ...toldOf(before),
        from: before.status,
        successor: key.keyId,
        ...why,
      },
      { before, after: { ...before, status: 'RETIRED' }, ...why },
    );
  }
  if (!(await repo.activate(ctx, key.id))) throw new Error(`the key ${key.keyId} changed under its lock`);
  await signingKeyEvents.tell(
    ctx,
    'SIGNING_KEY_ACTIVATED',
    key.id,
    { ...toldOf(key), before: before?.keyId ?? null, ...why },
    { before: key, after: { ...key, status: 'ACTIVE', activateAt: null }, ...why },
  );
  return {
    key: shapeOf({ ...key, status: 'ACTIVE' }),
    changed: true,
    retired: before?.keyId ?? null,
  };
}

/** After the change is stored: a delegation of a retired key has ended. */
async function settled(ctx: Ctx, productId: string, change: Change): Promise<Succession> {
  return { ...change, delegation: change.changed ? await renewOf(ctx, productId) : null };
}
