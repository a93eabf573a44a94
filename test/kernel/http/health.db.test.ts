// GET /api/health and what stands around the APIs: pages, metrics, documents (D8, D32, D33, M17, M24).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { nothing } from '../../support/database-changes.ts';

describe('a server', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());

  it('answers 200 with exactly the documented fields, without a key, and writes nothing', async () => {
    const { result, changes } = await app.changesBy(() => app.get('/api/health'));
    expect(result.status).toBe(200);
    expect(result.body).toEqual({
      success: true,
      status: 'ok',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    expect(result.headers['set-cookie']).toBeUndefined();
    expect(changes).toEqual(nothing);
  });

  it.each([
    '/api/docs',
    '/api/docs/openapi.json',
    '/api/v1/admin/nothing',
    '/jobs/run',
    '/cron',
    '/hooks/x.ts',
  ])('%s is 404', async (path) => {
    const { status, text } = await app.get(path);
    expect(status).toBe(404);
    expect(text.startsWith('{')).toBe(path.startsWith('/api'));
  });

  it.each(['/', '/nothing', '/assets/../package.json', '/assets/page.css'])(
    '%s is no API: a page or a file with its own headers',
    async (path) => {
      const { headers } = await app.get(path);
      expect(headers['content-type']).toMatch(/^text\/(?:html|css)/);
      expect(headers['x-powered-by']).toBeUndefined();
    },
  );

  it('pages carry a policy that runs no inline script', async () => {
    const { headers } = await app.get('/');
    expect(headers['content-security-policy']).toContain("default-src 'self'");
    expect(headers['content-security-policy']).not.toContain('unsafe');
  });
});

describe('a server whose database is gone', () => {
  it('answers 503 in the documented form, and requests 500 without a word of the cause', async () => {
    const app = await startApp();
    const { secret } = await app.apiKey('READ_ONLY');
    await app.instance.database.close();
    const health = await app.get('/api/health');
    expect(health.status).toBe(503);
    expect(health.body).toEqual({
      success: false,
      status: 'degraded',
      timestamp: expect.any(String),
      error: { code: 'SERVER_ERROR', message: 'The database cannot be read or written' },
    });
    const reply = await app.get('/api/v1/products', secret);
    expect([reply.status, reply.body.error]).toEqual([
      500,
      { code: 'SERVER_ERROR', message: 'Unexpected error' },
    ]);
    // It closes its database once more, which Postgres refuses; what was made is removed in any case.
    await app.close().catch(() => undefined);
  });
});
