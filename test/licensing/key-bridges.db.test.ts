// A key takes over when clients that know only the old one can follow (decision 0026).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as signingKeys from '#licensing/catalog/keys/index.ts';
import { bridgesOf } from '#licensing/catalog/keys/release/bridges.ts';
import type { SignedRelease } from '#licensing/catalog/keys/release/queries.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { published } from './release-fixture.ts';
import { DAY, reasonOf, releaseKeyFixture } from './release-key-fixture.ts';

const SINCE = '2026-03-01T00:00:00.000Z';
const release = (more: Partial<SignedRelease>): SignedRelease => ({
  version: '1.0.0',
  channel: 'stable',
  platform: '',
  arch: '',
  publishedAt: '2026-02-01T00:00:00.000Z',
  isOffered: true,
  ...more,
});
const bridge = (more: Partial<SignedRelease> = {}) =>
  release({ version: '2.0.0', publishedAt: '2026-03-02T00:00:00.000Z', ...more });

describe('who can follow', () => {
  it.each<[string, SignedRelease[], string[]]>([
    ['nobody was offered anything', [], []],
    ['only what can embed both keys was offered', [bridge()], []],
    ['nothing leads over', [release({})], ['any platform']],
    ['a release leads everybody over', [release({}), bridge()], []],
    ['it was withdrawn', [release({}), bridge({ isOffered: false })], ['any platform']],
    [
      'one platform is missing',
      [
        release({ platform: 'windows', arch: 'x86_64' }),
        release({ platform: 'darwin', arch: 'aarch64' }),
        bridge({ platform: 'windows', arch: 'x86_64' }),
      ],
      ['darwin/aarch64'],
    ],
    [
      'one release is for every processor',
      [release({ platform: 'darwin', arch: 'aarch64' }), bridge({ platform: 'darwin', arch: 'universal' })],
      [],
    ],
    ['clients of stable are not offered beta', [release({}), bridge({ channel: 'beta' })], ['any platform']],
    ['clients of beta are offered stable', [release({ channel: 'beta' }), bridge()], []],
  ])('%s', (_, signed, stranded) => {
    expect(bridgesOf(signed, SINCE).stranded).toEqual(stranded);
  });
});

let test: TestContext;
let fixture: ReturnType<typeof releaseKeyFixture>;
beforeAll(async () => {
  test = await openTestContext();
  fixture = releaseKeyFixture(test);
});
afterAll(() => test.close());

/** A product whose clients were offered 1.0.0 before another key was planned. */
async function rotatedProduct() {
  const { ctx } = test;
  const { product, active } = await fixture.keyedProduct();
  await published(ctx, product, '1.0.0', { key: active });
  test.clock.advance(1);
  const { next } = await fixture.plan(product, active);
  return { product, active, next };
}

describe('activation by hand', () => {
  it('is refused without a bridging release and changes nothing', async () => {
    const { product, active, next } = await rotatedProduct();
    const statuses = await fixture.statusesOf(product);
    expect(await reasonOf(signingKeys.activate(test.ctx, next.keyId))).toEqual([
      'CONFLICT',
      'NO_BRIDGING_RELEASE',
    ]);
    expect(await fixture.statusesOf(product)).toEqual(statuses);
    expect(await signingKeys.bridgesTo(test.ctx, next.keyId)).toEqual({
      oldKeyId: active.keyId,
      bridges: { releases: [], stranded: ['any platform'] },
    });
  });

  it('goes on with one, or when clients may be left behind', async () => {
    const { ctx } = test;
    const bridged = await rotatedProduct();
    await published(ctx, bridged.product, '2.0.0', { key: bridged.active });
    expect((await signingKeys.bridgesTo(ctx, bridged.next.keyId))?.bridges).toMatchObject({
      releases: [{ version: '2.0.0' }],
      stranded: [],
    });
    expect(await signingKeys.activate(ctx, bridged.next.keyId)).toMatchObject({
      retired: bridged.active.keyId,
    });
    const leaked = await rotatedProduct();
    expect(
      await signingKeys.activate(ctx, leaked.next.keyId, null, { strandOldClients: true, note: 'leaked' }),
    ).toMatchObject({ retired: leaked.active.keyId });
    expect(await fixture.eventsOf(leaked.product)).toContainEqual({
      type: 'SIGNING_KEY_ACTIVATED',
      data: {
        slug: leaked.product.slug,
        keyId: leaked.next.keyId,
        before: leaked.active.keyId,
        note: 'leaked',
      },
    });
  });

  it('does not count a release that comes out later', async () => {
    const { product, active, next } = await rotatedProduct();
    const at = fixture.inDays(1);
    await published(test.ctx, product, '2.0.0', { key: active, at });
    expect(await reasonOf(signingKeys.activate(test.ctx, next.keyId))).toEqual([
      'CONFLICT',
      'NO_BRIDGING_RELEASE',
    ]);
    test.clock.advance(DAY);
    expect(await signingKeys.activate(test.ctx, next.keyId)).toMatchObject({ changed: true });
  });
});

it('the job lets a key wait whose time has come, until a release leads over', async () => {
  const { ctx } = test;
  const { product, active, next } = await rotatedProduct();
  test.clock.advance(31 * DAY);
  expect(await signingKeys.activateDue(ctx)).toMatchObject({ activated: 0 });
  expect(await fixture.statusesOf(product)).toMatchObject({ [next.keyId]: 'NEXT' });
  const { id } = await published(ctx, product, '2.0.0', { key: active });
  await releases.yank(ctx, id, { reason: 'broken' });
  expect(await signingKeys.activateDue(ctx)).toMatchObject({ activated: 0 });
  await published(ctx, product, '2.0.1', { key: active });
  expect(await signingKeys.activateDue(ctx)).toMatchObject({ activated: 1 });
  expect(await fixture.statusesOf(product)).toEqual({ [active.keyId]: 'RETIRED', [next.keyId]: 'ACTIVE' });
});
