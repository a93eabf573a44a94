import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import * as customers from '#licensing/catalog/customers/index.ts';
import { holderRows } from '#licensing/licenses/holders/queries.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { codeOf, faultsOf, refusalOf } from '../support/refusal.ts';

let t: TestContext;
beforeAll(async () => {
  t = await openTestContext();
});
afterAll(() => t.close());

let made = 0;
const address = (): string => {
  made += 1;
  return `ann${made}@x.test`;
};
const rowsOf = async (ctx: Ctx, email: string): Promise<number> =>
  (await holderRows.page(ctx, { offset: 0, limit: 500, q: email })).total;
const pause = () => new Promise((resolve) => setImmediate(resolve));

describe('reuse', () => {
  it('makes a customer once and finds it in every spelling', async () => {
    const first = await customers.reuse(t.ctx, { email: '  Ann@X.Test ', name: 'Ann' });
    expect(first).toEqual({ id: expect.stringMatching(/^cus_/), email: 'Ann@X.Test', name: 'Ann' });
    for (const email of ['ann@x.test', 'ANN@X.TEST', ' ann@x.Test']) {
      expect(await customers.reuse(t.ctx, { email, name: 'Other' })).toEqual(first);
    }
    expect(await customers.get(t.ctx, 'aNN@x.test')).toEqual({
      ...first,
      tenantId: t.ctx.tenantId,
      metadata: {},
      anonymizedAt: null,
      createdAt: t.ctx.now(),
      updatedAt: t.ctx.now(),
    });
    expect(await t.eventsOf(first.id)).toEqual([{ type: 'CUSTOMER_CREATED', data: {} }]);
  });

  it('fills a name only when there is none', async () => {
    const email = address();
    const nameless = await customers.reuse(t.ctx, { email });
    expect(nameless.name).toBeNull();
    for (const name of ['', '  ', undefined]) {
      expect((await customers.reuse(t.ctx, { email, name })).name).toBeNull();
    }
    t.clock.advance(1);
    expect(await customers.reuse(t.ctx, { email, name: 'Ann' })).toEqual({ ...nameless, name: 'Ann' });
    expect((await customers.get(t.ctx, email)).updatedAt).toBe(t.ctx.now());
    expect((await customers.reuse(t.ctx, { email, name: 'Bob' })).name).toBe('Ann');
    const types = (await t.eventsOf(nameless.id)).map((event) => event.type);
    expect(types).toEqual(['CUSTOMER_CREATED', 'CUSTOMER_UPDATED']);
  });

  it('keeps tenants apart', async () => {
    const email = address();
    const other = await t.otherTenant();
    const [ours, theirs] = [
      await customers.reuse(t.ctx, { email }),
      await customers.reuse(other, { email, name: 'Theirs' }),
    ];
    expect(theirs.id).not.toBe(ours.id);
    expect((await customers.reuse(t.ctx, { email })).name).toBeNull();
    expect(await codeOf(customers.get(other, ours.id))).toBe('NOT_FOUND');
    expect((await customers.get(other, email)).id).toBe(theirs.id);
  });

  it('twenty at once get one customer', async () => {
    const email = address();
    const spellings = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? email : email.toUpperCase()));
    const answers = await Promise.all(spellings.map((one) => customers.reuse(t.ctx, { email: one })));
    expect(new Set(answers.map((answer) => answer.id)).size).toBe(1);
    expect(await rowsOf(t.ctx, email)).toBe(1);
    const [{ id }] = answers as [customers.CustomerName];
    expect(await t.eventsOf(id)).toHaveLength(1);
  });

  it('twenty at once that bring names agree on one', async () => {
    const email = address();
    await customers.reuse(t.ctx, { email });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => customers.reuse(t.ctx, { email, name: `Name ${n}` })),
    );
    const stored = await customers.get(t.ctx, email);
    expect(new Set(answers.map((answer) => answer.name))).toEqual(new Set([stored.name]));
    expect(stored.name).toMatch(/^Name \d+$/);
  });

  it('sees a customer that another transaction is about to commit', async () => {
    const email = address();
    const slow = t.ctx.tx(async (ctx) => {
      const found = await customers.reuse(ctx, { email });
      for (let n = 0; n < 20; n++) await pause();
      return found;
    });
    const quick = customers.reuse(t.ctx, { email });
    expect((await slow).id).toBe((await quick).id);
  });

  it('leaves nothing behind when the caller fails', async () => {
    const email = address();
    const failing = t.ctx.tx(async (ctx) => {
      await customers.reuse(ctx, { email });
      throw new Error('the license could not be made');
    });
    await expect(failing).rejects.toThrow('could not be made');
    expect(await codeOf(customers.get(t.ctx, email))).toBe('NOT_FOUND');
  });
});

describe('create', () => {
  it('stores a customer with its metadata', async () => {
    const email = address();
    const customer = await customers.create(t.ctx, { email, name: 'Ann', metadata: { vat: 'DE1' } });
    expect(await customers.get(t.ctx, customer.id)).toEqual(customer);
    expect(customer).toMatchObject({ email, name: 'Ann', metadata: { vat: 'DE1' } });
  });

  it('gives an address to one of two that ask at once', async () => {
    const email = address();
    const outcomes = await Promise.allSettled([
      customers.create(t.ctx, { email }),
      customers.create(t.ctx, { email: email.toUpperCase() }),
    ]);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(1);
    const error = await refusalOf(Promise.reject(refused[0]?.reason));
    expect([error.code, error.status, error.details.reason]).toEqual(['CONFLICT', 409, 'DUPLICATE']);
    expect(await rowsOf(t.ctx, email)).toBe(1);
  });

  it.each([
    [{ email: 'nobody' }, 'email'],
    [{ email: `${'x'.repeat(250)}@x.test` }, 'email'],
    [{ name: 'a\0b' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ metadata: 'x' }, 'metadata'],
    [{ role: 'admin' }, ''],
  ])('refuses %j', async (wrong, path) => {
    const input = { email: 'wrong@x.test', ...wrong } as customers.CustomerCreateInput;
    expect(await faultsOf(customers.create(t.ctx, input))).toEqual([path]);
  });
});

describe('list', () => {
  it('looks for text in address and name, in pages, oldest first', async () => {
    const own = await openTestContext();
    try {
      for (const [email, name] of [
        ['Carla@Shop.test', 'Carla'],
        ['bob_1@x.test', 'Bob Shopper'],
        ['bobx1@x.test', undefined],
      ] as const) {
        own.clock.advance(1);
        await customers.create(own.ctx, { email, name });
      }
      await customers.create(await own.otherTenant(), { email: 'shop@y.test' });
      const emails = async (q?: string, page = 1, limit = 50) =>
        (await holderRows.page(own.ctx, { offset: (page - 1) * limit, limit, q })).items.map(
          (customer) => customer.email,
        );
      expect(await emails()).toEqual(['Carla@Shop.test', 'bob_1@x.test', 'bobx1@x.test']);
      expect(await emails('SHOP')).toEqual(['Carla@Shop.test', 'bob_1@x.test']);
      expect(await emails('bob_1')).toEqual(['bob_1@x.test']);
      expect(await emails('%')).toEqual([]);
      expect(await emails(undefined, 2, 2)).toEqual(['bobx1@x.test']);
    } finally {
      await own.close();
    }
  });

  it('unknown customers are NOT_FOUND', async () => {
    for (const named of ['nobody@x.test', t.ctx.newId('cus'), '', 'cus_1']) {
      expect(await codeOf(customers.get(t.ctx, named))).toBe('NOT_FOUND');
    }
  });
});
