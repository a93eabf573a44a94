// An installation with something of every kind that a native export holds.
import type { Ctx } from '#kernel/context.ts';
import * as customers from '#licensing/catalog/customers/index.ts';
import * as keyFormats from '#licensing/catalog/key-formats/index.ts';
import { register } from '#licensing/catalog/keys/index.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { activate } from '#licensing/licenses/machines/index.ts';
import * as usage from '#licensing/licenses/usage/index.ts';
import { type ExportAsked, exportNative } from '#licensing/moving/portability/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import type { TestContext } from '../support/context.ts';
import { bundleOf, drafted, keyOf, published, signed } from './release-fixture.ts';

/** A license whose key was replaced, with both keys. */
export interface Filled {
  id: string;
  key: string;
  replaced: string;
}

/** A release that came from another channel. */
async function promoted(ctx: Ctx, product: products.Product): Promise<void> {
  const made = { changelog: 'erste', rolloutPercent: 10, platform: 'linux', channel: 'beta' } as const;
  const { id } = await published(ctx, product, '1.0.0', made);
  const said = { product: 'editor', version: '1.0.0', platform: 'linux', sequence: 7 };
  const { statement, statementSignature } = signed(bundleOf('editor 1.0.0'), said, { now: ctx.now() });
  await releases.promote(ctx, id, { channel: 'stable', statement, statementSignature });
}

/** Something of every kind, and of every state that a row may be in. */
export async function fill({ ctx, clock }: TestContext): Promise<Filled> {
  const format = await keyFormats.create(ctx, { name: 'long', prefix: 'ED', segments: 5 });
  await tenants.update(ctx, 'default', {
    name: 'Main',
    hostnames: ['keys.x.test'],
    defaultKeyFormatId: format.id,
  });
  const policy = await policies.create(ctx, {
    name: 'office',
    gracePeriodSeconds: 60,
    entitlements: { export: true },
    maxDeactivations: 3,
    deactivationWindowDays: 30,
    maxUses: 100,
  });
  const editor = await products.create(ctx, {
    name: 'Editor',
    slug: 'editor',
    policyId: policy.id,
    keyFormatId: format.id,
    metadata: { kind: 'ü' },
  });
  await register(ctx, editor, { publicKey: keyOf().publicKey, seed: null, label: 'root' });
  await promoted(ctx, editor);
  await drafted(ctx, editor, '1.1.0-rc.1', { channel: 'rc', statement: null, requiredEntitlements: ['pro'] });
  const mint = async (extra: Partial<licenses.AdminCreateInput> = {}, own = ctx, productId = editor.id) => {
    const input = { customerEmail: 'Ann@X.test', ...extra, productId } as licenses.AdminCreateInput;
    const { license } = await licenses.create(own, input, { source: 'CLI', idempotency: null });
    return { id: license.id, key: String(licenses.licenseView(own, license, { reveal: true }).key) };
  };
  const metered = await mint({
    maxActivations: 2,
    features: { seats: 5 },
    metadata: { team: 'blue', a: { b: [1, null] } },
    notes: 'n',
  });
  for (const machineId of ['machine-0001', 'machine-0002']) {
    await activate(ctx, { licenseKey: metered.key, machineId, machineName: `My ${machineId}` });
  }
  await usage.set(ctx, metered.id, 42);
  clock.advance(10);
  await licenses.update(ctx, metered.id, { maxActivations: 1 });
  const floating = await mint({ type: 'FLOATING', maxActivations: 5, policyId: policy.id });
  await activate(ctx, { licenseKey: floating.key, machineId: 'machine-0003' });
  const { newKey } = await licenses.replaceKey(ctx, floating.id, { reason: 'leak', overlapSeconds: 3600 });
  const suspended = await mint({ customerEmail: 'bob@x.test', customerName: 'Bob', key: 'Own-Spelling-01' });
  await licenses.suspend(ctx, suspended.id, { reason: 'ADMIN', note: null });
  const revoked = await mint({ validUntil: '2020-01-01T00:00:00.000Z' });
  await licenses.revoke(ctx, { licenseId: revoked.id }, 'refund');
  const trashed = await mint();
  await licenses.trash(ctx, trashed.id, null);
  await customers.create(ctx, { email: 'lonely@x.test', metadata: { note: 'has none' } });
  const tenant = await tenants.create(ctx, { slug: 'other', name: 'Other' });
  const other = ctx.with({ tenantId: tenant.id });
  const theirs = await products.create(other, { name: 'Theirs', slug: 'editor' });
  await mint({ orderId: 'O-1' }, other, theirs.id);
  return { id: floating.id, key: newKey, replaced: floating.key };
}

/** A native export as text; with keys and of every tenant unless `more` says otherwise. */
export async function exported(own: TestContext, more: Partial<ExportAsked> = {}): Promise<string> {
  let text = '';
  const asked = { tenantIds: null, includeKeys: true, ...more };
  for await (const part of exportNative(own.ctx, asked)) text += part;
  return text;
}

/** Without the header, which tells the time. Postgres keeps the entries of an object in an order of its own. */
export const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
