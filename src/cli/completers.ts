import type { Cli } from './frame/context.ts';
import { withLocal } from './open.ts';

/** More would not be read on a key press. */
const MOST = { page: 1, limit: 500 };

/** Slugs of the products. */
export async function completeProducts(cli: Cli): Promise<readonly string[]> {
  const products = await import('#licensing/catalog/products/index.ts');
  return withLocal(cli, async ({ ctx }) => (await products.list(ctx, MOST)).items.map(({ slug }) => slug));
}

/** Names of the policies. */
export async function completePolicies(cli: Cli): Promise<readonly string[]> {
  const policies = await import('#licensing/catalog/policies/index.ts');
  return withLocal(cli, async ({ ctx }) => (await policies.list(ctx, MOST)).items.map(({ name }) => name));
}

/** Names of the key formats. */
export async function completeKeyFormats(cli: Cli): Promise<readonly string[]> {
  const keyFormats = await import('#licensing/catalog/key-formats/index.ts');
  return withLocal(cli, async ({ ctx }) => (await keyFormats.list(ctx, MOST)).items.map(({ name }) => name));
}
