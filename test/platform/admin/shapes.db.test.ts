// Every shape that admin.md 1 lists, on both staff surfaces from one declaration: what a shop has only to declare.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { Actor } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Surface } from '#kernel/http/surface.ts';
import { storeAnswers } from '#platform/store-answers/index.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';
import { type EndpointServer, openSurface, serveEndpoints } from '../../support/endpoint-server.ts';
import type { Sent } from '../../support/http-client.ts';
import { seedRows } from '../../support/resource-sample.ts';
import { makeTable } from './books.ts';
import { endOf } from './bulk-outcome.ts';
import { library } from './library.ts';
import { manners } from './manners.ts';

/** More than any answer waits for. */
const MANY = 1200;

const actor: Actor = { kind: 'admin', id: 'adm_x', label: 'x', permissions: ['licensing:write'] };

let context: TestContext;
let server: EndpointServer;
let tenant: Ctx;
beforeAll(async () => {
  context = await openTestContext();
  await makeTable(context.ctx);
  const surface = (name: string, prefix: string, more: Partial<Surface>): Surface =>
    openSurface(
      library.flatMap((one) => one.endpoints(name)),
      {
        name,
        prefixes: [prefix],
        bodyBytes: 4096,
        rehearses: true,
        authenticate: async () => ({
          actor,
          tenantId: tenant.tenantId,
          limitKey: 'x',
          limits: null,
          allowedOrigins: [],
        }),
        ...more,
      },
    );
  const surfaces = [
    surface('license-admin', '/api/v1/admin', {}),
    surface('store', '/api/store', storeAnswers),
  ];
  server = await serveEndpoints([], context.runtime, surfaces);
});
afterAll(async () => {
  server.close();
  await context.close();
});

describe.each(Object.keys(manners) as (keyof typeof manners)[])('on %s', (surface) => {
  const manner = manners[surface];
  const isStore = surface === 'store';
  const send = (method: string, path: string, body?: unknown, sent: Sent = {}) =>
    server.send(manner.base + path, { method, ...(body !== undefined && { body }), ...sent });
  const named = (fields: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [manner.name(name), value]));
  const make = async (fields: Record<string, unknown>): Promise<string> => {
    const { body } = await send('POST', '/books', named({ pageCount: 10, ...fields }));
    return String(manner.one(body).id);
  };
  const titles = (items: readonly Record<string, unknown>[]) => items.map(({ title }) => title);
  beforeAll(async () => {
    tenant = await context.otherTenant();
  });

  it('an item is created with a secret beside it, shown, changed as it was read, and removed with a reason', async () => {
    const made = await send('POST', '/books', named({ title: 'Emma', pageCount: 474 }));
    expect(made.status).toBe(201);
    const { secret, ...book } = isStore
      ? manner.one(made.body)
      : { ...manner.one(made.body), secret: made.body.secret };
    expect(secret).toBe('shown once');
    const id = String(book.id);
    const shown = await send('GET', `/books/${id}`);
    expect(manner.one(shown.body)).toEqual(book);
    const path = `/books/${id}`;
    const change = (version: number, fields: object) =>
      isStore
        ? send('PATCH', path, { ...fields, version })
        : send('PATCH', path, fields, manner.since(version));
    expect(manner.one((await change(1, { title: 'Emma II' })).body).title).toBe('Emma II');
    const stale = await change(1, { title: 'Emma III' });
    expect([stale.status, manner.code(stale.body)]).toEqual(
      isStore ? [400, 'VALIDATION_ERROR'] : [412, 'PRECONDITION_FAILED'],
    );
    expect(stale.body.details?.reason).toBe(isStore ? 'STALE_VERSION' : undefined);
    expect((await send('DELETE', path)).status).toBe(400);
    const gone = await send('DELETE', path, { reason: 'worn' });
    expect(manner.other(gone.body)).toEqual(isStore ? { deleted: true } : { id, deleted: true });
    expect([(await send('GET', path)).status, manner.code((await send('GET', path)).body)]).toEqual([
      404,
      'NOT_FOUND',
    ]);
  });

  it('a body is judged by its fields and by rules over several, with the names of the surface', async () => {
    const missing = await send('POST', '/books', { title: 'Emma' });
    const wrong = await send('POST', '/books', named({ title: 'Emma', pageCount: 0 }));
    const unknown = await send('POST', '/books', named({ title: 'Odd', pageCount: 1, colour: 'red' }));
    const both = await send(
      'PATCH',
      `/books/${await make({ title: 'x' })}`,
      named({ title: '7', pageCount: 7 }),
    );
    expect([missing, wrong, unknown, both].map(({ status }) => status)).toEqual([
      400,
      400,
      isStore ? 201 : 400,
      400,
    ]);
    expect(missing.text + wrong.text + both.text).toContain(manner.name('pageCount'));
    const codes = [missing, wrong, both].map(({ body }) => manner.code(body));
    const [absent, invalid] = [isStore ? 'VALIDATION_MISSING_FIELD' : 'VALIDATION_ERROR', 'VALIDATION_ERROR'];
    expect(codes).toEqual([absent, invalid, invalid]);
    if (!isStore) return;
    expect(wrong.body).toMatchObject({
      success: false,
      error: expect.any(String),
      details: { fields: [{ field: 'page_count' }] },
    });
  });

  it('lists are pages, plain, by cursor and trees; filters, sorts and search narrow them', async () => {
    tenant = await context.otherTenant();
    const top = await make({ title: 'A', pageCount: 3 });
    const middle = await make({ title: 'B', underId: top });
    await make({ title: 'C', underId: middle });
    await make({ title: 'D', pageCount: 3 });
    const [size] = Object.entries(manner.pages).map(([name, value]) => `${name}=${value}`);
    const second = await send('GET', `/books?${size}&page=2`);
    expect([titles(manner.many(second.body)), manner.total(second.body)]).toEqual([['C', 'D'], 4]);
    const expected = isStore
      ? { page: 2, per_page: 2, total: 4, total_pages: 2 }
      : { page: 2, limit: 2, total: 4, totalPages: 2 };
    expect(second.body.pagination).toEqual(expected);
    const narrowed = await send('GET', `/books?${manner.name('pageCountMax')}=5&sort=-title`);
    expect(titles(manner.many(narrowed.body))).toEqual(['D', 'A']);
    expect(titles(manner.many((await send('GET', '/books?q=b')).body))).toEqual(['B']);
    expect((await send('GET', `/books?${isStore ? 'per_page=101' : 'limit=501'}`)).status).toBe(400);
    expect((await send('GET', '/books?colour=red')).status).toBe(isStore ? 200 : 400);
    expect(titles(manner.many((await send('GET', '/plain-books')).body))).toEqual(['A', 'B', 'C', 'D']);
    const first = await send('GET', '/book-log?limit=3');
    const rest = await send('GET', `/book-log?limit=3&cursor=${manner.next(first.body)}`);
    expect([
      ...titles(manner.many(first.body)),
      ...titles(manner.many(rest.body)),
      manner.next(rest.body),
    ]).toEqual(['A', 'B', 'C', 'D', null]);
    const tree = manner.many((await send('GET', '/contents')).body);
    const shape = (nodes: Record<string, unknown>[]): unknown[] =>
      nodes.map(({ title, children }) => [title, shape(children as Record<string, unknown>[])]);
    expect(shape(tree)).toEqual([
      ['A', [['B', [['C', []]]]]],
      ['D', []],
    ]);
    const pruned = manner.many((await send('GET', `/contents?${manner.name('underId')}=${middle}`)).body);
    expect(shape(pruned)).toEqual([['C', []]]);
  });

  it('collections stand below an item, with items below it or on a path of their own', async () => {
    const book = await make({ title: 'Whole' });
    const part = await make({ title: 'Part', underId: book });
    expect(titles(manner.many((await send('GET', `/books/${book}/chapters`)).body))).toEqual(['Part']);
    expect(manner.one((await send('GET', `/books/${book}/chapters/${part}`)).body).id).toBe(part);
    expect(manner.one((await send('GET', `/parts/${part}`)).body).id).toBe(part);
    expect((await send('GET', `/books/${part}/chapters/${part}`)).status).toBe(404);
    expect((await send('GET', '/books/nobody/chapters')).status).toBe(404);
    expect((await send('GET', '/books/nobody/parts')).status).toBe(404);
  });

  it('what is done with an item asks whether it is in the collection that the path names', async () => {
    const [book, other] = [await make({ title: 'Whole' }), await make({ title: 'Other' })];
    const part = await make({ title: 'Part', underId: book });
    const tries = (above: string) => [
      () => send('PATCH', `/books/${above}/chapters/${part}`, { title: 'Renamed' }),
      () => send('POST', `/books/${above}/chapters/${part}/lend`, named({ lentTo: 'Ann' })),
      () => send('DELETE', `/books/${above}/chapters/${part}`, { reason: 'worn' }),
    ];
    for (const [at, above] of [other, 'nobody', book].entries()) {
      const statuses = [];
      for (const one of tries(above)) statuses.push((await one()).status);
      expect(statuses).toEqual(at === 2 ? [200, 200, 200] : [404, 404, 404]);
    }
    const fresh = { title: 'New', underId: book };
    expect((await send('POST', '/books/nobody/chapters', named({ ...fresh, pageCount: 1 }))).status).toBe(
      404,
    );
    const inside = await make(fresh);
    const run = (above: string) =>
      send('POST', `/books/${above}/chapters/bulk`, {
        action: 'lend',
        params: { lentTo: 'Ann' },
        ids: [inside],
      });
    expect([
      (await run(other)).text.includes('NOT_FOUND'),
      (await run(book)).text.includes('NOT_FOUND'),
    ]).toEqual([true, false]);
  });

  it('a request with an Idempotency-Key is done once, and another one under the same key is refused', async () => {
    tenant = await context.otherTenant();
    const headers = { 'Idempotency-Key': 'one' };
    const body = named({ title: 'Once', pageCount: 5 });
    const [first, again] = [
      await send('POST', '/books', body, { headers }),
      await send('POST', '/books', body, { headers }),
    ];
    expect([again.status, again.body]).toEqual([201, first.body]);
    const other = await send('POST', '/books', { ...body, title: 'Twice' }, { headers });
    expect([other.status, manner.code(other.body)]).toEqual(
      isStore ? [400, 'VALIDATION_ERROR'] : [409, 'CONFLICT'],
    );
    expect((other.body.details ?? other.body.error?.details)?.reason).toBe('IDEMPOTENCY_MISMATCH');
    const path = `/books/${manner.one(first.body).id}/lend`;
    const lent = () => send('POST', path, named({ lentTo: 'Ann' }), { headers });
    expect([(await lent()).status, (await lent()).status]).toEqual([200, 200]);
    expect(await context.ctx.db.knex('test_books').where({ tenant_id: tenant.tenantId })).toHaveLength(1);
  });

  it('singletons stand below an item and on the surface', async () => {
    const id = await make({ title: 'Lent' });
    const loan = () => send('GET', `/books/${id}/loan`).then(({ body }) => manner.other(body));
    expect((await send('PUT', `/books/${id}/loan`, named({ lentTo: 'Ann' }))).status).toBe(200);
    expect(await loan()).toEqual({ lentTo: 'Ann' });
    expect((await send('DELETE', `/books/${id}/loan`)).status).toBe(200);
    expect(await loan()).toEqual({ lentTo: null });
    const hours = await send('GET', '/opening-hours');
    expect(manner.other(hours.body)).toEqual({ pages: expect.any(Number) });
    expect((await send('GET', '/opening-hours/export')).status).toBe(404);
  });

  it('PUT replaces a set, and makes or changes many things, each refused alone', async () => {
    const id = await make({ title: 'Tagged' });
    const tags = await send('PUT', `/books/${id}/tags`, { items: ['a', 'b'] });
    expect(manner.other(tags.body)).toEqual({ items: ['a', 'b'] });
    const items = ['one', 'forbidden', 'three'].map((title) => named({ title, pageCount: 1 }));
    const shelved = await send('PUT', '/books/shelf', { items });
    expect(manner.other(shelved.body)).toEqual({
      upserted: 2,
      errors: [{ index: 1, code: 'CONFLICT', message: 'forbidden is not taken' }],
    });
    const bad = await send('PUT', '/books/shelf', { items: [named({ title: 'x', pageCount: 0 })] });
    expect([bad.status, bad.text.includes(`items.0.${manner.name('pageCount')}`)]).toEqual([400, true]);
  });

  it('actions answer the object; those without id preview and run', async () => {
    tenant = await context.otherTenant();
    const id = await make({ title: 'Acted', pageCount: 7 });
    const lent = await send('POST', `/books/${id}/lend`, named({ lentTo: 'Ann' }));
    expect([lent.status, manner.one(lent.body).id]).toEqual([200, id]);
    const again = await send('POST', `/books/${id}/lend`, named({ lentTo: 'Bob' }));
    expect([again.status, manner.code(again.body)]).toEqual(
      isStore ? [400, 'VALIDATION_ERROR'] : [409, 'CONFLICT'],
    );
    expect(again.body.details?.reason).toBe(isStore ? 'INVALID_TRANSITION' : undefined);
    const preview = await send('POST', '/books/reprint/preview', { factor: 2 });
    expect(manner.other(preview.body)).toEqual({ pages: 14, books: 1 });
    const count = manner.name('pageCount');
    expect(manner.one((await send('GET', `/books/${id}`)).body)[count]).toBe(7);
    expect((await send('POST', '/books/reprint', { factor: 2 })).status).toBe(200);
    expect(manner.one((await send('GET', `/books/${id}`)).body)[count]).toBe(14);
  });

  it('a bulk run takes ids or a filter, rehearses, and tells what was refused', async () => {
    tenant = await context.otherTenant();
    const ids = [await make({ title: 'Thin', pageCount: 1 }), await make({ title: 'Thick', pageCount: 900 })];
    const params = { lentTo: 'Ann' };
    const run = (more: object) =>
      send('POST', '/books/bulk', { action: 'lend', params, ...named({ ...more }) });
    const done = (succeeded: number, refused: string[]) =>
      isStore
        ? {
            updated: succeeded,
            errors: refused.map((id) => ({ id, error_code: 'CONFLICT', message: expect.any(String) })),
          }
        : {
            results: expect.any(Array),
            summary: { total: succeeded + refused.length, succeeded, failed: refused.length },
          };
    const lent = async () =>
      (await context.ctx.db.knex('test_books').whereIn('id', ids).whereNotNull('lent_to')).length;
    expect(manner.other((await run({ ids, dryRun: true })).body)).toEqual(done(2, []));
    expect(await lent()).toBe(0);
    expect(manner.other((await run({ filter: named({ pageCountMax: '5' }) })).body)).toEqual(done(1, []));
    expect(await lent()).toBe(1);
    expect(manner.other((await run({ ids })).body)).toEqual(done(1, [ids[0] as string]));
    expect((await run({ ids, filter: {} })).status).toBe(400);
    const removal = { action: 'delete', params: { reason: 'worn' }, ids };
    expect(manner.other((await send('POST', '/books/bulk', removal)).body)).toEqual(done(2, []));
  });

  it('a bulk run over many rows is a task, which tells in its report what was refused', async () => {
    tenant = await context.otherTenant();
    const taken = await make({ title: 'Taken' });
    await send('POST', `/books/${taken}/lend`, named({ lentTo: 'Bob' }));
    const book = await context.ctx.db.knex('test_books').where({ id: taken }).first();
    const many = (n: number) => ({ ...book, id: tenant.newId('tbk'), title: `Seeded ${n}`, lent_to: null });
    await seedRows(tenant, 'test_books', MANY, many);
    const started = await send('POST', '/books/bulk', {
      action: 'lend',
      params: { lentTo: 'Ann' },
      filter: {},
    });
    const { task } = manner.other(started.body) as unknown as { task: { id: string; total: number } };
    expect([started.status, task.total]).toEqual([202, MANY + 1]);
    const { status, report } = await endOf(tenant, task.id);
    const results = [{ id: taken, success: false, error: { code: 'CONFLICT', message: expect.any(String) } }];
    const summary = { total: MANY + 1, succeeded: MANY, failed: 1 };
    expect([status, report]).toEqual(['DONE', { results, summary }]);
    const lent = await tenant.db.knex('test_books').where({ tenant_id: tenant.tenantId, lent_to: 'Ann' });
    expect(lent.length).toBe(MANY);
  }, 120_000);

  it('exports, and files that are answered and sent', async () => {
    tenant = await context.otherTenant();
    const id = await make({ title: '=1+1' });
    const csv = await send('GET', `/books${manner.export}`);
    expect([csv.status, csv.text.split('\r\n')[1]?.startsWith(`${id},'=1+1,`)]).toEqual([200, true]);
    const headers = { 'Content-Type': 'application/octet-stream' };
    expect((await send('PUT', `/books/${id}/text`, Buffer.from('long ago'), { headers })).status).toBe(200);
    const file = await send('GET', `/books/${id}/text`);
    expect([file.headers['content-type'], file.text]).toEqual(['text/plain', '=1+1: long ago']);
    expect((await send('PUT', `/books/${id}/text`, Buffer.alloc(101), { headers })).status).toBe(413);
  });

  it('Dry-Run answers what it would, and changes nothing', async () => {
    tenant = await context.otherTenant();
    const id = await make({ title: 'Kept' });
    const headers = { 'Dry-Run': 'true' };
    const count = async () =>
      (await context.ctx.db.knex('test_books').where({ tenant_id: tenant.tenantId })).length;
    expect((await send('POST', '/books', named({ title: 'Never', pageCount: 1 }), { headers })).status).toBe(
      201,
    );
    expect((await send('DELETE', `/books/${id}`, { reason: 'worn' }, { headers })).status).toBe(200);
    expect(
      (await send('PUT', '/books/shelf', { items: [named({ title: 'x', pageCount: 1 })] }, { headers }))
        .status,
    ).toBe(200);
    expect(await count()).toBe(1);
  });

  it('what is answered has the declared shape', async () => {
    const id = await make({ title: 'Shaped' });
    const endpoints = library.flatMap((one) => one.endpoints(surface));
    for (const path of [
      '/books',
      '/plain-books',
      '/book-log',
      '/contents',
      '/opening-hours',
      `/books/${id}`,
      `/books/${id}/loan`,
    ]) {
      const declared = endpoints.find(
        (one) => one.method === 'get' && one.path === `${manner.base}${path.replace(id, '{id}')}`,
      );
      const { success: _success, ...rest } = (await send('GET', path)).body;
      expect((declared?.replies[200] as z.ZodType | undefined)?.parse(rest)).toEqual(rest);
    }
  });
});
