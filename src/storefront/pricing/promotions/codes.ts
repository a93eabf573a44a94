import type { Ctx } from '#kernel/context.ts';
import { isUniqueViolation } from '#kernel/db/dialect.ts';
import { secureRandom } from '#kernel/random.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { normed } from '#storefront/catalog/products/index.ts';
import { ids } from '#storefront/contract/ids.ts';
import { promotionCodeEvents, promotionEvents } from './events.ts';
import { lock, refuse } from './promotions.ts';
import { promotionCodeRows } from './queries.ts';
import { MOST_CODE, type Promotion, type PromotionCode } from './record.ts';
import * as repo from './repository.ts';
import { CODE_LENGTH, CodesCreate, type CodesCreateInput } from './schemas.ts';

/** 32 signs, so that a byte chooses one of them evenly; none looks like another one. */
const SIGNS = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

/** A generated code. @throws AppError NOT_FOUND */
export const getCode = async (ctx: Ctx, id: string): Promise<PromotionCode> =>
  (await promotionCodeRows.find(ctx, id)) ?? unknown(id);

function unknown(id: string): never {
  throw fail('NOT_FOUND', `code ${id} does not exist`);
}

/**
 * Adds codes to a promotion: new ones, or those that were sent.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR; CONFLICT, reason DUPLICATE, for a code that is taken or was sent twice,
 *   reason INVALID_TRANSITION for an automatic or an archived promotion
 */
export async function addCodes(
  ctx: Ctx,
  promotionId: string,
  input: CodesCreateInput,
): Promise<PromotionCode[]> {
  const sent = checkInput(CodesCreate, input);
  return ctx.tx(async (ctx) => {
    const promotion = await lock(ctx, promotionId);
    requireOpen(promotion);
    const texts = sent.codes ?? (await newCodes(ctx, sent));
    const now = ctx.now();
    const codes = texts.map(
      (code): PromotionCode => ({
        id: ctx.newId(ids.promotionCode),
        promotionId,
        code,
        usageLimit: sent.usageLimit === undefined ? 1 : sent.usageLimit,
        usedCount: 0,
        disabledAt: null,
        expiresAt: sent.expiresAt ?? null,
        createdAt: now,
        updatedAt: now,
      }),
    );
    await register(ctx, codes);
    await repo.insertCodes(ctx, codes);
    const told = { count: codes.length };
    await promotionEvents.tell(ctx, 'promotion.codes_added', promotionId, told, { diff: {} });
    return codes;
  });
}

function requireOpen({ name, type, status }: Promotion): void {
  if (status === 'archived')
    throw refuse('INVALID_TRANSITION', `promotion ${name} is archived; duplicate it to use it again`);
  if (type === 'automatic')
    throw refuse('INVALID_TRANSITION', `promotion ${name} is automatic; set its type to coupon first`);
}

/** @throws AppError CONFLICT, reason DUPLICATE */
async function register(ctx: Ctx, codes: readonly PromotionCode[]): Promise<void> {
  const norms = codes.map(({ code }) => normed(code));
  const taken = await repo.takenCodes(ctx, norms);
  const twice = norms.findIndex((one, at) => taken.has(one) || norms.indexOf(one) !== at);
  if (twice >= 0) throw isTaken(codes[twice]?.code ?? '');
  const rows = codes.map(
    ({ id, createdAt }, at) =>
      ({ codeNorm: norms[at] as string, kind: 'promotion_code', refId: id, createdAt }) as const,
  );
  try {
    await repo.registerCodes(ctx, rows);
  } catch (error) {
    throw isUniqueViolation(error) ? isTaken('among them') : error;
  }
}

const isTaken = (code: string) =>
  refuse('DUPLICATE', `code ${code} is taken; choose another one. No codes were added`);

/** So many codes that nobody has. */
async function newCodes(
  ctx: Ctx,
  { count = 0, prefix = '', length = CODE_LENGTH.usual }: CodesCreateInput,
): Promise<string[]> {
  if (prefix.length + length > MOST_CODE)
    throw invalidField('length', `prefix and length must have at most ${MOST_CODE} characters together`);
  const made = new Set<string>();
  while (made.size < count) {
    const some = Array.from({ length: count - made.size }, () => prefix + randomText(length));
    const taken = await repo.takenCodes(ctx, some.map(normed));
    for (const code of some) if (!taken.has(normed(code))) made.add(code);
  }
  return [...made];
}

const randomText = (length: number): string =>
  [...secureRandom(length)].map((byte) => SIGNS[byte % SIGNS.length]).join('');

/** Takes a code out of use; it stays in the list. @throws AppError NOT_FOUND */
export async function disableCode(ctx: Ctx, id: string): Promise<void> {
  const { promotionId } = await getCode(ctx, id);
  await ctx.tx(async (ctx) => {
    await lock(ctx, promotionId);
    const before = (await repo.lockCode(ctx, id)) ?? unknown(id);
    if (before.disabledAt !== null) return;
    const now = ctx.now();
    const after = { ...before, disabledAt: now, updatedAt: now };
    await repo.updateCode(ctx, after);
    const told = { code: after.code, promotionId };
    await promotionCodeEvents.tell(ctx, 'promotion_code.disabled', id, told, { before, after });
  });
}
