// What a checkout attaches to its seat comes back: in the seat's answers and events, to staff and in the export (D51, D77).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { exportNative } from '#licensing/moving/portability/index.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let apiKey: string;
beforeAll(async () => {
  app = await startApp();
  apiKey = (await app.apiKey('VALIDATE_ONLY')).secret;
});
afterAll(() => app.close());

const call = async (name: string, body: object) =>
  (await app.post(`/api/v1/license/${name}`, { machineId: 'machine-a', ...body }, apiKey)).body;
const checkout = (body: object) => call('checkout', body);
const floating = (extra: Parameters<TestApp['license']>[0] = {}) =>
  app.license({ type: 'FLOATING', validUntil: null, maxActivations: 1, ...extra });
const lastEvent = async (id: string, type: string) =>
  (await app.eventsOf(id)).filter((event) => event.type === type).at(-1)?.data;

describe('what a checkout attaches', () => {
  const metadata = { room: 'studio 2', seat: { row: 4 } };

  it('is read in every answer about the seat, by staff, and in the export', async () => {
    const { id, key } = await floating({ maxActivations: 2 });
    const taken = await checkout({ key, metadata });
    expect(taken.activation).toMatchObject({ metadata });
    // The extension keeps what the first call attached (D77).
    expect((await checkout({ key, metadata: { b: 2 } })).activation).toMatchObject({ metadata });
    for (const name of ['validate', 'activate'])
      expect((await call(name, { licenseKey: key })).activation).toMatchObject({ metadata });
    const bare = (await checkout({ key, machineId: 'machine-b' })).activation;
    expect(bare).not.toHaveProperty('metadata');
    const listed = await licenses.listActivations(app.ctx, id);
    expect(listed.map((one) => one.metadata)).toEqual([metadata, null]);
    let lines = '';
    const asked = { kinds: ['activation'], tenantIds: [app.ctx.tenantId], includeKeys: false } as const;
    for await (const text of exportNative(app.ctx, asked)) lines += text;
    expect(lines).toContain(`"metadata":${JSON.stringify(metadata)}`);
  });

  it('is in the events of the seat, whoever ends it', async () => {
    const { id, key } = await floating();
    const details = { details: { metadata } };
    await checkout({ key, metadata });
    expect(await lastEvent(id, 'SEAT_CHECKED_OUT')).toMatchObject(details);
    await call('checkin', { key });
    expect(await lastEvent(id, 'SEAT_CHECKED_IN')).toMatchObject(details);
    await checkout({ key, metadata, leaseDuration: 60 });
    app.clock.advance(60);
    await checkout({ key, machineId: 'machine-b' });
    expect(await lastEvent(id, 'LEASE_EXPIRED')).toMatchObject(details);
    expect(await lastEvent(id, 'SEAT_CHECKED_OUT')).toMatchObject({ details: { metadata: null } });
    const cleared = await floating();
    await checkout({ key: cleared.key, metadata });
    await machines.clear(app.ctx, cleared.id);
    expect(await lastEvent(cleared.id, 'SEAT_CHECKED_IN')).toMatchObject(details);
  });
});
