// Which licenses a search by machine finds (licensing 4.2; D75).
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const found = async ({ q, ...filters }: { q?: string } & Record<string, unknown>, ctx = app.ctx) =>
  (await licenses.licenseRows.page(ctx, { q, filters, offset: 0, limit: 10 })).items.map(({ id }) => id);
const inSeconds = (seconds: number) => new Date(app.clock.epochMs() + seconds * 1000).toISOString();

it('a machine is found by its id and name until its lease has run out, swept or not', async () => {
  const { id, key: licenseKey } = await app.license({ type: 'FLOATING' });
  const machine = { machineId: 'machine-0001', machineName: 'Ännes 100%_Desk' };
  await machines.activate(app.ctx, { licenseKey, ...machine });
  const filters = [{ machineId: 'machine-0001' }, { q: 'machine-0001' }, { q: 'NNES 100%_' }];
  for (const filter of filters) expect(await found(filter)).toEqual([id]);
  for (const q of ['100_', '%Desk%', 'machine-000', 'nobody']) expect(await found({ q })).toEqual([]);
  const other = await app.otherTenant();
  for (const filter of filters) expect(await found(filter, other)).toEqual([]);
  app.clock.advance(3599);
  expect(await found({ staleBefore: inSeconds(0) })).toEqual([id]);
  expect(await found({ staleBefore: inSeconds(-3599) })).toEqual([]);
  app.clock.advance(1);
  for (const filter of [...filters, { staleBefore: inSeconds(0) }]) expect(await found(filter)).toEqual([]);
});
