// A license of a product of its own, and many of them at once.
import type { Ctx } from '#kernel/context.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { ids } from '#licensing/contract/ids.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { seedRows } from '../../support/resource-sample.ts';

let made = 0;

/** Makes a product and a license of it. */
export async function mintedLicense(ctx: Ctx, extra: Partial<licenses.AdminCreateInput> = {}) {
  made += 1;
  const product = await products.create(ctx, { name: `Minted ${made}`, slug: `minted-${made}` });
  const input = { customerEmail: `minted${made}@x.test`, productId: product.id, ...extra };
  const { license } = await licenses.create(ctx, input as licenses.AdminCreateInput, {
    source: 'API',
    idempotency: null,
  });
  return { id: license.id, key: String(licenses.licenseView(ctx, license, { reveal: true }).key), product };
}

/** The id of a product that the filters of samples name by its slug. */
export const seededProduct = async (ctx: Ctx): Promise<string> =>
  (await products.create(ctx, { name: 'Seeded', slug: 'seeded' })).id;

/** What many licenses share: copies of one row, each with a key that nobody has. */
export async function seedLicenses(
  ctx: Ctx,
  n: number,
  vary: (number: number) => Record<string, unknown> = () => ({}),
): Promise<string[]> {
  const { id } = await mintedLicense(ctx);
  const { knex } = ctx.db;
  const license = await knex('licenses').where({ id }).first();
  const key = await knex('license_keys').where({ license_id: id }).first();
  const made = Array.from({ length: n }, () => ctx.newId(ids.license));
  await seedRows(ctx, 'licenses', n, (i) => ({ ...license, id: made[i], ...vary(i) }));
  await seedRows(ctx, 'license_keys', n, (i) => ({
    ...key,
    id: ctx.newId(ids.licenseKey),
    license_id: made[i],
    digest: `seeded ${made[i]}`,
    prefix: `SEED-${i % 10}`,
    key_enc: ctx.keyring.seal('license-key', `SEED-${i}`, made[i] as string),
  }));
  // The one that was copied is none of them.
  await knex('licenses').where({ id }).delete();
  return made;
}
