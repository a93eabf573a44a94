import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { products as productsCapability } from '#licensing/catalog/products/capability.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { ProductsReply } from '#licensing/catalog/products/schemas.ts';
import { ListQuery } from '../../src/kernel/service/pagination.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { codeOf, faultsOf } from '../support/refusal.ts';

const all = { page: 1, limit: 500 };

describe('lists', () => {
  let own: TestContext;
  beforeAll(async () => {
    own = await openTestContext();
    for (const [name, slug, status] of [
      ['Delta', 'delta', 'ACTIVE'],
      ['Alpha 100%', 'alpha', 'ACTIVE'],
      ['Charlie', 'charlie', 'DISCONTINUED'],
      ['Bravo', 'bravo', 'ACTIVE'],
    ] as const) {
      await products.create(own.ctx, { name, slug, status });
    }
    await products.create(await own.otherTenant(), { name: 'Theirs', slug: 'theirs' });
  });
  afterAll(() => own.close());
  const slugs = (page: { items: { slug: string }[] }) => page.items.map((item) => item.slug);

  it('answers by name, in pages', async () => {
    const first = await products.list(own.ctx, { page: 1, limit: 3 });
    expect(slugs(first)).toEqual(['alpha', 'bravo', 'charlie']);
    expect(first.pagination).toEqual({ page: 1, limit: 3, total: 4, totalPages: 2 });
    expect(slugs(await products.list(own.ctx, { page: 2, limit: 3 }))).toEqual(['delta']);
    expect(slugs(await products.list(own.ctx, { page: 9, limit: 3 }))).toEqual([]);
  });

  it('filters by status and text', async () => {
    expect(slugs(await products.list(own.ctx, { ...all, status: 'DISCONTINUED' }))).toEqual(['charlie']);
    expect(slugs(await products.list(own.ctx, { ...all, q: 'RAV' }))).toEqual(['bravo']);
    expect(slugs(await products.list(own.ctx, { ...all, q: '0%' }))).toEqual(['alpha']);
    expect(slugs(await products.list(own.ctx, { ...all, q: '_' }))).toEqual([]);
    expect(slugs(await products.list(own.ctx, { ...all, q: "'; --" }))).toEqual([]);
  });

  it.each([
    [{ page: 0, limit: 50 }, 'page'],
    [{ page: 1, limit: 0 }, 'limit'],
    [{ page: 1, limit: 501 }, 'limit'],
    [{ page: 1.5, limit: 50 }, 'page'],
    [{ page: Number.NaN, limit: 50 }, 'page'],
  ])('refuses %j', async (asked, path) => {
    expect(await faultsOf(products.list(own.ctx, asked))).toEqual([path]);
  });

  it('shows an API key its products only', async () => {
    const bravo = await products.get(own.ctx, 'bravo');
    const confined = own.asApiKey([bravo.id]);
    expect(slugs(await products.list(confined, all))).toEqual(['bravo']);
    expect(slugs(await products.list(own.asApiKey([]), all))).toEqual([]);
    expect(slugs(await products.list(own.asApiKey(null), all))).toHaveLength(4);
    expect((await products.get(confined, 'bravo')).id).toBe(bravo.id);
    expect(await codeOf(products.get(confined, 'alpha'))).toBe('NOT_FOUND');
    expect(await codeOf(products.update(confined, 'alpha', { name: 'Mine' }))).toBe('NOT_FOUND');
  });

  it('GET /api/v1/products answers what is sold', async () => {
    const [endpoint] = productsCapability.endpoints ?? [];
    const ask = async (ctx: TestContext['ctx'], query: Record<string, string>) => {
      const input = { query: ListQuery.parse(query), params: undefined, headers: undefined, body: undefined };
      const reply = await endpoint?.handle(ctx, input);
      expect(reply?.status).toBe(200);
      return ProductsReply.strict().parse(reply?.body);
    };
    const answer = await ask(own.asApiKey(), {});
    expect(answer.products.map((product) => product.slug)).toEqual(['alpha', 'bravo', 'delta']);
    expect(answer.pagination).toEqual({ page: 1, limit: 50, total: 3, totalPages: 1 });
    expect(Object.keys(answer.products[0] ?? {})).toHaveLength(9);
    expect((await ask(own.asApiKey([]), { page: '2', limit: '10' })).pagination).toEqual({
      page: 2,
      limit: 10,
      total: 0,
      totalPages: 0,
    });
    expect([endpoint?.method, endpoint?.path, endpoint?.scope, endpoint?.limit?.bucket]).toEqual([
      'get',
      '/api/v1/products',
      'PRODUCTS',
      'read_extra',
    ]);
  });
});
