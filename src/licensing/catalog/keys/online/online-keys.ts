import { isoTime } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { generateSeed, signingKeyOf } from '#kernel/ed25519.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { fail } from '#licensing/contract/errors.ts';
import { ids } from '#licensing/contract/ids.ts';
import {
  DELEGATION_USES,
  type Delegation,
  type DelegationUse,
  MAX_DELEGATION_DAYS,
  readDelegation,
  signDelegation,
} from '#signing/keys/delegation.ts';
import * as products from '../../products/index.ts';
import { lockProduct, onlineKeyRows } from '../queries.ts';
import { openSeed, sealSeed } from '../sealed-seed.ts';
import { judgeDelegation } from './delegation-fault.ts';
import { onlineKeyEvents } from './events.ts';
import * as repo from './repository.ts';
import { type OnlineKey, viewOf } from './view.ts';

/**
 * Makes the online key of a product; its private part never leaves the server (licensing 6.1). The first one is
 * ACTIVE, a later one NEXT until its delegation puts it in the place of the first. When the server holds the product's
 * root key, the delegation is signed and stored at once.
 *
 * @param productRef id or slug
 * @throws AppError NOT_FOUND
 */
export async function create(ctx: Ctx, productRef: string): Promise<OnlineKey> {
  const product = await products.get(ctx, productRef);
  const seed = generateSeed();
  const { publicKey, keyId } = signingKeyOf(seed);
  const row = await ctx.tx(async (ctx) => {
    await lockProduct(ctx, product.id);
    const { online } = await repo.listInForce(ctx, product.id);
    const id = ctx.newId(ids.signingKey);
    const row: repo.OnlineKeyRow = {
      id,
      tenantId: ctx.tenantId,
      productId: product.id,
      productSlug: product.slug,
      keyId,
      publicKey: publicKey.toString('base64'),
      privateKey: sealSeed(ctx, seed, id),
      status: online.some(({ status }) => status === 'ACTIVE') ? 'NEXT' : 'ACTIVE',
      delegation: null,
      createdAt: ctx.now(),
    };
    await repo.insert(ctx, row);
    await onlineKeyEvents.tell(
      ctx,
      'ONLINE_KEY_CREATED',
      row.id,
      { ...toldOf(row), status: row.status },
      { after: row },
    );
    return row;
  });
  return (await delegateHere(ctx, row, DELEGATION_USES)) ?? show(ctx, row);
}

/**
 * Stores the delegation of an online key after verification, and puts the key into use; the one before it is retired,
 * and what it signed stays verifiable by the delegation that it carries (licensing 6.1).
 *
 * @param text `delegation/<DP>.<DS>`, as `keys delegate` prints it; white space around it is ignored
 * @param productId a key of another product is unknown; undefined looks in every product of the tenant
 * @throws AppError NOT_FOUND; CONFLICT for a retired key; VALIDATION_ERROR (`details.reason` names the fault)
 */
export async function delegate(
  ctx: Ctx,
  keyId: string,
  text: string,
  productId?: string,
): Promise<OnlineKey> {
  const row = await repo.findByKeyId(ctx, keyId);
  if (!row || (productId !== undefined && row.productId !== productId)) {
    throw fail('NOT_FOUND', `online key ${keyId} was not found`, {
      details: { keyId, hint: 'appctl keys online list' },
    });
  }
  const { roots } = await repo.listInForce(ctx, row.productId);
  const judged = judgeDelegation(text.trim(), row, roots, ctx.now());
  if ('fault' in judged) {
    const { reason, message } = judged.fault;
    throw fail('VALIDATION_ERROR', `the delegation is refused: ${message}`, { details: { reason, keyId } });
  }
  return put(ctx, row, text.trim(), judged.delegation);
}

/**
 * One page of the tenant's online keys, newest first.
 *
 * @param asked product slug or null; page from 1
 */
export async function list(
  ctx: Ctx,
  asked: PageAsked & { product: string | null },
): Promise<Page<OnlineKey>> {
  const filters = { product: asked.product ?? undefined };
  const { items, total } = await onlineKeyRows.page(ctx, { ...sliceOf(asked), filters });
  return pageOf(asked, { items: items.map((row) => viewOf(row, row.roots, ctx.now())), total });
}

/**
 * Delegates with the product's root key in use when the server holds it.
 *
 * @returns null when it does not
 */
export async function delegateHere(
  ctx: Ctx,
  row: repo.OnlineKeyRow,
  uses: readonly DelegationUse[],
): Promise<OnlineKey | null> {
  const { roots } = await repo.listInForce(ctx, row.productId);
  const root = roots.find(({ status, privateKey }) => status === 'ACTIVE' && privateKey !== null);
  if (!root || root.privateKey === null) return null;
  const publicKey = Buffer.from(row.publicKey, 'base64');
  const wanted = { product: row.productSlug, publicKey, uses, days: MAX_DELEGATION_DAYS };
  const seed = openSeed(ctx, { ...root, privateKey: root.privateKey });
  const text = signDelegation(wanted, signingKeyOf(seed), ctx.now());
  return put(ctx, row, text, readDelegation(text) as Delegation);
}

async function put(
  ctx: Ctx,
  row: repo.OnlineKeyRow,
  text: string,
  { root, use, exp }: Delegation,
): Promise<OnlineKey> {
  const expiresAt = isoTime(exp * 1000);
  await ctx.tx(async (ctx) => {
    await lockProduct(ctx, row.productId);
    if (!(await repo.putIntoUse(ctx, row, { text, expiresAt }))) {
      throw fail('CONFLICT', `the online key ${row.keyId} is retired`, {
        details: { keyId: row.keyId, hint: `appctl keys online create --product ${row.productSlug}` },
      });
    }
    await onlineKeyEvents.tell(
      ctx,
      'ONLINE_KEY_DELEGATED',
      row.id,
      { ...toldOf(row), root, use, expiresAt },
      { before: row, after: { ...row, status: 'ACTIVE', delegation: text } },
    );
  });
  return show(ctx, { ...row, status: 'ACTIVE', delegation: text });
}

const show = async (ctx: Ctx, row: repo.OnlineKeyRow): Promise<OnlineKey> =>
  viewOf(row, (await repo.listInForce(ctx, row.productId)).roots, ctx.now());

const toldOf = ({ keyId, productId, productSlug: slug }: repo.OnlineKeyRow) => ({ keyId, productId, slug });
