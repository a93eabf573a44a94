import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { declaredNames, storeFields, storeNames } from '#platform/admin/index.ts';
import { shopProductRows, wholeOf } from './queries.ts';
import type { Product } from './record.ts';
import { ProductCreate, ProductUpdate } from './schemas.ts';
import { storeProductView } from './view.ts';

/** A new product once the operator's hooks were asked. @throws AppError VALIDATION_ERROR, reason HOOK_REJECTED; HookFailed */
export async function hookedCreate<I extends object>(ctx: Ctx, input: I): Promise<I> {
  if (ctx.hooks.isIdle('before:product.created')) return input;
  const { sku = '' } = (input as { variants?: { sku?: string }[] }).variants?.[0] ?? {};
  const { title = '' } = input as { title?: string };
  const sent = storeNames(ProductCreate, input) as object;
  const changed = await ctx.before(
    'product.created',
    `${title} ${sku}`,
    () => ({ ...sent }),
    () => ({
      changes: storeFields(ProductCreate),
    }),
  );
  return changed ? { ...input, ...named(ProductCreate, changed) } : input;
}

/** A change of a product once the operator's hooks were asked. @throws as `hookedCreate` */
export async function hookedChange<I extends object>(ctx: Ctx, id: string, input: I): Promise<I> {
  if (ctx.hooks.isIdle('before:product.updated')) return input;
  const sent = storeNames(ProductUpdate, input) as object;
  const product = await shopProductRows.find(ctx, id);
  if (!product) return input;
  const changed = await ctx.before(
    'product.updated',
    id,
    async () => ({ ...sent, product: await shown(ctx, product) }),
    () => ({ changes: storeFields(ProductUpdate) }),
  );
  return changed ? { ...input, ...named(ProductUpdate, changed) } : input;
}

/** Asks them before a part of a product is changed, such as a variant: they may refuse it. @throws as `hookedCreate` */
export const beforePart = async (ctx: Ctx, product: Product): Promise<unknown> =>
  ctx.before('product.updated', product.id, async () => ({ product: await shown(ctx, product) }));

const shown = async (ctx: Ctx, product: Product) => storeProductView(await wholeOf(ctx, product), ctx.now());

const named = (schema: z.ZodObject, changed: object) => declaredNames(schema, changed) as object;
