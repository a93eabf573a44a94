/** Signing keys as the admin API shows them (licensing 4.2, Signing keys; the names are those of cli.md section 2). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { continuityParts } from '#signing/keys/continuity.ts';
import { DELEGATION_USES } from '#signing/keys/delegation.ts';
import type { OnlineKey } from './online/view.ts';
import { signaturesOf } from './queries.ts';
import { shapeOf } from './release/registered-key.ts';
import type { SigningKeyRow } from './release/repository.ts';

const KEY_STATUSES = ['ACTIVE', 'NEXT', 'RETIRED'] as const;

/** A release key without its private part. */
export const SigningKeyView = later(() =>
  z
    .object({
      keyId: z.string(),
      product: z.string(),
      algorithm: z.literal('ed25519'),
      fingerprint: z.string(),
      publicKey: z.string(),
      publicKeyPem: z.string(),
      status: z.enum(KEY_STATUSES),
      label: z.string().nullable(),
      serverHeld: z.boolean(),
      /** When a NEXT key takes over by itself. */
      activateAt: instant().nullable(),
      /** What the key before signed about it. */
      continuity: z.object({ statement: z.string(), signature: z.string() }).nullable(),
      createdAt: instant(),
    })
    .meta({ id: 'SigningKey' }),
);

export function signingKeyView(row: SigningKeyRow): z.output<typeof SigningKeyView> {
  const { keyId, product, algorithm, fingerprint, publicKey, publicKeyPem, serverHeld, createdAt } =
    shapeOf(row);
  return {
    keyId,
    product,
    algorithm,
    fingerprint,
    publicKey,
    publicKeyPem,
    status: row.status,
    label: row.label,
    serverHeld,
    activateAt: row.activateAt,
    continuity: row.continuity === null ? null : continuityParts(row.continuity),
    createdAt,
  };
}

/** A rotation that was planned; what the old key signed stands with the next one. */
export const RotationView = z
  .object({ old: SigningKeyView, next: SigningKeyView, activateAt: instant() })
  .meta({ id: 'KeyRotation' });

/** A release key in the list of all products. */
export const RegisteredKeyView = later(() =>
  z
    .object({
      id: z.string(),
      ...SigningKeyView.shape,
      productId: z.string(),
      /** Id that minisign gave to an imported key. */
      minisignId: z.string().nullable(),
      /** Releases that it signed. */
      signatures: count(),
    })
    .meta({ id: 'RegisteredKey' }),
);
export type RegisteredKeyView = z.output<typeof RegisteredKeyView>;

/** Release keys with how often each was used. */
export async function registeredKeyViews(
  rows: readonly SigningKeyRow[],
  ctx: Ctx,
): Promise<RegisteredKeyView[]> {
  const signatures = await signaturesOf(ctx, rows);
  return rows.map((row) => ({
    id: row.id,
    ...signingKeyView(row),
    productId: row.productId,
    minisignId: row.minisignId,
    signatures: signatures(row),
  }));
}

/** An online key without its private part. */
export const OnlineKeyView = z
  .object({
    keyId: z.string(),
    product: z.string(),
    algorithm: z.literal('ed25519'),
    publicKey: z.string(),
    status: z.enum(KEY_STATUSES),
    createdAt: instant(),
    delegation: z
      .object({
        root: z.string(),
        use: z.array(z.enum(DELEGATION_USES)),
        notBefore: instant(),
        expiresAt: instant(),
        valid: z.boolean(),
      })
      .nullable(),
  })
  .meta({ id: 'OnlineKey' }) satisfies z.ZodType<OnlineKey>;

/** Every key of a product: `items` sign releases, the ACTIVE one first. */
export const ProductKeysView = later(() =>
  z
    .object({
      items: z.array(SigningKeyView),
      onlineKeys: z.array(OnlineKeyView),
    })
    .meta({ id: 'ProductKeys' }),
);

/** A change of a key's place; `delegation` is the online key whose delegation ended with a retired key. */
export const SuccessionView = later(() =>
  z
    .object({
      key: SigningKeyView,
      changed: z.boolean(),
      retired: z.string().nullable(),
      delegation: z.object({ keyId: z.string(), renewed: z.boolean() }).nullable(),
    })
    .meta({ id: 'Succession' }),
);

export const OneSigningKey = z.object({ key: SigningKeyView }).meta({ id: 'OneSigningKey' });

export const ListedOnlineKeyView = OnlineKeyView.extend({ id: z.string() }).meta({ id: 'ListedOnlineKey' });

/** What leads clients that know only the old key to a NEXT one. */
export const KeyBridgesView = later(() =>
  z
    .object({
      key: SigningKeyView,
      /** null: there is nobody to lead. */
      oldKeyId: z.string().nullable(),
      releases: z.array(
        z.object({ version: z.string(), channel: z.string(), platform: z.string(), arch: z.string() }),
      ),
      /** Where clients would be left behind. */
      stranded: z.array(z.string()),
    })
    .meta({ id: 'KeyBridges' }),
);
