// Products with release keys whose private halves are in the hands of the test.
import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { generateSeed, type SigningKey, signingKeyOf } from '#kernel/ed25519.ts';
import * as signingKeys from '#licensing/catalog/keys/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { readKeyEvents, type TestContext } from '../support/context.ts';
import { refusalOf } from '../support/refusal.ts';

export const DAY = 86_400;

/** What the tests of release keys make and ask. */
export function releaseKeyFixture(test: TestContext) {
  const { ctx } = test;
  let made = 0;
  const inDays = (days: number) => addSeconds(ctx.now(), days * DAY);
  const newProduct = (owner: Ctx = ctx) => {
    made += 1;
    return products.create(owner, { name: 'Editor', slug: `editor-${made}` });
  };
  /** A product with an ACTIVE key that is held elsewhere. */
  const keyedProduct = async (owner: Ctx = ctx) => {
    const product = await newProduct(owner);
    const { key, row } = newKey();
    await signingKeys.register(owner, product, row);
    return { product, active: key };
  };
  const plan = async (product: products.Product, active: SigningKey) => {
    const { key: next, row } = newKey();
    const rotation = { next: row, activateAt: inDays(30), old: active };
    return { next, rotated: await signingKeys.rotate(ctx, product, rotation) };
  };
  /** A rotation that is planned for 30 days ahead. */
  const plannedProduct = async () => {
    const { product, active } = await keyedProduct();
    return { product, active, ...(await plan(product, active)) };
  };
  const statusesOf = async (product: products.Product) =>
    Object.fromEntries(
      (await signingKeys.publicKeysForClients(ctx, product.id)).map(({ keyId, status }) => [keyId, status]),
    );
  /** What the audit log has of the keys of a product; what happened in one moment is in no order. */
  const eventsOf = (product: products.Product) => readKeyEvents(test.database, product.id);
  const typesOf = async (product: products.Product) => (await eventsOf(product)).map(({ type }) => type);
  return { ctx, inDays, newProduct, keyedProduct, plan, plannedProduct, statusesOf, eventsOf, typesOf };
}

export function newKey() {
  const key = signingKeyOf(generateSeed());
  return { key, row: { publicKey: key.publicKey, seed: null, label: null } };
}

/** Code and reason of a refusal. */
export async function reasonOf(work: Promise<unknown>) {
  const { code, details } = await refusalOf(work);
  return [code, details.reason];
}
