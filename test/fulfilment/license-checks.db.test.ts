// `appctl doctor` finds orders and licenses that do not agree (fulfilment section 11).
import { afterAll, beforeAll, expect, it } from 'vitest';
import { licenseChecks } from '../../src/fulfilment/desk/agreement/checks.ts';
import { type LicenseShop, openLicenseShop } from './license-shop.ts';

let shop: LicenseShop;
beforeAll(async () => {
  shop = await openLicenseShop();
}, 120_000);
afterAll(() => shop.app.close());

async function diagnosed(): Promise<string> {
  const [check] = licenseChecks;
  const found = await check?.run({ opened: { ctx: shop.app.ctx, current: true } } as never);
  return `${found?.status}: ${found?.message}`;
}

const change = (table: string, where: object, what: object) =>
  shop.app.instance.database.transaction(({ knex }) => knex(table).where(where).update(what));

it('finds what is missing, what is gone, what is strange and what nobody tries again', async () => {
  const { variantId } = await shop.licensed();
  const order = await shop.bought(variantId, 2);
  expect(await diagnosed()).toMatch(/^ok: /);
  const [first, second] = await shop.mintsOf(order.id);

  const rows = await shop.knex()('license_mints').where({ id: second?.id });
  await shop.app.instance.database.transaction(({ knex }) =>
    knex('license_mints').where({ id: second?.id }).delete(),
  );
  expect(await diagnosed()).toContain(`licenses were not created for the paid orders ${order.id}`);
  await shop.app.instance.database.transaction(({ knex }) => knex('license_mints').insert(rows));
  expect(await diagnosed()).toMatch(/^ok: /);

  await change('licenses', { id: first?.license_id }, { order_id: 'other' });
  expect(await diagnosed()).toContain(`belongs to another order, for ${first?.id}`);
  await change('licenses', { id: first?.license_id }, { order_id: order.order_number });

  await change('licenses', { id: first?.license_id }, { deleted_at: shop.app.ctx.now() });
  expect(await diagnosed()).toContain(
    `the license is missing, or belongs to another order, for ${first?.id}`,
  );
  await change('licenses', { id: first?.license_id }, { deleted_at: null });

  await change('license_mints', { id: first?.id }, { wanted: 'suspended' });
  expect(await diagnosed()).toContain(`a change is waiting and is not retried for ${first?.id}`);
  // The job has it.
  await change('license_mints', { id: first?.id }, { next_attempt_at: shop.app.ctx.now() });
  expect(await diagnosed()).toMatch(/^ok: /);

  const failed = { license_id: null, status: 'failed', next_attempt_at: shop.app.ctx.now() };
  await change('license_mints', { id: second?.id }, failed);
  expect(await diagnosed()).toBe(
    `warn: licenses could not be created yet for the paid orders ${order.order_number}`,
  );
});
