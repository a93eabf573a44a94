import type { Ctx } from '#kernel/context.ts';
import { countOf, listProducts, noteDay, type VersionCount } from './repository.ts';

/** Clients say what they like: so many versions of a product are told apart, and the rarer ones counted together. */
const MOST_VERSIONS = 20;
/** The version of those. */
const RARER = '*';

/**
 * Counts the machines that are activated, of all tenants, by product and version, in place of an earlier count of the
 * same day. Each product is counted in a transaction of its own, so that no writer waits long (C16).
 *
 * @returns `products` that were counted
 */
export async function countVersions(ctx: Ctx): Promise<Record<string, number>> {
  const day = ctx.now().slice(0, 10);
  const products = await listProducts(ctx);
  for (const productId of products) {
    const counted = await countOf(ctx, productId);
    // One that calls itself so is counted with the rarer ones.
    const kept = counted.filter(({ version }) => version !== RARER).slice(0, MOST_VERSIONS);
    const rarer = sumOf(counted) - sumOf(kept);
    const rows = rarer === 0 ? kept : [...kept, { version: RARER, machines: rarer }];
    await ctx.tx((ctx) => noteDay(ctx, { productId, day }, rows));
  }
  return { products: products.length };
}

const sumOf = (counted: readonly VersionCount[]): number =>
  counted.reduce((sum, { machines }) => sum + machines, 0);
