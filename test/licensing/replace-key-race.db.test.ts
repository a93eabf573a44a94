// Keys are replaced and licenses trashed here while another process activates with the old key: whoever comes after
// the change is refused, and nothing that came before it survives it (C1 to C3, D42, D130).
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import type { Instance } from '../../src/app/instance.ts';
import { type Installation, prepareInstallation } from '../cli/prepared-installation.ts';
import { type Activator, startActivator } from '../support/activator.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';
import { checkInvariants } from '../support/invariants.ts';
import { newestEvents } from '../support/timeline.ts';

const ROUNDS = 5;
const MACHINES = Array.from({ length: 20 }, (_, index) => `machine-${index}-of-many`);
let database: FreshDatabase;
let installation: Installation;
let instance: Instance;
let activator: Activator;
beforeAll(async () => {
  database = await migratedDatabaseUrl();
  installation = await prepareInstallation(database.url);
  instance = await installation.open();
  activator = await startActivator(installation.cwd, {
    APPCTL_DATA_DIR: join(installation.cwd, 'data'),
    APPCTL_DATABASE_URL: database.url,
  });
  await products.create(instance.ctx, { name: 'Editor', slug: 'editor' });
});
afterAll(async () => {
  await activator.stop();
  await instance.close();
  installation.remove();
  await database.drop();
});

async function makeLicense() {
  const input = { productId: 'editor', customerEmail: 'ann@x.test', maxActivations: 100 };
  const { license } = await licenses.create(instance.ctx, input, { source: 'CLI', idempotency: null });
  return { id: license.id, key: String(licenses.licenseView(instance.ctx, license, { reveal: true }).key) };
}

const eventsOf = async (id: string) => (await newestEvents(instance.ctx, id, 1000)).map(({ type }) => type);

/** Waits until the other process has begun, so that the two do meet. */
async function firstActivation(id: string): Promise<void> {
  while ((await licenses.listActivations(instance.ctx, id)).length === 0);
}

it('replaceKey with deactivateAll leaves no machine that came in by the old key', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id, key } = await makeLicense();
    const activating = activator.activate(key, MACHINES);
    await firstActivation(id);
    await licenses.replaceKey(instance.ctx, id, { reason: 'race', deactivateAll: true });
    const outcomes = await activating;
    expect(new Set(outcomes)).toSatisfy((set: Set<string>) => set.has('activated'));
    expect(outcomes.filter((one) => one !== 'activated' && one !== 'NOT_FOUND')).toEqual([]);
    expect(await licenses.listActivations(instance.ctx, id)).toEqual([]);
    const events = await eventsOf(id);
    const count = (type: string) => events.filter((one) => one === type).length;
    expect(count('LICENSE_DEACTIVATED')).toBe(count('LICENSE_ACTIVATED'));
    expect(count('LICENSE_ACTIVATED')).toBe(outcomes.filter((one) => one === 'activated').length);
  }
});

it('trash leaves no live machine, and tells of each that there was', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { id, key } = await makeLicense();
    const activating = activator.activate(key, MACHINES);
    await firstActivation(id);
    await licenses.trash(instance.ctx, id, 'race');
    const outcomes = await activating;
    expect(outcomes.filter((one) => one !== 'activated' && one !== 'NOT_FOUND')).toEqual([]);
    const timeline = await newestEvents(instance.ctx, id, 1000);
    const deleted = timeline.find(({ type }) => type === 'LICENSE_DELETED');
    const details = deleted?.data.details as { deactivatedMachineIds: string[] } | undefined;
    const activated = outcomes.filter((one) => one === 'activated');
    expect(details?.deactivatedMachineIds).toHaveLength(activated.length);
  }
});

it('the invariants of stored licenses hold afterwards', async () => {
  expect(await checkInvariants(instance.ctx)).toMatchObject({ status: 'ok' });
});
