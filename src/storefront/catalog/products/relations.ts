import type { Ctx } from '#kernel/context.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { referring } from '#kernel/service/referring.ts';
import { changed, lock } from './change.ts';
import { get } from './products.ts';
import { shopProductRows } from './queries.ts';
import type { Relation } from './record.ts';
import * as repo from './repository.ts';
import { RelationList, type RelationListInput } from './schemas.ts';

/** What is shown beside a product, in its order. @throws AppError NOT_FOUND */
export async function listRelations(ctx: Ctx, productId: string): Promise<Relation[]> {
  await get(ctx, productId);
  return repo.relationsOf(ctx, productId);
}

/**
 * Replaces what is shown beside a product.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for an unknown product, the product itself, and one named twice
 */
export async function replaceRelations(
  ctx: Ctx,
  productId: string,
  input: RelationListInput,
): Promise<Relation[]> {
  const { items } = checkInput(RelationList, input);
  return ctx.tx(async (ctx) => {
    const product = await lock(ctx, productId);
    const known = new Set(
      (
        await shopProductRows.of(
          ctx,
          items.map((item) => item.productId),
        )
      ).map(({ id }) => id),
    );
    const seen = new Set<string>();
    for (const [at, { productId: id, kind }] of items.entries()) {
      const path = `items.${at}.product_id`;
      if (!known.has(id)) throw invalidField(path, `product ${id} does not exist`);
      if (id === productId) throw invalidField(path, 'a product cannot be related to itself');
      if (seen.has(`${id} ${kind}`)) throw invalidField(path, `product ${id} appears twice as ${kind}`);
      seen.add(`${id} ${kind}`);
    }
    const relations = items.map(({ productId: relatedId, kind }, position) => ({
      productId,
      relatedId,
      kind,
      position,
    }));
    await referring('items', 'one of the products was deleted in the meantime; leave it out', () =>
      repo.replaceRelations(ctx, productId, relations),
    );
    await changed(ctx, product);
    return relations;
  });
}
