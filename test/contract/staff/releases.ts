// Releases: a draft that may be published, a published and a withdrawn one, each for the operations that are right then.
import type { Ctx } from '#kernel/context.ts';
import { register } from '#licensing/catalog/keys/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { touch } from '#licensing/releases/bundles/repository.ts';
import { releaseRecord } from '#licensing/releases/releases/record.ts';
import { insert, toRow } from '#licensing/releases/releases/repository.ts';
import { releaseResource } from '#licensing/releases/releases/resource.ts';
import { bundleOf, drafted, keyOf, signed } from '../../licensing/release-fixture.ts';
import { type ResourceSample, seedRows } from '../../support/resource-sample.ts';

const bytes = bundleOf('the world');
let made = 0;

/** A signed draft of the bundle, made once per installation: all samples of it share one bundle. */
const models = new WeakMap<object, ReturnType<typeof drafted>>();

function modelOf(ctx: Ctx, product: products.Product) {
  const known = models.get(ctx.storage) ?? drafted(ctx, product, '1.0.0', { bytes, statement: null });
  models.set(ctx.storage, known);
  return known;
}

async function signedProduct(ctx: Ctx): Promise<products.Product> {
  const product = await products.create(ctx, { name: 'Released', slug: `released-${made++}` });
  await register(ctx, product, { publicKey: keyOf().publicKey, seed: null, label: null });
  return product;
}

/** The state that each operation is right in. */
const stateFor = (operation: string): 'DRAFT' | 'PUBLISHED' | 'YANKED' => {
  if (operation.endsWith('/unyank')) return 'YANKED';
  return /\/(yank|archive|rollout|promote|stats|bulk)$/.test(operation) ? 'PUBLISHED' : 'DRAFT';
};

const SIGNATURE = `${'A'.repeat(86)}==`;

const SHA256 = '0'.repeat(64);

/** A release without anything but a bundle that is nowhere. */
const draft = {
  bundleFilename: null,
  bundleSize: 1,
  bundleSha256: SHA256,
  bundleSha512: null,
  keyId: null,
  extraSignatures: {},
  statement: null,
  statementSignature: null,
  sequence: null,
  formerSequences: {},
  statementExpiresAt: null,
  requiresMigration: false,
  minFromVersion: null,
  requiredEntitlements: [],
  rollout: { bps: 10_000, paused: false, schedule: [] },
  archivedAt: null,
  yankedAt: null,
  yankedReason: null,
} as const;

export const releaseSample: ResourceSample = {
  resource: releaseResource,
  rows: {
    'GET /releases': 'licensing:read',
    'GET /releases/export': 'licensing:read',
    'GET /releases/{id}': 'licensing:read',
    'GET /releases/{id}/stats': 'licensing:read',
    'POST /releases': 'licensing:write',
    'POST /releases/bulk': 'licensing:write',
    'PATCH /releases/{id}': 'licensing:write',
    'DELETE /releases/{id}': 'licensing:write',
    'PUT /releases/{id}/bundle': 'licensing:write',
    'PUT /releases/{id}/signature': 'licensing:write',
    'POST /releases/{id}/publish': 'licensing:write',
    'POST /releases/{id}/yank': 'licensing:write',
    'POST /releases/{id}/unyank': 'licensing:write',
    'POST /releases/{id}/archive': 'licensing:write',
    'POST /releases/{id}/rollout': 'licensing:write',
    'POST /releases/{id}/promote': 'licensing:write',
  },
  async make(ctx, operation) {
    const product = await signedProduct(ctx);
    const state = stateFor(operation);
    const at = ctx.now();
    const release = {
      ...(await modelOf(ctx, product)),
      id: ctx.newId('rel'),
      tenantId: ctx.tenantId,
      productId: product.id,
      productSlug: product.slug,
      version: '2.0.0',
      createdAt: at,
      updatedAt: at,
      state,
      ...(state !== 'DRAFT' && { publishedAt: at }),
      ...(state === 'YANKED' && { yankedAt: at, yankedReason: 'x' }),
    };
    await ctx.tx((ctx) => insert(ctx, release));
    return { id: release.id, product: product.id };
  },
  bodies: {
    'POST /releases': ({ product }) => ({ productId: product, version: '3.0.0', note: 'next' }),
    'PATCH /releases/{id}': () => ({ changelog: 'what is new', rolloutPercent: 12.5 }),
    'PUT /releases/{id}/signature': () => ({ ...signed(bytes), extra: { tauri: 'c2ln' } }),
    'POST /releases/{id}/publish': () => ({ rolloutPercent: 10, note: 'first ten' }),
    'POST /releases/{id}/yank': () => ({ reason: 'crashes', note: 'x' }),
    'POST /releases/{id}/unyank': () => ({}),
    'POST /releases/{id}/archive': () => ({ note: 'old' }),
    'POST /releases/{id}/rollout': () => ({ percent: 50 }),
    'POST /releases/{id}/promote': () => ({ channel: 'rc' }),
  },
  uploads: {
    'PUT /releases/{id}/bundle': { body: bytes, headers: { 'Content-Type': 'application/octet-stream' } },
  },
  async seed(ctx, n) {
    const named = async (slug: string) =>
      (await products.find(ctx, slug)) ?? (await products.create(ctx, { name: 'S', slug }));
    const owners = n === 0 ? [] : [await named('seeded'), await named('seeded-too')];
    const bundle = { sha256: SHA256, size: 1, sha512: '', location: 'nowhere' };
    await ctx.tx((ctx) => touch(ctx, bundle, ctx.now()));
    await seedRows(ctx, releaseRecord.table, n, (i) => {
      const product = owners[i % 6 === 0 ? 1 : 0] as products.Product;
      const at = i % 4 < 2 ? '2020-01-01T00:00:00.000Z' : ctx.now();
      return toRow({
        ...draft,
        id: ctx.newId('rel'),
        tenantId: ctx.tenantId,
        productId: product.id,
        productSlug: product.slug,
        version: `1.0.${i}`,
        channel: i % 2 === 0 ? 'beta' : 'stable',
        platform: i % 3 === 0 ? 'linux' : '',
        arch: i % 4 === 0 ? 'x64' : '',
        // The first characters are what a spreadsheet would run.
        changelog: i % 7 === 0 ? '=1+1' : 'better',
        isCritical: i % 5 === 0,
        state: i % 2 === 0 ? 'DRAFT' : 'PUBLISHED',
        signature: i % 4 === 0 ? null : SIGNATURE,
        publishedAt: i % 2 === 0 ? null : at,
        createdAt: at,
        updatedAt: ctx.now(),
      });
    });
  },
  filters: {
    q: '=1+',
    productId: 'seeded',
    channel: 'beta',
    state: 'PUBLISHED',
    platform: 'linux',
    arch: 'x86_64',
    signed: 'true',
    critical: 'true',
    createdFrom: '2021-01-01T00:00:00Z',
    createdTo: '2021-01-01T00:00:00Z',
    publishedFrom: '2021-01-01T00:00:00Z',
    publishedTo: '2021-01-01T00:00:00Z',
  },
  bulk: { action: 'archive' },
};
