// Who may call the admin API, and for which tenant (licensing 4.1, D19d, D132).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Ctx } from '#kernel/context.ts';
import * as tenants from '#platform/tenants/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';
import { insertWebhook } from '../support/webhooks.ts';

let app: TestApp;
let other: Ctx;
let slug: string;
beforeAll(async () => {
  app = await startApp();
  slug = 'acme';
  const { id } = await tenants.create(app.ctx, { slug, name: 'Acme' });
  other = app.ctx.with({ tenantId: id });
  await insertWebhook(app.ctx, { url: 'https://ours.example/hook' });
  await insertWebhook(other, { url: 'https://acme.example/hook' });
});
afterAll(() => app.close());

/** URLs of the webhooks that a token sees, or the code of its refusal. */
async function seen(secret: string, tenant?: string): Promise<unknown> {
  const headers = tenant === undefined ? {} : { 'X-Tenant': tenant };
  const { body } = await app.admin('/webhooks', { id: '', secret }, { headers });
  return body.error?.code ?? (body.items as unknown as { url: string }[]).map(({ url }) => url);
}

const ours = ['https://ours.example/hook'];
const acme = ['https://acme.example/hook'];

describe('the tenant', () => {
  it('of a token that is bound to one is its own, whatever is asked', async () => {
    const { secret } = await app.adminToken('viewer', {}, other);
    expect(await seen(secret)).toEqual(acme);
    expect(await seen(secret, slug)).toEqual(acme);
    expect(await seen(secret, 'default')).toBe('NOT_FOUND');
    expect(await seen(secret, 'nope')).toBe('NOT_FOUND');
  });

  it('of a token of the whole installation is the one in X-Tenant, else that of the server', async () => {
    const { secret } = await app.adminToken('viewer', { isInstanceWide: true });
    expect(await seen(secret)).toEqual(ours);
    expect(await seen(secret, slug)).toEqual(acme);
    expect(await seen(secret, 'default')).toEqual(ours);
    for (const unknown of ['nope', '', 'ACME', '__proto__', `${slug}, default`, '\u00ff', other.tenantId])
      expect([unknown, await seen(secret, unknown)]).toEqual([unknown, 'NOT_FOUND']);
  });

  it('that is not there and the one of somebody else answer alike', async () => {
    const { secret } = await app.adminToken('viewer', {}, other);
    const ask = (tenant: string) =>
      app.admin('/webhooks', { id: '', secret }, { headers: { 'X-Tenant': tenant } });
    const [foreign, unknown] = [await ask('default'), await ask('nope')];
    expect(foreign.body.error).toEqual(unknown.body.error);
  });

  it('that is suspended closes its own tokens and stays open to those of the installation', async () => {
    const own = await app.adminToken('owner', {}, other);
    const wide = await app.adminToken('owner', { isInstanceWide: true });
    await tenants.suspend(app.ctx, slug);
    const { result, changes } = await app.changesBy(() =>
      app.admin('/webhooks', own, { body: { url: 'https://203.0.114.7/' } }),
    );
    expect([result.status, result.body.error]).toEqual([
      403,
      {
        code: 'INSUFFICIENT_SCOPE',
        message: 'This tenant is suspended',
        details: { reason: 'TENANT_SUSPENDED', required: null, role: 'owner' },
      },
    ]);
    expect(changes).toEqual(nothing);
    expect(await seen(wide.secret, slug)).toEqual(acme);
    await tenants.reinstate(app.ctx, slug);
    expect(await seen(own.secret)).toEqual(acme);
  });
});

describe('the bearer', () => {
  it('is read whatever the letters of its scheme', async () => {
    const { secret } = await app.adminToken('viewer');
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer ']) {
      const { status } = await app.admin('/webhooks', null, {
        headers: { Authorization: `${scheme} ${secret}` },
      });
      expect([scheme, status]).toEqual([scheme, 200]);
    }
  });

  it('of a role that this program does not know may do nothing', async () => {
    const token = await app.adminToken('viewer');
    await app.instance.database.transaction(async ({ knex }) =>
      knex('admin_tokens').where({ id: token.id }).update({ role: 'auditor' }),
    );
    const { status, body } = await app.admin('/webhooks', token);
    expect([status, body.error?.details]).toEqual([403, { required: 'licensing:read', role: 'auditor' }]);
  });

  it('is who the audit log names', async () => {
    const token = await app.adminToken('owner', { name: 'deploy' });
    const { body } = await app.admin('/webhooks', token, { body: { url: 'https://203.0.114.7/' } });
    const rows = await app.instance.database.db
      .knex('audit_log')
      .where({ target_id: String(body.webhook?.id) })
      .select('actor_kind', 'actor_id', 'actor_label', 'via', 'request_id');
    expect(rows).toEqual([
      {
        actor_kind: 'admin',
        actor_id: token.id,
        actor_label: 'deploy',
        via: 'api',
        request_id: expect.any(String),
      },
    ]);
  });

  it('does not open the license API, nor does a cookie the admin API', async () => {
    const { secret } = await app.adminToken('owner');
    expect((await app.get('/api/v1/products', secret)).body.error?.code).toBe('INVALID_API_KEY');
    const { status } = await app.admin('/webhooks', null, { headers: { Cookie: `cart_session=${secret}` } });
    expect(status).toBe(401);
  });
});

describe('pages of other origins', () => {
  it('are opened by nothing, although an API key lists their origin', async () => {
    const shop = 'https://shop.test';
    await app.apiKey('READ_ONLY', { allowedOrigins: [shop] });
    const { secret } = await app.adminToken('owner');
    const asked = { Origin: shop, 'Access-Control-Request-Method': 'GET' };
    const preflight = (path: string) => app.send(path, { method: 'OPTIONS', headers: asked });
    expect((await preflight('/api/v1/products')).status).toBe(204);
    const closed = [
      await preflight('/api/v1/admin/webhooks'),
      await preflight('/api/v1/admin'),
      await preflight('/api/v1/admin/nothing'),
    ];
    expect(closed.map(({ status }) => status)).toEqual([404, 404, 404]);
    const read = await app.admin('/webhooks', { id: '', secret }, { headers: { Origin: shop } });
    expect(read.status).toBe(200);
    for (const { headers } of [...closed, read])
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('guesses (D19d)', () => {
  it('of tokens are counted with those of keys, and end in 429 for that address alone', async () => {
    const limited = await startApp({
      limits: 'on',
      proxyTrust: '127.0.0.1',
      pins: { 'licensing.limits.failures.max': '3' },
    });
    try {
      const token = await limited.adminToken('viewer');
      const ask = async (secret: string, ip = '203.0.113.5') => {
        const headers = { 'X-Forwarded-For': ip };
        return (await limited.admin('/webhooks', { id: '', secret }, { headers })).status;
      };
      for (const guess of ['adm_1', 'adm_1', 'adm_2']) expect(await ask(guess)).toBe(401);
      await limited.get('/api/v1/products', 'alk_nobody', { 'X-Forwarded-For': '203.0.113.5' });
      expect(await ask(token.secret)).toBe(200);
      const headers = { 'X-Forwarded-For': '203.0.113.5' };
      const last = await limited.admin('/webhooks', { id: '', secret: 'adm_3' }, { headers });
      expect([last.status, last.body.error?.code]).toEqual([429, 'RATE_LIMITED']);
      expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
      expect(await ask(token.secret)).toBe(429);
      expect(await ask(token.secret, '203.0.113.6')).toBe(200);
    } finally {
      await limited.close();
    }
  });
});
