// What every operation of the admin API owes its caller, read from the declarations themselves (licensing 4.1, 4.2).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capabilities } from '../../src/app/capabilities.ts';
import type { MadeKey, TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { openEventStream } from '../support/event-stream.ts';
import type { HttpReply } from '../support/http-client.ts';
import type { Made } from '../support/resource-sample.ts';
import { type AdminCaller, named, openAdminCaller, readsHeader } from './admin-caller.ts';
import { type Operation, operations, permissions, withBodies } from './admin-operations.ts';
import { samples } from './staff/index.ts';

let app: TestApp;
let owner: MadeKey;
/** Of the whole installation. */
let everywhere: MadeKey;
let ask: AdminCaller['ask'];
let sharedBy: AdminCaller['sharedBy'];
beforeAll(async () => {
  ({ app, owner, ask, sharedBy } = await openAdminCaller());
  everywhere = await app.adminToken('owner', { isInstanceWide: true });
});
afterAll(() => app.close());

it('every resource that stands on the admin API has a sample', () => {
  const all = capabilities.flatMap(({ resources = [] }) => resources);
  const declared = all.filter((one) => one.endpoints('license-admin').length > 0).map(({ name }) => name);
  expect(samples.map(({ resource }) => resource.name).sort()).toEqual(declared.sort());
});

/** Rows of the installation are changed by its own staff. */
const holderOf = ({ everyTenant }: Operation): MadeKey => (everyTenant ? everywhere : owner);

it('every operation has its row, and every one with a body a right one', () => {
  expect(Object.fromEntries(operations.map(({ name, endpoint }) => [name, endpoint.scope]))).toEqual(
    permissions,
  );
  expect([...withBodies].sort()).toEqual(withBody.map(([name]) => name).sort());
});

/** A live tail may have no end of its own: it is left as soon as it begins. */
async function headOfStream({ path }: Operation, made: Made): Promise<HttpReply> {
  const { status, headers, close } = await openEventStream(`${app.url}/api/v1/admin${path(made)}`, {
    Authorization: `Bearer ${everywhere.secret}`,
  });
  close();
  return { status, headers } as HttpReply;
}

const withBody = named.filter(([, { endpoint }]) => endpoint.body);

describe.each(named)('%s', (_name, one) => {
  it('succeeds with an answer of the declared shape, and nothing that is not declared', async () => {
    const { endpoint } = one;
    const made = await one.make(app.ctx);
    const reply = endpoint.live ? await headOfStream(one, made) : await ask(one, everywhere, made);
    if (endpoint.content) {
      expect(reply.status).toBe(200);
      expect(reply.headers['cache-control']).toBe(endpoint.live ? 'no-store, no-transform' : 'no-store');
      expect(reply.headers['content-type']).toContain(endpoint.content.type);
      return;
    }
    // A bulk run of many rows answers otherwise than one of few.
    const [declared, ...others] = Object.keys(endpoint.replies);
    expect([declared, ...(one.name.endsWith('/bulk') ? [] : others)]).toEqual([String(reply.status)]);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    const { success, ...rest } = reply.body;
    expect(success).toBe(true);
    expect(endpoint.replies[reply.status]?.parse(rest)).toEqual(rest);
  });
});

const rehearsable = named.filter(([, { endpoint }]) => endpoint.rehearsable);

describe.each(rehearsable)('%s', (_name, one) => {
  it('with Dry-Run answers what it would, and changes nothing', async () => {
    const own = await one.make(app.ctx);
    const headers = { 'Dry-Run': 'true' };
    const { result, changes } = await app.changesBy(() => ask(one, everywhere, own, { headers }));
    expect([String(result.status), result.headers['dry-run']]).toEqual([
      Object.keys(one.endpoint.replies)[0],
      'true',
    ]);
    expect(changes).toEqual(nothing);
  });
});

describe('a body', () => {
  it.each(withBody)(
    'of %s is refused with an unknown field, as no object and as no JSON',
    async (_name, one) => {
      const body = one.body(await sharedBy(one));
      const json = { headers: { 'Content-Type': 'application/json' } };
      const { result, changes } = await app.changesBy(async () => [
        await ask(one, owner, null, { body: { ...body, unheard: 1 } }),
        await ask(one, owner, null, {
          body: JSON.stringify({ ...body, ['__proto__']: 1 }).replace('{', '{"__proto__":{"a":1},'),
          ...json,
        }),
        await ask(one, owner, null, { body: [body] }),
        await ask(one, owner, null, { body: '{', ...json }),
        await ask(one, owner, null, { body: '{"note":"\\ud800"}', ...json }),
        await ask(one, owner, null, { body: JSON.stringify(body) }),
      ]);
      expect(result.map(({ status, body }) => [status, body.error?.code])).toEqual(
        result.map(() => [400, 'VALIDATION_ERROR']),
      );
      expect(result[0]?.body.error?.message).toContain('unheard');
      expect(changes).toEqual(nothing);
    },
  );

  it.each(withBody)('of %s may be left out where nothing has to be said', async (_name, one) => {
    const { bodyOptional, replies } = one.endpoint;
    const { status } = await ask(one, holderOf(one), await one.make(app.ctx), { body: undefined });
    expect(status).toBe(bodyOptional ? Number(Object.keys(replies)[0]) : 400);
  });
});

/** Whether an answer has pages: that of a single thing may take a query as well. */
const isPage = (reply: unknown): boolean =>
  'pagination' in ((reply as { shape?: object } | undefined)?.shape ?? {});

describe('a list', () => {
  const lists = named.filter(([, { endpoint }]) => endpoint.query && isPage(endpoint.replies[200]));
  it.each(lists)('%s has pages, and refuses filters that it does not know', async (_name, one) => {
    const own = await one.make(app.ctx);
    const at = (query: string) => app.admin(`${one.path(own)}?${query}`, holderOf(one));
    const first = await at('page=1&limit=1');
    expect(first.body.pagination).toEqual({
      page: 1,
      limit: 1,
      total: expect.any(Number),
      totalPages: first.body.pagination?.total,
    });
    expect((await at('page=1000000')).body.items).toEqual([]);
    for (const query of ['page=0', 'limit=501', 'limit=0', 'limit=1&limit=2', 'colour=red', 'page=x']) {
      const { status, body } = await at(query);
      expect([query, status, body.error?.code]).toEqual([query, 400, 'VALIDATION_ERROR']);
    }
  });
});

describe('If-Match', () => {
  const conditional = named.filter(([, { endpoint }]) => readsHeader(endpoint, 'if-match'));

  it('is read by every change and deletion of a single thing', () => {
    const single = named.filter(([name]) =>
      /^(PATCH|DELETE)|^POST .*\/(enable|disable|rotate-secret|mappings)$|^(POST|PUT) \/releases\/\{id\}/.test(
        name,
      ),
    );
    const blind = single.filter(
      ([, { isVersioned, endpoint }]) => isVersioned && !readsHeader(endpoint, 'if-match'),
    );
    expect(blind.map(([name]) => name)).toEqual([]);
  });

  // A mapping is named by what is sent: its test is in test/licensing/admin-integrations.db.test.ts.
  it.each(conditional.filter(([name]) => !name.endsWith('mappings')))(
    '%s: a stale one is 412 and changes nothing, the right one goes through',
    async (_name, one) => {
      const own = await one.make(app.ctx);
      const path = one.path(own);
      if (path.endsWith('/enable'))
        await app.admin(path.replace('enable', 'disable'), holderOf(one), { method: 'POST' });
      const updatedAt = await updatedAtOf(one, own);
      const sent = (value: string) => ask(one, holderOf(one), own, { headers: { 'If-Match': value } });
      const { result, changes } = await app.changesBy(async () => ({
        stale: await sent('"2026-01-01T00:00:00.000Z"'),
        bare: await sent(updatedAt),
        list: await sent(`"${updatedAt}", "x"`),
        weak: await sent(`W/"${updatedAt}"`),
      }));
      const { stale, ...malformed } = result;
      expect([stale.status, stale.body.error?.code]).toEqual([412, 'PRECONDITION_FAILED']);
      for (const { status, body } of Object.values(malformed))
        expect([status, body.error?.code]).toEqual([400, 'VALIDATION_ERROR']);
      expect(changes).toEqual(nothing);
      app.clock.advance(1);
      expect((await sent(`"${updatedAt}"`)).status).toBe(200);
      const again = await sent(`"${updatedAt}"`);
      const isGone = one.endpoint.method === 'delete';
      expect(again.status).toBe(isGone ? 404 : 412);
      // What was done cannot always be done again, whatever the state: what was published is.
      if (!isGone) expect((await sent('*')).status).toBe(path.endsWith('/publish') ? 409 : 200);
    },
  );

  /** As the list shows it; where it shows no item of this id, the item itself. */
  async function updatedAtOf(one: Operation, made: Made): Promise<string> {
    const id =
      one
        .path(made)
        .slice(one.list(made).length + 1)
        .split('/')[0] ?? '';
    const { body } = await app.admin(`${one.list(made)}?limit=500`, holderOf(one));
    const items = body.items as unknown as { id: string; updatedAt: string }[];
    const listed = items.find((item) => item.id === id)?.updatedAt;
    if (listed !== undefined) return listed;
    const single = await app.admin(`${one.list(made)}/${id}`, owner);
    return Object.values(single.body as Record<string, { updatedAt?: string }>).find(
      (item) => item?.updatedAt,
    )?.updatedAt as string;
  }
});

it.each([
  ['GET', ''],
  ['GET', '/'],
  ['GET', '/nothing'],
  ['PUT', '/webhooks'],
  ['DELETE', '/webhooks'],
  ['GET', '/webhooks/'],
  ['GET', '/Webhooks'],
  ['OPTIONS', '/webhooks'],
])('%s %s is 404 in the envelope', async (method, path) => {
  const { result, changes } = await app.changesBy(() => app.admin(path, owner, { method }));
  expect(result.status).toBe(404);
  expect(result.body).toEqual({
    success: false,
    error: { code: 'NOT_FOUND', message: 'No such endpoint' },
    requestId: expect.stringMatching(/^req_[0-9A-Z]{26}$/),
  });
  expect(changes).toEqual(nothing);
});
