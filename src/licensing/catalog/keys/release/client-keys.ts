import type { Ctx } from '#kernel/context.ts';
import type { KeyStatus } from '#signing/keys/key-shape.ts';
import { rowsOf } from './product-keys.ts';
import { publicKeyOf } from './registered-key.ts';

/** A release key as clients are told of it (licensing D98). */
export interface ClientKey {
  /** 16 hex characters. */
  readonly keyId: string;
  readonly status: KeyStatus;
  /** 32 raw bytes. */
  readonly publicKey: Buffer;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** When a NEXT key takes over; null for every other key, and for one that is activated by hand. */
  readonly activateAt: string | null;
  /** What the key before it signed about this key: `continuity/<P>.<S>`, or null. */
  readonly continuity: string | null;
}

/**
 * Every release key of a product for its clients: the ACTIVE one first, then NEXT ones, then RETIRED ones, each group
 * oldest first. Online keys are not among them. One query.
 *
 * @param productId of the ctx's installation, whatever tenant: the endpoint has found it already
 */
export async function publicKeysForClients(ctx: Ctx, productId: string): Promise<ClientKey[]> {
  const rows = await rowsOf(ctx, productId);
  return rows.map((row) => ({
    keyId: row.keyId,
    status: row.status,
    publicKey: publicKeyOf(row),
    createdAt: row.createdAt,
    activateAt: row.activateAt,
    continuity: row.continuity,
  }));
}
