// Who is confined to products sees nothing of others: not by id, not in lists, counts, searches or reports, and changes
// nothing of them (admin.md 6.3).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scopes } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import * as customers from '#licensing/catalog/customers/index.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as abuse from '#licensing/insight/abuse/index.ts';
import { licenseKeyRows } from '#licensing/insight/api-keys/resource.ts';
import { eventRows } from '#licensing/insight/events/queries.ts';
import * as honeypots from '#licensing/insight/honeypots/index.ts';
import * as reports from '#licensing/insight/reports/index.ts';
import * as requests from '#licensing/insight/requests/index.ts';
import { holderRows } from '#licensing/licenses/holders/queries.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as usage from '#licensing/licenses/usage/index.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import { type MadeKey, type MadeLicense, startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { codeOf } from '../support/refusal.ts';
import { newestEvents } from '../support/timeline.ts';

const PAGE = { page: 1, limit: 50 };
const SLICE = { offset: 0, limit: 50 };

interface Half {
  product: products.Product;
  license: MadeLicense;
  floating: MadeLicense;
  trashed: MadeLicense;
  customer: customers.Customer;
  honeypot: string;
  flag: string;
  key: MadeKey;
  policy: policies.Policy;
}

let app: TestApp;
let mine: Half;
let theirs: Half;
let ctx: Ctx;
beforeAll(async () => {
  app = await startApp();
  [mine, theirs] = [await half('mine'), await half('theirs')];
  ctx = confined({ license_product: [mine.product.id] });
});
afterAll(() => app.close());

const confined = (scopes: Scopes): Ctx =>
  app.ctx.with({ actor: { kind: 'staff', id: 'usr_x', label: 'x', permissions: 'all', scopes } });

async function half(name: string): Promise<Half> {
  const product = await app.product({ slug: name, name });
  const productId = product.id;
  const customerEmail = `${name}@x.test`;
  const license = await app.license({ productId, customerEmail });
  const floating = await app.license({ productId, customerEmail, type: 'FLOATING', maxActivations: 2 });
  const trashed = await app.license({ productId, customerEmail });
  await licenses.trash(app.ctx, trashed.id, null);
  const { honeypot } = await honeypots.create(app.ctx, { productId, label: name });
  const key = await app.apiKey('FULL_ADMIN', { productIds: [productId] });
  await app.post('/api/v1/license/validate', { licenseKey: license.key, machineId: 'm-1' }, key.secret);
  await requests.flushRequests(app.ctx);
  return {
    product,
    license,
    floating,
    trashed,
    customer: await customers.get(app.ctx, customerEmail),
    honeypot: honeypot.id,
    flag: (await abuse.flag(app.ctx, license.id, 'looks odd')).id,
    key,
    policy: await app.policy({ name }),
  };
}

/** What lists and counts of one half hold, as the actor of a ctx sees it. */
const seen = async (as: Ctx) => ({
  products: (await products.list(as, PAGE)).items.map(({ id }) => id),
  licenses: (await licenses.licenseRows.page(as, SLICE)).items.map(({ id }) => id).toSorted(),
  found: (await licenses.licenseRows.page(as, { q: '@x.test', ...SLICE })).total,
  trash: (await licenses.licenseRows.page(as, { filters: { deleted: true }, ...SLICE })).items.map(
    ({ id }) => id,
  ),
  customers: (await holderRows.page(as, { ...SLICE, q: 'x.test' })).items.map(({ id }) => id),
  seats: (await reports.seatUse(as, PAGE)).items.map(({ licenseId }) => licenseId),
  flags: (await abuse.flagRows.page(as, { offset: 0, limit: 50 })).items.map(({ id }) => id),
  honeypots: (await honeypots.honeypotRows.page(as, { offset: 0, limit: 50 })).items.map(({ id }) => id),
  apiKeys: (await licenseKeyRows.page(as, SLICE)).items.map(({ id }) => id),
});
const expected = (one: Half) => ({
  products: [one.product.id],
  licenses: [one.license.id, one.floating.id].toSorted(),
  found: 2,
  trash: [one.trashed.id],
  customers: [one.customer.id],
  seats: [one.floating.id],
  flags: [one.flag],
  honeypots: [one.honeypot],
  apiKeys: [one.key.id],
});

it('lists, counts and searches hold what lies within, and nothing else', async () => {
  expect(await seen(ctx)).toEqual(expected(mine));
  expect(await seen(confined({ license_product: [theirs.product.id] }))).toEqual(expected(theirs));
  const none = await seen(confined({ license_product: [] }));
  expect(Object.values(none).flat().filter(Boolean)).toEqual([]);
  expect((await seen(app.ctx)).licenses).toHaveLength(4);
});

it('the log of requests and the timeline name no license outside', async () => {
  const asked = (await requests.list(app.ctx, PAGE)).items;
  const within = (await requests.list(ctx, PAGE)).items;
  expect(within.every(({ licenseId }) => licenseId === mine.license.id)).toBe(true);
  expect(asked.length).toBeGreaterThanOrEqual(within.length);
  expect((await newestEvents(ctx, mine.license.id, 50)).length).toBeGreaterThan(0);
  expect(await newestEvents(ctx, theirs.license.id, 50)).toEqual([]);
  const events = ctx.db.knex('events').distinct('subject');
  const subjects = await licenses.visibleEvents(ctx, events, 'events.subject').pluck('subject');
  expect(subjects).toEqual(expect.arrayContaining([mine.license.id, mine.floating.id]));
  for (const { id } of [theirs.license, theirs.floating, theirs.product]) expect(subjects).not.toContain(id);
  const ofTheirs = { filters: { subject: theirs.license.id }, cursor: null, limit: 500 };
  expect((await eventRows.after(ctx, ofTheirs)).items).toEqual([]);
});

describe('a row outside is unknown, and stays as it is', () => {
  const attempts: [string, (as: Ctx, of: Half) => Promise<unknown>][] = [
    ['a product', (as, { product }) => products.get(as, product.id)],
    ['a product by its slug', (as, { product }) => products.get(as, product.slug)],
    ['a change of a product', (as, { product }) => products.update(as, product.id, { name: 'New' })],
    ['its end', (as, { product }) => products.remove(as, product.id)],
    ['a license', (as, { license }) => licenses.get(as, license.id)],
    ['a change of a license', (as, { license }) => licenses.update(as, license.id, { notes: 'x' })],
    ['suspending', (as, { license }) => licenses.suspend(as, license.id, { reason: 'ADMIN', note: null })],
    ['the trash', (as, { license }) => licenses.trash(as, license.id, null)],
    ['restoring', (as, { trashed }) => licenses.restore(as, trashed.id)],
    ['purging', (as, { trashed }) => licenses.purge(as, trashed.id)],
    ['usage', (as, { license }) => usage.show(as, license.id)],
    ['a customer', (as, { customer }) => customers.get(as, customer.id)],
    ['a customer by the address', (as, { customer }) => customers.get(as, customer.email)],
    ['a change of a customer', (as, { customer }) => customers.update(as, customer.id, { name: 'New' })],
    ['a flag', (as, { flag }) => abuse.get(as, flag)],
    ['clearing a flag', (as, { flag }) => abuse.clear(as, flag, 'fine')],
    ['a flag by hand', (as, { floating }) => abuse.flag(as, floating.id, 'odd')],
    ['a canary key', (as, { honeypot }) => honeypots.get(as, honeypot)],
    ['removing a canary key', (as, { honeypot }) => honeypots.remove(as, honeypot)],
    ['an API key', (as, { key }) => apiKeys.get(as, 'license', key.id)],
    ['revoking an API key', (as, { key }) => apiKeys.revoke(as, 'license', key.id)],
    ['a new license', (as, { product }) => mint(as, product.id)],
    ['a new API key', (as, { product }) => makeKey(as, [product.id])],
    ['a new canary key', (as, { product }) => honeypots.create(as, { productId: product.id, label: 'x' })],
  ];

  const mint = (as: Ctx, productId: string) =>
    licenses.create(as, { productId, customerEmail: 'new@x.test' } as licenses.AdminCreateInput, {
      source: 'CLI',
      idempotency: null,
    });
  const makeKey = (as: Ctx, productIds: string[] | null) =>
    apiKeys.create(as, {
      service: 'license',
      name: 'x',
      scope: 'FULL_ADMIN',
      scopes: ['FULL_ADMIN'],
      productIds,
    });

  it.each(attempts)('%s', async (_what, attempt) => {
    const { result, changes } = await app.changesBy(() => codeOf(attempt(ctx, theirs)));
    expect([result, changes]).toEqual(['NOT_FOUND', nothing]);
  });

  it('what is everybody’s cannot be changed by who is confined', async () => {
    const shared: ((as: Ctx) => Promise<unknown>)[] = [
      (as) => products.create(as, { name: 'New', slug: 'new' }),
      (as) => policies.create(as, { name: 'New' }),
      (as) => policies.update(as, mine.policy.id, { name: 'New' }),
      (as) => policies.remove(as, mine.policy.id),
      (as) => customers.erase(as, mine.customer.id),
      (as) => abuse.setRule(as, 'CHURN', { enabled: false }),
      (as) => makeKey(as, null),
      (as) => tenants.create(as, { slug: 'new', name: 'New' } as never),
    ];
    const { result, changes } = await app.changesBy(() =>
      Promise.all(shared.map((change) => codeOf(change(ctx)))),
    );
    expect(result).toEqual(shared.map(() => 'INSUFFICIENT_SCOPE'));
    expect(changes).toEqual(nothing);
  });

  it('what lies within can be changed', async () => {
    expect((await products.update(ctx, mine.product.id, { name: 'Mine' })).name).toBe('Mine');
    expect((await licenses.update(ctx, mine.license.id, { notes: 'seen' })).license.notes).toBe('seen');
    expect(await licenses.restore(ctx, mine.trashed.id)).toBe(true);
  });
});

it('staff of one tenant sees it alone', async () => {
  const other = await app.otherTenant();
  const staff = confined({ tenant: [app.ctx.tenantId] });
  expect((await tenants.list(staff, PAGE)).items.map(({ id }) => id)).toEqual([app.ctx.tenantId]);
  expect(await codeOf(tenants.get(staff, other.tenantId))).toBe('NOT_FOUND');
  expect(await codeOf(tenants.suspend(staff, other.tenantId))).toBe('NOT_FOUND');
  const slug = (await tenants.get(app.ctx, other.tenantId)).slug;
  const token = await app.adminToken('owner');
  const asked = await app.admin('/webhooks', token, { headers: { 'X-Tenant': slug } });
  expect([asked.status, asked.body.error?.code]).toEqual([404, 'NOT_FOUND']);
});
