// `features.license = off`: the license API and its admin API are gone and their jobs rest; what belongs to the
// platform stays, and so does everything that is stored.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '#kernel/config/load.ts';
import { gather } from '#kernel/gather.ts';
import { licensingCapabilities } from '#licensing/index.ts';
import { servedCapabilities } from '../../src/app/capabilities.ts';
import { serve } from '../../src/app/serve.ts';
import { startApp, type TestApp } from '../support/app.ts';

/** Those of the service; staff's own accounts, roles, settings and the audit log belong to the platform. */
const { endpoints, adminEndpoints } = gather(licensingCapabilities);
const ofService = [...endpoints, ...adminEndpoints];

describe('a server without the license service', () => {
  let app: TestApp;
  let apiKey: string;
  let adminToken: string;
  beforeAll(async () => {
    app = await startApp({ licensing: 'off', productionMode: false });
    apiKey = (await app.apiKey('FULL_ADMIN')).secret;
    adminToken = (await app.adminToken('owner')).secret;
  });
  afterAll(() => app.close());

  it('answers every endpoint of the license API and of its admin API with 404, with and without a credential', async () => {
    expect(ofService.length).toBeGreaterThan(60);
    const found: string[] = [];
    for (const { method, path } of ofService) {
      const address = path.replaceAll(/:(\w+)/g, 'x');
      const sent = { method: method.toUpperCase(), headers: { Authorization: `Bearer ${adminToken}` } };
      for (const credential of [{ ...sent, key: apiKey, headers: {} }, sent, { method: sent.method }]) {
        const { status, body } = await app.send(address, credential);
        if (status !== 404 || !JSON.stringify(body).includes('"code":"NOT_FOUND"'))
          found.push(`${method} ${path}: ${status}`);
      }
    }
    expect(found).toEqual([]);
  });

  it('is in good health, and its API reference shows nothing of the service', async () => {
    expect((await app.get('/api/health')).status).toBe(200);
    expect((await app.get('/')).status).toBe(200);
    // The test clock of a development installation belongs to the platform.
    const reference = await app.get('/api/docs/openapi.json');
    const shown = Object.keys(reference.body.paths as object);
    expect(shown).toEqual(expect.arrayContaining(['/api/health', '/api/v1/admin/dev/clock']));
    const own = new Set(ofService.map(({ path }) => path));
    expect(shown.filter((path) => own.has(path))).toEqual([]);
  });

  it('runs none of the jobs of the service, and those of the platform', async () => {
    const served = servedCapabilities(app.instance.config);
    const jobs = served.flatMap((one) => one.jobs ?? []).map(({ name }) => name);
    const resting = licensingCapabilities.flatMap((one) => one.jobs ?? []).map(({ name }) => name);
    expect(resting).toContain('license-expiry');
    expect(jobs.length).toBeGreaterThan(0);
    expect(jobs.filter((name) => resting.includes(name))).toEqual([]);
  });

  it('keeps what is stored: the same installation with the service answers again', async () => {
    const { key } = await app.license();
    const config = { ...app.instance.config, features: { license: true, store: true } };
    const { dataDir } = config;
    const sources = await loadConfig({ cwd: dataDir, env: { APPCTL_DATA_DIR: dataDir } });
    const running = await serve({ ...app.instance, config, close: async () => undefined }, sources);
    const reply = await fetch(`${running.localUrl}/api/v1/license/activate`, {
      method: 'POST',
      headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ licenseKey: key, machineId: 'machine-1' }),
    });
    expect([reply.status, await reply.json()]).toEqual([200, expect.objectContaining({ success: true })]);
    await running.stop();
  });
});
