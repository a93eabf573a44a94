import type { Ctx } from '#kernel/context.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { type CreateOptions, create } from './create.ts';
import type { License } from './queries.ts';
import { madeBy } from './repository.ts';
import type { AdminCreateInput, StaffCreateInput } from './schemas.ts';
import { revealed } from './staff-read.ts';

/**
 * A license that staff makes, as `create` does.
 *
 * @param input product and policy by name or id
 * @returns null for `key` where it was not asked for
 * @throws AppError as `create`; NOT_FOUND for the policy; CONFLICT for a repetition of what must be new
 */
export async function createByStaff(ctx: Ctx, input: StaffCreateInput) {
  const { idempotencyKey, mustBeNew, source, withKey = true, ...rest } = input;
  return ctx.tx(async (ctx) => {
    const options = optionsOf(ctx, source, idempotencyKey);
    const { license, idempotent, mismatch } = await create(ctx, await withIds(ctx, rest), options);
    if (idempotent && mustBeNew) refuseRepetition(license);
    const key = withKey ? await revealed(ctx, license, 'MINT') : null;
    return { license, fields: { key, idempotent, idempotentMismatch: mismatch } };
  });
}

/** Staff's keys are known again at every desk: what was made on this machine is not made again by a server. */
function optionsOf(
  { actor }: Ctx,
  source: 'BULK' | undefined,
  idempotencyKey: string | undefined,
): CreateOptions {
  const isCommand = actor.kind === 'cli';
  return {
    source: source ?? (isCommand ? 'CLI' : 'ADMIN'),
    idempotency: idempotencyKey === undefined ? null : { namespace: 'cli', key: idempotencyKey },
    needsTerm: true,
  };
}

/** With ids for names, so that a repetition that names them otherwise is the same. */
async function withIds(ctx: Ctx, input: AdminCreateInput): Promise<AdminCreateInput> {
  const productId = (await products.get(ctx, input.productId)).id;
  if (input.policyId === undefined) return { ...input, productId };
  return { ...input, productId, policyId: (await policies.get(ctx, input.policyId)).id };
}

function refuseRepetition({ id }: License): never {
  throw fail('CONFLICT', `the idempotency key has made license ${id} before`, {
    details: { reason: 'MADE_BEFORE', licenseId: id },
  });
}

/** The licenses that rows of files have, of those that the actor may see. */
export const rowsMade = (ctx: Ctx, idempotencyKeys: readonly string[]) => madeBy(ctx, 'cli', idempotencyKeys);
