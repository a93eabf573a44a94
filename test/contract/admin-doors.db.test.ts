// Who may call an operation of the admin API, and what it knows of others: read from the declarations themselves.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { includesPermission } from '#kernel/actor.ts';
import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import * as adminTokens from '#platform/admin-tokens/index.ts';
import { PERMISSIONS, type Permission } from '#platform/permissions/index.ts';
import * as roles from '#platform/roles/index.ts';
import type { MadeKey, TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { type AdminCaller, named, openAdminCaller } from './admin-caller.ts';
import { holders } from './admin-permissions.ts';

const closed = named.filter(([, { endpoint }]) => endpoint.scope !== null);

let app: TestApp;
let owner: MadeKey;
let ask: AdminCaller['ask'];
let sharedBy: AdminCaller['sharedBy'];
let foreignCtx: Ctx;
let dead: { expired: MadeKey; revoked: MadeKey; apiKey: MadeKey };
const tokens: Record<string, MadeKey> = {};
let roleCount = 0;
beforeAll(async () => {
  ({ app, owner, ask, sharedBy } = await openAdminCaller());
  for (const role of holders.staff ?? []) tokens[role] = await app.adminToken(role);
  foreignCtx = await app.otherTenant();
  const revoked = await app.adminToken('owner');
  await adminTokens.revoke(app.ctx, revoked.id);
  const expired = await app.adminToken('owner', { expiresAt: addSeconds(app.ctx.now(), 1) });
  app.clock.advance(1);
  dead = { revoked, expired, apiKey: await app.apiKey('FULL_ADMIN') };
});
afterAll(() => app.close());

describe.each(closed)('%s', (_name, one) => {
  it('answers 401 without a live token, and nothing is stored', async () => {
    const headers = (value: string) => ({ headers: { Authorization: value } });
    const { expired, revoked, apiKey } = dead;
    await sharedBy(one);
    const { result, changes } = await app.changesBy(async () => [
      await ask(one, null, null),
      await ask(one, null, null, { key: apiKey.secret }),
      await ask(one, null, null, headers('Bearer')),
      await ask(one, null, null, headers(`Basic ${owner.secret}`)),
      await ask(one, null, null, headers(owner.secret)),
      await ask(one, apiKey, null),
      await ask(one, { id: '', secret: `adm_${'A'.repeat(43)}` }, null),
      await ask(one, expired, null),
      await ask(one, revoked, null),
    ]);
    const none = undefined;
    const reasons = [none, none, none, none, none, 'UNKNOWN', 'UNKNOWN', 'EXPIRED', 'REVOKED'];
    expect(result.map(({ body }) => body.error?.details?.reason)).toEqual(reasons);
    for (const { status, body, headers } of result) {
      expect([status, body.error?.code, headers['www-authenticate']]).toEqual([
        401,
        'UNAUTHORIZED',
        'Bearer',
      ]);
    }
    expect(changes).toEqual(nothing);
  });

  it('opens to the roles that hold its permission and names it to the others, before the body is looked at', async () => {
    const { scope, orScope, body } = one.endpoint;
    const open = [...new Set([scope, orScope].flatMap((some) => holders[some ?? ''] ?? []))];
    const refused = Object.entries(tokens).filter(([role]) => !open.includes(role));
    await sharedBy(one);
    const { result, changes } = await app.changesBy(async () => {
      const codes: Record<string, unknown> = {};
      for (const [role, token] of refused) {
        const reply = await ask(one, token, null, body && { body: 'broken' });
        codes[role] = [reply.status, reply.body.error?.code, reply.body.error?.details?.required];
      }
      return codes;
    });
    const answer = [403, 'INSUFFICIENT_SCOPE', scope];
    expect(result).toEqual(Object.fromEntries(refused.map(([role]) => [role, answer])));
    expect(changes).toEqual(nothing);
    for (const role of open) {
      const { status } = await ask(one, tokens[role] as MadeKey, null, { headers: { 'X-Tenant': 'nope' } });
      expect([role, status]).toEqual([role, 404]);
    }
  });
});

describe.each(closed.filter(([, { endpoint }]) => endpoint.scope !== 'staff'))('%s', (_name, one) => {
  it('opens to a role that holds its permission alone, and not to one that holds every other', async () => {
    const needed = one.endpoint.scope as Permission;
    const other = one.endpoint.orScope as Permission | undefined;
    const opens = (some: Permission) =>
      [needed, other ?? needed].some((each) => includesPermission([some], each));
    const rest = PERMISSIONS.filter((some) => !opens(some));
    const [only, alone, others] = [
      await ownRole([needed]),
      await ownRole([other ?? needed]),
      await ownRole(rest),
    ];
    await sharedBy(one);
    const { result, changes } = await app.changesBy(async () => [
      await ask(one, only, null, { headers: { 'X-Tenant': 'nope' } }),
      await ask(one, alone, null, { headers: { 'X-Tenant': 'nope' } }),
      await ask(one, others, null),
    ]);
    expect(result.map(({ status, body }) => [status, body.error?.details?.required])).toEqual([
      [404, undefined],
      [404, undefined],
      [403, needed],
    ]);
    expect(changes).toEqual(nothing);
  });
});

const ownRoles = new Map<string, Promise<MadeKey>>();
/** A token of a role of the installation's own. */
function ownRole(permissions: readonly Permission[]): Promise<MadeKey> {
  const key = permissions.join();
  const token = ownRoles.get(key) ?? makeRole();
  ownRoles.set(key, token);
  return token;

  async function makeRole(): Promise<MadeKey> {
    roleCount += 1;
    const { name } = await roles.create(app.ctx, { name: `own-${roleCount}`, permissions: [...permissions] });
    return app.adminToken(name);
  }
}

/** An answer without what it repeats of the question. */
const unsaid = (text: string): string => text.replaceAll(/"(?:message|keyId)":"[^"]*"/g, '');

/** That somebody exported what they may see is on record. */
const leftBy = ({ name }: { name: string }, status: number) =>
  name.endsWith('/export') && status === 200 ? { events: ['EXPORTED'], rows: {} } : nothing;

/** What only makes something names nothing of anybody; nor does what changes the one thing of its tenant. */
/** What a path names: a thing of somebody's, by an id. A name that everybody uses, such as that of a report, is nobody's. */
const namesThing = ({ endpoint: { params, path } }: (typeof named)[number][1]): boolean =>
  params !== undefined && !path.includes('/reports/');

const naming = named.filter(
  ([name, { endpoint, everyTenant }]) =>
    !everyTenant && (endpoint.params !== undefined || !/^(?:POST|PUT)/.test(name)),
);

describe.each(naming)('%s', (_name, one) => {
  it('knows nothing of another tenant: its ids are unknown, and nothing of it is in a list', async () => {
    const foreign = await sharedBy(one, foreignCtx);
    const { result, changes } = await app.changesBy(() => ask(one, owner, foreign));
    if (namesThing(one)) expect([result.status, result.body.error?.code]).toEqual([404, 'NOT_FOUND']);
    for (const id of Object.values(foreign)) {
      expect(unsaid(result.text)).not.toContain(id);
    }
    expect(changes).toEqual(leftBy(one, result.status));
  });
});

describe.each(naming)('%s', (_name, one) => {
  it('knows nothing of a product outside of the scope: its ids are unknown, and nothing of it is in a list', async () => {
    const world = await sharedBy(one);
    const mine = await app.product();
    const confined = await app.adminToken('owner', { productIds: [mine.id] });
    const { result, changes } = await app.changesBy(() => ask(one, confined, world));
    const { scope } = one.endpoint;
    // What is everybody's names products in its body, too, and those of others are unknown.
    const readable = scope?.endsWith(':read') ? [undefined] : ['INSUFFICIENT_SCOPE', 'NOT_FOUND'];
    if (namesThing(one))
      expect(one.everyProduct ? readable : ['NOT_FOUND']).toContain(result.body.error?.code);
    for (const id of one.everyProduct ? [] : Object.values(world)) {
      expect(unsaid(result.text)).not.toContain(id);
    }
    expect(changes).toEqual(leftBy(one, result.status));
  });
});
