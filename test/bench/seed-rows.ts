// The rows of a seeded installation, as the program itself would have written them.
import { addSeconds, isoTime, SECONDS_PER_DAY } from '#kernel/clock.ts';
import { type Keyring, sha256Hex } from '#kernel/crypto.ts';
import { newId } from '#kernel/ids.ts';
import { secureRandom } from '#kernel/random.ts';
import {
  canonicalKey,
  DEFAULT_KEY_FORMAT,
  generateKey,
  keyPrefix,
} from '#licensing/catalog/key-formats/index.ts';
import { ids } from '#licensing/contract/ids.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';

/** Column to value; objects and lists are JSON columns. */
export type Row = Record<string, string | number | boolean | null | object>;

/** Rows by table, in an order that respects references. */
export type Tables = [table: string, rows: Row[]][];

const PRODUCTS = 5;
const LICENSES_PER_CUSTOMER = 4;
const HISTORY_DAYS = 400;
const HEARTBEAT_MINUTES = 60;

export interface Catalog {
  productIds: string[];
  tables: Tables;
}

/** Five products with a policy each, which the licenses below share. */
export function catalogRows(nowMs: number): Catalog {
  const at = isoTime(nowMs - (HISTORY_DAYS + 1) * SECONDS_PER_DAY * 1000);
  const stamped = { tenant_id: DEFAULT_TENANT_ID, created_at: at, updated_at: at };
  const policies: Row[] = [];
  const products: Row[] = [];
  for (let i = 1; i <= PRODUCTS; i++) {
    const policyId = newId(ids.policy, nowMs);
    policies.push({
      id: policyId,
      name: `Standard ${i}`,
      heartbeat_interval: HEARTBEAT_MINUTES,
      heartbeat_cull_strategy: 'DEACTIVATE_DEAD',
      entitlements: { export: true, sync: i % 2 === 0, seats: i },
      grace_period_seconds: 7 * SECONDS_PER_DAY,
      trial_reuse: 'FLAG',
      abuse_action: 'NONE',
      ...stamped,
    });
    products.push({
      id: newId(ids.product, nowMs),
      name: `Product ${i}`,
      slug: `product-${i}`,
      type: 'DESKTOP',
      status: 'ACTIVE',
      licensing_mode: 'STANDARD',
      default_license_type: 'PERPETUAL',
      default_max_activations: 3,
      policy_id: policyId,
      metadata: {},
      ...stamped,
    });
  }
  const tables: Tables = [
    ['license_policies', policies],
    ['license_products', products],
  ];
  return { productIds: products.map(({ id }) => id as string), tables };
}

/** Licenses from one number up to another, with what the load client needs to know of them. */
export interface LicenseBatch {
  tables: Tables;
  /** Key and machine of licenses with an activation: for validate and check. */
  held: [key: string, machineId: string][];
  /** Keys of licenses with many free slots: for activate. */
  open: string[];
}

/**
 * Makes a batch of licenses. Every second one is left open for activations; one in five has two machines.
 *
 * @param from number of the first license; @param to number after the last
 */
export function licenseRows(
  keyring: Keyring,
  catalog: Catalog,
  nowMs: number,
  from: number,
  to: number,
  total: number,
): LicenseBatch {
  const customers: Row[] = [];
  const licenses: Row[] = [];
  const keys: Row[] = [];
  const activations: Row[] = [];
  const held: LicenseBatch['held'] = [];
  const open: string[] = [];
  for (let i = from; i < to; i++) {
    const createdMs = nowMs - Math.floor(((total - i) / total) * HISTORY_DAYS * SECONDS_PER_DAY) * 1000;
    if (i % LICENSES_PER_CUSTOMER === 0 || i === from) customers.push(customerRow(i, createdMs));
    const customerId = customers.at(-1)?.id as string;
    const isOpen = i % 2 === 1;
    const productId = catalog.productIds[i % catalog.productIds.length] as string;
    const license = licenseRow(i, { createdMs, nowMs, customerId, productId, isOpen });
    const key = generateKey(DEFAULT_KEY_FORMAT, secureRandom);
    licenses.push(license);
    keys.push(keyRow(keyring, license.id as string, key, createdMs));
    const machines = i % 5 === 0 ? 2 : 1;
    for (let n = 0; n < machines; n++) activations.push(activationRow(i, n, license.id as string, createdMs));
    if (isOpen) open.push(key);
    else held.push([key, activations.at(-1)?.machine_id as string]);
  }
  const tables: Tables = [
    ['license_customers', customers],
    ['licenses', licenses],
    ['license_keys', keys],
    ['license_activations', activations],
  ];
  return { tables, held, open };
}

function customerRow(number: number, createdMs: number): Row {
  const at = isoTime(createdMs);
  return {
    id: newId(ids.customer, createdMs),
    tenant_id: DEFAULT_TENANT_ID,
    email: `Customer.${number}@example.com`,
    email_norm: `customer.${number}@example.com`,
    name: `Customer ${number}`,
    metadata: {},
    created_at: at,
    updated_at: at,
  };
}

function licenseRow(
  number: number,
  one: { createdMs: number; nowMs: number; customerId: string; productId: string; isOpen: boolean },
): Row {
  const at = isoTime(one.createdMs);
  const subscribed = number % 4 === 0;
  return {
    id: newId(ids.license, one.createdMs),
    tenant_id: DEFAULT_TENANT_ID,
    product_id: one.productId,
    customer_id: one.customerId,
    policy_id: null,
    type: subscribed ? 'SUBSCRIPTION' : 'PERPETUAL',
    tier: number % 3 === 0 ? 'PROFESSIONAL' : 'PERSONAL',
    status: 'ACTIVE',
    max_activations: one.isOpen ? 1000 : 3,
    valid_until: subscribed ? addSeconds(isoTime(one.nowMs), 365 * SECONDS_PER_DAY) : null,
    features: number % 3 === 0 ? { seats: 5, beta: true } : null,
    max_version: number % 7 === 0 ? '4' : null,
    max_uses: null,
    current_uses: 0,
    order_id: `order-${number}`,
    metadata: {},
    source: 'API',
    honeypot: false,
    known_activated: true,
    created_at: at,
    updated_at: at,
  };
}

function keyRow(keyring: Keyring, licenseId: string, key: string, createdMs: number): Row {
  return {
    id: newId(ids.licenseKey, createdMs),
    license_id: licenseId,
    digest: keyring.digest('lookup', canonicalKey(key)),
    key_enc: keyring.seal('license-key', key, licenseId),
    prefix: keyPrefix(key),
    kind: 'CURRENT',
    then_honeypot: false,
    created_at: isoTime(createdMs),
  };
}

function activationRow(number: number, machine: number, licenseId: string, createdMs: number): Row {
  const at = isoTime(createdMs);
  return {
    id: newId(ids.activation, createdMs),
    tenant_id: DEFAULT_TENANT_ID,
    license_id: licenseId,
    kind: 'NODE',
    machine_id: sha256Hex(`machine ${number} ${machine}`),
    machine_name: `Workstation ${number}-${machine}`,
    os_name: 'Linux',
    os_version: '6.12',
    app_version: '3.4.1',
    activated_at: at,
    last_seen_at: at,
    created_at: at,
  };
}
