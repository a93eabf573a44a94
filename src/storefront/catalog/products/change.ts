import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation, isUniqueViolation } from '#kernel/db/dialect.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { requireUnchanged } from '#kernel/service/precondition.ts';
import { shopProductEvents } from './events.ts';
import { beforePart } from './hooked.ts';
import { wholeOf, wholesOf } from './queries.ts';
import type { Product, Variant } from './record.ts';
import * as repo from './repository.ts';
import { storeProductView } from './view.ts';
import { optionKeyOf, titleOf, type Whole } from './whole.ts';

/** In which state something may be changed, and why it is. */
export interface Condition {
  /** The version as the caller read it, as text; undefined changes any. */
  readonly ifMatch?: string | undefined;
}

/** What the audit log is told of a part of a product. */
interface Part {
  readonly target: string;
  readonly record?: NonNullable<Parameters<typeof shopProductEvents.tell>[4]>['record'];
  readonly before: object | null;
  readonly after: object | null;
}

/**
 * The product, locked with everything that is part of it.
 *
 * @throws AppError NOT_FOUND; PRECONDITION_FAILED when it is not in the version that the caller read
 */
export async function lock(ctx: Ctx, id: string, { ifMatch }: Condition = {}): Promise<Product> {
  const product = (await repo.lockProduct(ctx, id)) ?? missing(id);
  requireUnchanged(`product ${product.slug}`, String(product.version), ifMatch);
  return product;
}

export function missing(id: string): never {
  throw fail('NOT_FOUND', `product ${id} does not exist`);
}

/** CONFLICT that the store answers with its reason. */
export const refuse = (reason: 'DUPLICATE' | 'IN_USE' | 'INVALID_TRANSITION', message: string) =>
  fail('CONFLICT', message, { details: { reason } });

const toldOf = ({ slug, title, status }: Product) => ({ slug, title, status });

/** What webhooks are sent: the product as staff see it, once there is somebody to tell. */
const seen = (product: Product) => ({
  forReceivers: async (ctx: Ctx) => storeProductView(await wholeOf(ctx, product), ctx.now()),
});

export const tellCreated = (ctx: Ctx, product: Product): Promise<void> =>
  shopProductEvents.tell(ctx, 'product.created', product.id, toldOf(product), {
    after: product,
    ...seen(product),
  });

/**
 * Stores a changed product, or one of which a part has changed, as its next version, and tells of it.
 *
 * @param part what has changed, when it is not the product's own row
 * @param hooks whether the operator's hooks were asked before
 */
export async function changed(
  ctx: Ctx,
  before: Product,
  wanted: Product = before,
  part?: Part,
  hooks?: 'asked',
): Promise<Product> {
  if (hooks === undefined) await beforePart(ctx, before);
  const after: Product = { ...wanted, version: before.version + 1, updatedAt: ctx.now() };
  await storing(
    `slug ${after.slug} is taken by another product; choose another one`,
    () => repo.updateProduct(ctx, after),
    namedBy.product(after),
  );
  await shopProductEvents.tell(ctx, 'product.updated', after.id, toldOf(after), {
    before,
    after,
    ...part,
    ...seen(after),
  });
  return after;
}

/** A class that rows name and pricing has: the database knows whether it exists. */
interface Named {
  readonly field: 'tax_class_id' | 'shipping_class_id';
  readonly ids: readonly (string | null)[];
}

/**
 * Runs a write that an index may refuse.
 *
 * @throws AppError CONFLICT, reason DUPLICATE; VALIDATION_ERROR for a class that does not exist
 */
export async function storing(taken: string, write: () => Promise<void>, named?: Named): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse('DUPLICATE', taken);
    const ids = named?.ids.filter((id) => id !== null) ?? [];
    if (!named || ids.length === 0 || !isForeignKeyViolation(error)) throw error;
    const kind = named.field.replace('_id', '').replace('_', ' ');
    throw invalidField(named.field, `${kind} ${[...new Set(ids)].join(', ')} does not exist`);
  }
}

export const namedBy = {
  product: ({ taxClassId }: Product): Named => ({ field: 'tax_class_id', ids: [taxClassId] }),
  variants: (variants: readonly Variant[]): Named => ({
    field: 'shipping_class_id',
    ids: variants.map(({ shippingClassId }) => shippingClassId),
  }),
};

/** One product with everything that is part of it, for a change that holds its lock. */
export async function wholeFor(ctx: Ctx, product: Product): Promise<Whole> {
  const [whole] = await wholesOf(ctx, [product]);
  return whole as Whole;
}

/**
 * Brings the variants of a locked product in line with its options: their titles, what tells them apart, and the one
 * that stands for all. Call it after each change of options, values or variants.
 *
 * @param preferred the one that shall stand for all; otherwise the one that does, or the first
 * @returns the product as it is then
 */
export async function settle(ctx: Ctx, product: Product, preferred?: string): Promise<Whole> {
  const whole = await wholeFor(ctx, product);
  const { variants } = whole;
  const standing =
    variants.find(({ id }) => id === preferred) ?? variants.find(({ isDefault }) => isDefault) ?? variants[0];
  let isChanged = false;
  for (const { chosen, ...stored } of variants) {
    const settled: Variant = {
      ...stored,
      title: titleOf(chosen),
      optionKey: optionKeyOf(chosen),
      isDefault: stored.id === standing?.id,
    };
    if (isSame(stored, settled)) continue;
    await repo.updateVariant(ctx, settled);
    isChanged = true;
  }
  return isChanged ? wholeFor(ctx, product) : whole;
}

const isSame = (one: Variant, other: Variant): boolean =>
  one.title === other.title && one.optionKey === other.optionKey && one.isDefault === other.isDefault;
