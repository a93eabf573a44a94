import type { Ctx } from '#kernel/context.ts';
import type { KeyStatus } from '#signing/keys/key-shape.ts';
import { findKey } from './registered-key.ts';
import * as repo from './repository.ts';

/** The key in use comes first, then those to come, then those that verify older releases. */
const RANK: Record<KeyStatus, number> = { ACTIVE: 0, NEXT: 1, RETIRED: 2 };

/** Every release key of a product: the ACTIVE one first, then NEXT ones, then RETIRED ones, each group oldest first. */
export const rowsOf = async (ctx: Ctx, productId: string): Promise<repo.SigningKeyRow[]> =>
  (await repo.listOfProduct(ctx, productId)).toSorted((a, b) => RANK[a.status] - RANK[b.status]);

/** One key of a product. Throws AppError NOT_FOUND. */
export const rowOf = (ctx: Ctx, productId: string, keyId: string): Promise<repo.SigningKeyRow> =>
  findKey(ctx, keyId, productId);
