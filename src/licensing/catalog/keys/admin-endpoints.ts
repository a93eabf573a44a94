/** Keys that sign for a product, for staff (licensing 4.2, Signing keys). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { generateSeed, signingKeyOf } from '#kernel/ed25519.ts';
import { created, endpoint, ok } from '#kernel/http/endpoint.ts';
import { optional, report, text } from '#kernel/http/fields.ts';
import { wholeInRehearsal } from '#kernel/rehearse.ts';
import { later } from '#kernel/sharing.ts';
import { NoteBody } from '#platform/admin/index.ts';
import { MAX_LABEL_LENGTH } from '#signing/keys/key-shape.ts';
import { statedMinisignId } from '#signing/keys/minisign-key.ts';
import { parsePublicKeys } from '#signing/keys/public-key-text.ts';
import * as products from '../products/index.ts';
import { rotationEndpoints } from './admin-rotation.ts';
import * as onlineKeys from './online/online-keys.ts';
import { rowOf, rowsOf } from './release/product-keys.ts';
import { register } from './release/registry.ts';
import { type Activation, activate, retire, type Succession } from './release/succession.ts';
import { keyIdField, ProductParams, PUBLIC_KEY_TEXT } from './schemas.ts';
import { OneSigningKey, OnlineKeyView, ProductKeysView, SuccessionView, signingKeyView } from './view.ts';

const base = '/api/v1/admin/products/{id}';

/** A delegation is about 500 characters. */
const DELEGATION_TEXT = 4000;

const KeyParams = later(() => ProductParams.extend({ keyId: keyIdField() }));

const NewKeyBody = later(() =>
  NoteBody.extend({
    publicKey: optional(text({ min: 1, max: PUBLIC_KEY_TEXT, trim: true })),
    generate: optional(z.literal(true, { error: 'must be true' })),
    label: optional(text({ max: MAX_LABEL_LENGTH })),
  }).check((checked) => {
    const { publicKey, generate } = checked.value;
    if ((publicKey === undefined) === (generate === undefined))
      report(checked, 'choice', 'either publicKey or generate is needed', ['publicKey']);
  }),
);

const registering = [
  endpoint({
    method: 'get',
    path: `${base}/keys`,
    summary: 'List the keys that sign for a product',
    scope: 'licensing:read',
    limit: null,
    params: ProductParams,
    replies: { 200: ProductKeysView },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) => {
      const product = await products.get(ctx, params.id);
      const items = (await rowsOf(ctx, product.id)).map(signingKeyView);
      const online = await onlineKeys.list(ctx, { product: product.slug, page: 1, limit: 100 });
      return ok({ items, onlineKeys: online.items });
    },
  }),
  endpoint({
    method: 'post',
    path: `${base}/keys`,
    summary: 'Register a release key by its public key, or have the server create and store one',
    scope: 'licensing:secrets',
    sudo: true,
    limit: null,
    rehearsable: true,
    params: ProductParams,
    body: NewKeyBody,
    replies: { 201: OneSigningKey },
    errors: ['VALIDATION_ERROR', 'INVALID_KEY', 'NOT_FOUND'],
    handle: async (ctx, { params, body: { publicKey, label, note } }) => {
      const product = await products.get(ctx, params.id);
      const seed = publicKey === undefined ? generateSeed() : null;
      const key = seed === null ? parsePublicKeys(publicKey ?? '')[0] : signingKeyOf(seed).publicKey;
      const minisignId = statedMinisignId(publicKey ?? '');
      const made = { publicKey: key, seed, label: label ?? null, minisignId, note };
      // A rehearsal leaves nothing to be read after it.
      const row = await ctx.tx(async (ctx) => {
        const { keyId } = await register(ctx, product, made);
        return rowOf(ctx, product.id, keyId);
      });
      return created({ key: signingKeyView(row) });
    },
  }),
];

const ActivateBody = later(() => NoteBody.extend({ strandOldClients: optional(z.boolean()) }));

/** `.../activate` and `.../retire`. */
const succession = (
  action: string,
  summary: string,
  body: typeof NoteBody | typeof ActivateBody,
  change: (ctx: Ctx, keyId: string, productId: string, why: Activation) => Promise<Succession>,
) =>
  endpoint({
    method: 'post',
    path: `${base}/keys/{keyId}/${action}`,
    summary,
    scope: 'licensing:secrets',
    sudo: true,
    limit: null,
    params: KeyParams,
    body,
    bodyOptional: true,
    replies: { 200: SuccessionView },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
    handle: async (ctx, { params, body }) => {
      const { id } = await products.get(ctx, params.id);
      const given = Object.entries(body).filter(([, value]) => value !== undefined);
      const { changed, retired, delegation } = await change(ctx, params.keyId, id, Object.fromEntries(given));
      const key = signingKeyView(await rowOf(ctx, id, params.keyId));
      return ok({ key, changed, retired, delegation });
    },
  });

const online = [
  endpoint({
    method: 'post',
    path: `${base}/online-keys`,
    summary: "Create a product's online key; it cannot sign until a root key delegates to it",
    scope: 'licensing:secrets',
    sudo: true,
    rehearsable: true,
    limit: null,
    params: ProductParams,
    replies: { 201: OnlineKeyView },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { params }) =>
      created(await wholeInRehearsal(ctx, (ctx) => onlineKeys.create(ctx, params.id))),
  }),
  endpoint({
    method: 'put',
    path: `${base}/online-keys/{keyId}/delegation`,
    summary: 'Verify and store the delegation of an online key, and activate the key',
    scope: 'licensing:secrets',
    sudo: true,
    rehearsable: true,
    limit: null,
    params: KeyParams,
    body: later(() => z.strictObject({ delegation: text({ min: 1, max: DELEGATION_TEXT }) })),
    replies: { 200: OnlineKeyView },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
    handle: async (ctx, { params, body }) => {
      const { id } = await products.get(ctx, params.id);
      const { keyId } = params;
      return ok(await wholeInRehearsal(ctx, (ctx) => onlineKeys.delegate(ctx, keyId, body.delegation, id)));
    },
  }),
];

export const keyAdminEndpoints = [
  ...registering,
  ...rotationEndpoints,
  succession(
    'activate',
    'Activate a NEXT key and retire the current one; refused while clients could not follow',
    ActivateBody,
    activate,
  ),
  succession('retire', 'Retire a key permanently', NoteBody, retire),
  ...online,
];
