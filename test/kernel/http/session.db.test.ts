// The store of sessions below the pages: what is written when, and by which request (M15).
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createSessions } from '#kernel/http/session.ts';
import { EMPTY_SESSION } from '#kernel/http/session-keeper.ts';
import { createOwner } from '#platform/accounts/index.ts';
import { sessionKeeper } from '#platform/sessions/index.ts';
import { type Browser, openBrowser } from '../../support/browser.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';
import { changesBy, nothing } from '../../support/database-changes.ts';
import { type HttpClient, openHttpClient } from '../../support/http-client.ts';

let at: TestContext;
let staffId: string;
let client: HttpClient;
let browser: Browser;
const server = createServer((req, res) => void answer(req, res));
/** Set by a test: what a slow request waits for. */
let gate: PromiseWithResolvers<void>;
let arrived: PromiseWithResolvers<void>;

beforeAll(async () => {
  at = await openTestContext();
  staffId = (await createOwner(at.ctx, { email: 'ops@x.test', name: 'Ops', password: 'correct horse' })).id;
  open = createSessions(at.ctx, sessionKeeper, false);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  client = openHttpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
afterAll(async () => {
  client.close();
  server.close();
  await at.close();
});
beforeEach(async () => {
  browser = openBrowser(client.send);
  gate = Promise.withResolvers();
  arrived = Promise.withResolvers();
  await at.database.transaction(async ({ knex }) => {
    await knex('sessions').delete();
  });
});

let open: ReturnType<typeof createSessions>;

/** `/look`, `/offer`, `/write?NAME=VALUE`, `/slow?NAME=VALUE`, `/in`, `/out`: each answers with what the session holds. */
async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const session = await open({ req, res, ctx: at.ctx });
  const { pathname, searchParams } = new URL(req.url ?? '', 'http://x');
  if (pathname === '/slow') {
    arrived.resolve();
    await gate.promise;
  }
  if (pathname === '/offer') session.offer();
  if (pathname === '/write' || pathname === '/slow') {
    const data = { ...session.content.data, ...Object.fromEntries(searchParams) };
    session.change({ ...session.content, data });
    await session.save();
  }
  if (pathname === '/in') await session.renew({ ...session.content, staff: { id: staffId, generation: 0 } });
  if (pathname === '/out') await session.renew(EMPTY_SESSION);
  const { staff, data } = session.content;
  res.writeHead(200, { 'Content-Type': 'application/json' });
  res.end(JSON.stringify({ staff: staff?.id ?? null, data, actor: session.kept?.actor.kind ?? null }));
}

const call = async (path: string, with_: Browser = browser) => (await with_.open(path)).body;
const rows = async () => {
  const all = await at.database.db.knex('sessions').select();
  return all.map((row) => ({ ...row, data: JSON.parse(row.data) }));
};
const alike = (other: Browser): Browser => {
  const same = openBrowser(client.send);
  for (const [name, value] of other.cookies) same.cookies.set(name, value);
  return same;
};

it('a look makes neither row nor cookie; an offer makes a cookie; the first write makes the row', async () => {
  expect(await changesBy(at.database, () => call('/look'))).toMatchObject({ changes: nothing });
  expect(browser.session()).toBeUndefined();
  expect(await changesBy(at.database, () => call('/offer'))).toMatchObject({ changes: nothing });
  const offered = browser.session();
  expect(offered).toBeDefined();
  const { changes } = await changesBy(at.database, () => call('/write?a=1'));
  expect(changes.rows).toEqual({ sessions: '+1' });
  expect(browser.session()).toBe(offered);
  expect((await call('/look')).data).toEqual({ a: '1' });
  expect(await rows()).toMatchObject([{ kind: 'guest', admin_user_id: null }]);
});

it('what is written as it was is not written again', async () => {
  await call('/write?a=1');
  const { changes } = await changesBy(at.database, () => call('/look'));
  expect(changes).toEqual(nothing);
});

it('a guest takes along what the session held; the row of before is gone', async () => {
  await call('/write?cart=3');
  expect(await call('/in')).toMatchObject({ staff: staffId, data: { cart: '3' } });
  expect(await rows()).toMatchObject([{ kind: 'user', admin_user_id: staffId, data: { cart: '3' } }]);
  expect(await call('/look')).toMatchObject({ staff: staffId, actor: 'staff' });
  expect(await call('/out')).toMatchObject({ staff: null, data: {} });
  expect(await rows()).toEqual([]);
});

it('a slow request that ends after the sign-out does not bring the session back', async () => {
  await call('/in');
  const slow = call('/slow?a=1', alike(browser));
  await arrived.promise;
  await call('/out');
  gate.resolve();
  await slow;
  expect(await rows()).toEqual([]);
});

it('a slow request of a guest that ends after the sign-in keeps out of the account', async () => {
  await call('/write?a=1');
  const guest = alike(browser);
  const slow = call('/slow?b=1', guest);
  await arrived.promise;
  await call('/in');
  gate.resolve();
  await slow;
  expect((await rows()).map(({ kind, data }) => [kind, data])).toEqual([['user', { a: '1' }]]);
});

it('of first writes at the same time one row comes, with what was written last', async () => {
  await call('/offer');
  await Promise.all(Array.from({ length: 8 }, (_, n) => call(`/write?n=${n}`, alike(browser))));
  const all = await rows();
  expect(all).toHaveLength(1);
  expect(all[0]?.data).toEqual({ n: expect.stringMatching(/^[0-7]$/) });
});

it('a session that waits for its second factor has no rights', async () => {
  await call('/in');
  await at.database.transaction(async ({ knex }) => {
    await knex('sessions').update({ two_factor_pending: true });
  });
  expect(await call('/look')).toMatchObject({ staff: staffId, actor: 'guest' });
});

it('names of a prototype are ordinary names', async () => {
  await call('/write?__proto__=1&constructor=2&toString=3');
  const [row] = await rows();
  expect(row?.data).toMatchObject({ constructor: '2', toString: '3' });
  expect(({} as Record<string, unknown>)['1']).toBeUndefined();
});
