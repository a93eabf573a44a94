// A release of a product, published through the program itself: signed with a key that only this process has.
import { createHash } from 'node:crypto';
import type { Ctx } from '#kernel/context.ts';
import { generateSeed, type SigningKey, signingKeyOf } from '#kernel/ed25519.ts';
import * as signingKeys from '#licensing/catalog/keys/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { signStatement } from '#signing/releases/statement.ts';

const VERSION = '4.0.0';
/** As long as changelogs mostly are. */
const CHANGELOG = 'Faster start, fewer faults, and what else was asked for. '.repeat(10);

type Product = { id: string; slug: string };

/** Publishes version 4.0.0 of a product, with a signed statement. */
export async function publishRelease(
  ctx: Ctx,
  product: Product,
  bundle: AsyncIterable<Uint8Array>,
): Promise<releases.Release> {
  const key = signingKeyOf(generateSeed());
  await signingKeys.register(ctx, product, { publicKey: key.publicKey, seed: null, label: null });
  const draft = await releases.create(ctx, { productId: product.id, version: VERSION, changelog: CHANGELOG });
  const sent = await releases.attachBundle(ctx, draft.id, { filename: 'bench.bin', source: bundle });
  await releases.attachSignature(ctx, draft.id, signatureOf(ctx, product, key, sent));
  return releases.publish(ctx, draft.id, {});
}

function signatureOf(ctx: Ctx, product: Product, key: SigningKey, sent: releases.Release) {
  const sha256 = Buffer.from(sent.bundleSha256 ?? '', 'hex');
  const { statement, statementSignature } = signStatement(
    {
      product: product.slug,
      version: VERSION,
      channel: 'stable',
      platform: '',
      arch: '',
      sequence: 1,
      statementDays: 400,
      isCritical: false,
      requiresMigration: false,
      minFromVersion: null,
    },
    { sha256, size: sent.bundleSize ?? 0 },
    key,
    ctx.now(),
  );
  return { signature: key.sign(sha256).toString('base64'), keyId: key.keyId, statement, statementSignature };
}

/** Bytes that no compression shortens; the same ones every time. */
export async function* bundleBytes(size: number): AsyncGenerator<Uint8Array> {
  const block = createHash('shake256', { outputLength: 1_000_000 }).update('bench').digest();
  for (let left = size; left > 0; left -= block.length) yield block.subarray(0, Math.min(left, block.length));
}
