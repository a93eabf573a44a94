// What the admin API administers, once per tenant, and a right request for every operation of it.
import type { Ctx } from '#kernel/context.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import { register } from '#licensing/catalog/keys/index.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import * as integrations from '#licensing/purchases/integrations/index.ts';
import { keyOf } from '../licensing/release-fixture.ts';
import { delegatedProduct } from '../support/online-key.ts';
import { type KeyWorld, keyBodies, keyPathIn, worldKeys } from './admin-keys.ts';
import { type TransferWorld, transferBodies, transferPathIn, worldTransfers } from './licensing/transfers.ts';
import { settingBodies } from './platform/settings.ts';
import { purchase } from './purchase.ts';
import { mintedLicense } from './staff/minted.ts';

/** Ids of one thing of each kind, all of one tenant. */
export type AdminWorld = {
  integration: string;
  product: string;
  policy: string;
  /** Active on `machine-0001`; its product offers offline tokens. */
  license: string;
} & KeyWorld &
  TransferWorld;

/** A file in the place of backups. */
export const BACKUP = 'appctl-backup-20260101T030000Z.tar.zst';
const secret = 'a secret of the processor';
let made = 0;

/** Makes a world of a ctx's tenant; the loopback interface must be open (LOOPBACK_PINS). */
export async function adminWorld(ctx: Ctx): Promise<AdminWorld> {
  made += 1;
  const product = await products.create(ctx, { name: `Editor ${made}`, slug: `world-${made}` });
  await register(ctx, product, { publicKey: keyOf().publicKey, seed: null, label: null });
  const { config } = await integrations.create(ctx, {
    name: `shop ${made}`,
    processor: 'GENERIC',
    signingSecret: secret,
  });
  await integrations.mapProduct(ctx, config.id, {
    externalProductId: 'plan_1',
    productId: product.id,
    licenseType: 'PERPETUAL',
  });
  return {
    integration: config.id,
    product: product.id,
    policy: (await policies.create(ctx, { name: `policy of world ${made}` })).id,
    license: await activeLicense(ctx),
    ...(await worldKeys(ctx, product)),
    ...(await worldTransfers(ctx)),
  };
}

async function activeLicense(ctx: Ctx): Promise<string> {
  const license = await mintedLicense(ctx);
  await delegatedProduct(ctx, license.product);
  await machines.activate(ctx, { licenseKey: license.key, machineId: 'machine-0001' });
  return license.id;
}

/** The path of an operation with the ids of a world. */
export const pathIn = ({ path }: Pick<Endpoint, 'path'>, world: AdminWorld): string =>
  transferPathIn(keyPathIn(path, world), world)
    .replace('/api/v1/admin', '')
    .replace('licenses/{id}', `licenses/${world.license}`)
    .replace('{configId}', world.integration)
    .replace('{file}', BACKUP)
    .replace('reports/{name}', 'reports/churn')
    .replace('policies/{id}', `policies/${world.policy}`)
    .replace('settings/{key}', 'settings/licensing.trash_days');

/** A right body for every operation that takes one. */
export const bodies: Record<string, (world: AdminWorld) => object> = {
  'POST /policies/{id}/impact': () => ({ changes: { maxVersion: '2' } }),
  'POST /simulate': ({ product }) => ({
    draft: { productId: product, type: 'PERPETUAL', tier: 'PERSONAL' },
    action: 'validate',
    machineId: 'machine-0001',
  }),
  'PUT /abuse/rules': () => ({
    rules: [{ rule: 'CHURN', enabled: false, params: { pairs: 5 } }],
    note: 'noisy',
  }),
  'POST /integrations/{configId}/simulate': () => ({ payload: purchase }),
  'POST /integrations/{configId}/sample': () => ({ email: 'ann@x.test' }),
  'POST /licenses/{id}/usage/reset': () => ({ note: 'a new year' }),
  'POST /licenses/{id}/usage/set': () => ({ current: 7 }),
  'POST /licenses/{id}/activations/clear': () => ({ reason: 'asked for' }),
  'POST /licenses/validate': () => ({ licenseKey: 'ED-AAAA-BBBB-CCCC-DDDD', machineId: 'machine-0001' }),
  'POST /licenses/{id}/offline-token': () => ({ machineId: 'machine-0001', ttlDays: 30 }),
  ...keyBodies,
  ...transferBodies,
  ...settingBodies,
};
