/** Rotation of a release key over JSON (licensing 4.2, Signing keys; D98). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { generateSeed, signingKeyOf } from '#kernel/ed25519.ts';
import { endpoint, ok } from '#kernel/http/endpoint.ts';
import { optional, report, text, timestamp } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { NoteBody, noting } from '#platform/admin/index.ts';
import { MAX_LABEL_LENGTH } from '#signing/keys/key-shape.ts';
import { statedMinisignId } from '#signing/keys/minisign-key.ts';
import { parsePublicKeys } from '#signing/keys/public-key-text.ts';
import * as products from '../products/index.ts';
import { rowOf } from './release/product-keys.ts';
import { find, type NewKey } from './release/registry.ts';
import { rotate } from './release/rotation.ts';
import { keyIdField, ProductParams, PUBLIC_KEY_TEXT } from './schemas.ts';
import { RotationView, signingKeyView } from './view.ts';

/** A statement is about 450 characters. */
const CONTINUITY_TEXT = 2000;

const RotateBody = later(() =>
  NoteBody.extend({
    publicKey: optional(text({ min: 1, max: PUBLIC_KEY_TEXT, trim: true })),
    generate: optional(z.literal(true, { error: 'must be true' })),
    nextKeyId: optional(keyIdField()).describe('ID of a NEXT key of the product'),
    label: optional(text({ max: MAX_LABEL_LENGTH })),
    activateAt: timestamp(),
    oldKeyId: optional(keyIdField()).describe('ID of the ACTIVE key; refused if another key is active'),
    continuity: optional(text({ min: 1, max: CONTINUITY_TEXT })).describe(
      'Statement by the ACTIVE key about the next key; leave out if the server holds the ACTIVE key',
    ),
  })
    .check((checked) => {
      const { publicKey, generate, nextKeyId, continuity } = checked.value;
      const named = [publicKey, generate, nextKeyId].filter((one) => one !== undefined);
      if (named.length !== 1)
        report(checked, 'choice', 'one of publicKey, generate and nextKeyId is needed', ['publicKey']);
      if (generate && continuity !== undefined)
        report(checked, 'choice', 'cannot be given for a key that is created here', ['continuity']);
    })
    .meta({ id: 'KeyRotateBody' }),
);

type Asked = z.output<typeof RotateBody>;

export const rotationEndpoints = [
  endpoint({
    method: 'post',
    path: '/api/v1/admin/products/{id}/keys/rotate',
    summary: 'Schedule a key rotation; the ACTIVE key endorses its successor',
    scope: 'licensing:secrets',
    sudo: true,
    limit: null,
    rehearsable: true,
    params: ProductParams,
    body: RotateBody,
    replies: { 200: RotationView },
    errors: ['VALIDATION_ERROR', 'INVALID_KEY', 'NOT_FOUND', 'CONFLICT'],
    handle: async (ctx, { params, body }) => {
      const product = await products.get(ctx, params.id);
      const { activateAt, oldKeyId, continuity = null } = body;
      const next = await nextOf(ctx, product.id, body);
      // A rehearsal leaves nothing to be read after it.
      return noting(ctx, body).tx(async (ctx) => {
        const made = await rotate(ctx, product, { next, activateAt, old: continuity, oldKeyId });
        const [old, row] = [
          await rowOf(ctx, product.id, made.old.keyId),
          await rowOf(ctx, product.id, made.next.keyId),
        ];
        return ok({ old: signingKeyView(old), next: signingKeyView(row), activateAt });
      });
    },
  }),
];

async function nextOf(ctx: Ctx, productId: string, asked: Asked): Promise<NewKey> {
  const { publicKey: given, nextKeyId, label = null } = asked;
  if (nextKeyId !== undefined) {
    const { publicKey } = await find(ctx, nextKeyId, productId);
    return { publicKey: Buffer.from(publicKey, 'base64'), seed: null, label };
  }
  if (given !== undefined)
    return { publicKey: parsePublicKeys(given)[0], seed: null, label, minisignId: statedMinisignId(given) };
  const seed = generateSeed();
  return { publicKey: signingKeyOf(seed).publicKey, seed, label };
}
