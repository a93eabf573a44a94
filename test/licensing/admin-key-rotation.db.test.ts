// Rotation of a signing key through the admin API: the old key signs on the machine that has it (licensing 4.2; D98).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addSeconds } from '#kernel/clock.ts';
import { generateSeed, type SigningKey, signingKeyOf } from '#kernel/ed25519.ts';
import * as signingKeys from '#licensing/catalog/keys/index.ts';
import type { Product } from '#licensing/catalog/products/index.ts';
import { continuityParts, signContinuity } from '#signing/keys/continuity.ts';
import { type MadeKey, startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';

let app: TestApp;
let owner: MadeKey;
beforeAll(async () => {
  app = await startApp();
  owner = await app.adminToken('owner');
});
afterAll(() => app.close());

const freshKey = (): SigningKey => signingKeyOf(generateSeed());
const soon = (): string => addSeconds(app.ctx.now(), 3600);
const rotate = (product: Product, body: object) =>
  app.admin(`/products/${product.slug}/keys/rotate`, owner, { body });

/** A product whose ACTIVE key is in a file. */
async function signedProduct(): Promise<{ product: Product; active: SigningKey; next: SigningKey }> {
  const [product, active, next] = [await app.product(), freshKey(), freshKey()];
  await signingKeys.register(app.ctx, product, { publicKey: active.publicKey, seed: null, label: null });
  return { product, active, next };
}

describe('the rotation of a key', () => {
  it('takes what the old key signed about the next one, and plans it', async () => {
    const { product, active, next } = await signedProduct();
    const activateAt = soon();
    const told = { product: product.slug, next: next.publicKey, activateAt };
    const continuity = signContinuity(told, active, app.ctx.now());
    const asked = { publicKey: next.publicKey.toString('base64'), activateAt, continuity, label: 'ours' };
    const { status, body } = await rotate(product, { ...asked, oldKeyId: active.keyId });
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        activateAt,
        old: expect.objectContaining({ keyId: active.keyId, status: 'ACTIVE' }),
        next: expect.objectContaining({
          keyId: next.keyId,
          status: 'NEXT',
          label: 'ours',
          activateAt,
          continuity: continuityParts(continuity),
          serverHeld: false,
        }),
      },
    ]);
    const again = await rotate(product, asked);
    expect([again.status, again.body.error?.details?.reason]).toEqual([409, 'ROTATION_PLANNED']);
  });

  it('refuses a statement about something else, of another key, and none where nobody here can sign', async () => {
    const { product, active, next } = await signedProduct();
    const other = await app.product();
    const activateAt = soon();
    const [now, slug] = [app.ctx.now(), product.slug];
    const told = { product: slug, next: next.publicKey, activateAt };
    const statements = {
      product: signContinuity({ ...told, product: other.slug }, active, now),
      key: signContinuity({ ...told, next: freshKey().publicKey }, active, now),
      time: signContinuity({ ...told, activateAt: addSeconds(activateAt, 1) }, active, now),
      signer: signContinuity(told, freshKey(), now),
      itself: signContinuity(told, next, now),
      altered: signContinuity(told, active, now).replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')),
      nothing: 'continuity/e30.e30',
    };
    const asked = { publicKey: next.publicKey.toString('base64'), activateAt };
    const { changes } = await app.changesBy(async () => {
      for (const [what, continuity] of Object.entries(statements)) {
        const { status, body } = await rotate(product, { ...asked, continuity });
        expect([what, status, body.error?.code]).toEqual([what, 400, 'VALIDATION_ERROR']);
      }
      const unsigned = await rotate(product, asked);
      expect([unsigned.status, unsigned.body.error?.details?.reason]).toEqual([400, 'NOT_HELD']);
      const wrong = await rotate(product, { ...asked, oldKeyId: next.keyId });
      expect([wrong.status, wrong.body.error?.details?.reason]).toEqual([409, 'WRONG_KEY']);
      expect((await rotate(other, { generate: true, activateAt })).body.error?.details?.reason).toBe(
        'NO_ACTIVE_KEY',
      );
    });
    expect(changes).toEqual(nothing);
  });

  it('is signed by the server where it holds the old key, and makes the next one there', async () => {
    const product = await app.product();
    const seed = generateSeed();
    const { publicKey, keyId } = signingKeyOf(seed);
    await signingKeys.register(app.ctx, product, { publicKey, seed, label: null });
    const activateAt = soon();
    const { result, changes } = await app.changesBy(() =>
      app.admin(`/products/${product.id}/keys/rotate`, owner, {
        body: { generate: true, activateAt },
        headers: { 'Dry-Run': 'true' },
      }),
    );
    expect([result.status, changes]).toEqual([200, nothing]);
    const { body } = await rotate(product, { generate: true, activateAt, note: 'yearly' });
    expect(body).toMatchObject({ old: { keyId }, next: { status: 'NEXT', serverHeld: true } });
  });

  it.each([
    [{}, 'publicKey'],
    [{ generate: true, nextKeyId: '0123456789abcdef' }, 'publicKey'],
    [{ generate: true, continuity: 'continuity/x.y' }, 'continuity'],
    [{ nextKeyId: 'x' }, 'nextKeyId'],
    [{ generate: true, activateAt: 'soon' }, 'activateAt'],
    [{ generate: true, activateAt: '2020-01-01T00:00:00Z' }, 'takes over has passed'],
  ])('%j is refused', async (more, named) => {
    const { product } = await signedProduct();
    const { status, text } = await rotate(product, { activateAt: soon(), ...more });
    expect([status, text]).toEqual([400, expect.stringContaining(named)]);
  });
});
