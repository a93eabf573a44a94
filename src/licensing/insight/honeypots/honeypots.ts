import type { Ctx } from '#kernel/context.ts';
import { checkInput } from '#kernel/service/input.ts';
import * as keyFormats from '#licensing/catalog/key-formats/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { ids } from '#licensing/contract/ids.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { maskedKey } from '#licensing/licenses/standing/index.ts';
import { honeypotEvents } from './events.ts';
import * as queries from './queries.ts';
import { HoneypotCreate, type HoneypotCreateInput } from './schemas.ts';
import type { Honeypot } from './view.ts';

/**
 * Makes a canary key: a key that nobody was given, so that whoever uses it has found or stolen it (D131). Every
 * endpoint answers as if it did not exist.
 *
 * @param input `productId` id or slug; `keyFormatId` id or name, else the product's; `blockIpSeconds` 0 to 86,400
 * @returns the honeypot and its key, which is shown this once
 * @throws AppError VALIDATION_ERROR; NOT_FOUND for an unknown product or key format
 */
export async function create(
  ctx: Ctx,
  input: HoneypotCreateInput,
): Promise<{ honeypot: Honeypot; key: string }> {
  const checked = checkInput(HoneypotCreate, input);
  return ctx.tx(async (ctx) => {
    const product = await products.get(ctx, checked.productId);
    const format = checked.keyFormatId
      ? await keyFormats.get(ctx, checked.keyFormatId)
      : await keyFormats.formatOf(ctx, product);
    const id = ctx.newId(ids.license);
    const source = ctx.actor.kind === 'cli' ? 'CLI' : 'ADMIN';
    await licenses.insertCanary(ctx, {
      id,
      productId: product.id,
      type: product.defaultLicenseType,
      label: checked.label,
      blockIpSeconds: checked.blockIpSeconds || null,
      source,
      now: ctx.now(),
    });
    const key = await licenses.drawKeyIn(ctx, id, format, 'HONEYPOT');
    ctx.origin.keepSecret?.(key);
    const honeypot = await get(ctx, id);
    await honeypotEvents.tell(ctx, 'HONEYPOT_CREATED', id, { label: checked.label }, { after: honeypot });
    return { honeypot, key };
  });
}

/** One honeypot of the tenant. @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, id: string): Promise<Honeypot> {
  return honeypotView(await find(ctx, id), ctx);
}

/** The same with its sealed key. @throws AppError NOT_FOUND */
export const find = async (ctx: Ctx, id: string): Promise<queries.StoredHoneypot> =>
  (await queries.find(ctx, id)) ?? missing(id);

/**
 * Deletes a canary with its key and its report. Addresses that it shut out stay so until their time is over.
 *
 * @throws AppError NOT_FOUND, also for a license
 */
export async function remove(ctx: Ctx, id: string): Promise<Honeypot> {
  return ctx.tx(async (ctx) => {
    const honeypot = await get(ctx, id);
    if (!(await licenses.removeCanary(ctx, id))) return missing(id);
    await honeypotEvents.tell(ctx, 'HONEYPOT_DELETED', id, { label: honeypot.label }, { before: honeypot });
    return honeypot;
  });
}

/** What staff see of a honeypot: of its key the form only. */
export const honeypotView = (one: queries.StoredHoneypot, ctx: Ctx): Honeypot => ({
  id: one.id,
  kind: one.isCanary ? 'CANARY' : 'REPLACED',
  label: one.label,
  productId: one.productId,
  productSlug: one.productSlug,
  keyPrefix: one.keyPrefix,
  keyMasked: maskedKey(ctx, one),
  blockIpSeconds: one.blockIpSeconds,
  hits: one.hits,
  lastHitAt: one.lastHitAt,
  createdAt: one.createdAt,
});

function missing(id: string): never {
  throw fail('NOT_FOUND', `canary key ${id} was not found`, { details: { hint: 'appctl honeypot list' } });
}
