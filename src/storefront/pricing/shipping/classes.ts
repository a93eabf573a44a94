import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation } from '#kernel/db/dialect.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { fail } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { ids } from '#storefront/contract/ids.ts';
import { shippingClassEvents } from './events.ts';
import { shippingClassRows } from './queries.ts';
import type { ShippingClass } from './record.ts';
import * as repo from './repository.ts';
import {
  ShippingClassCreate,
  type ShippingClassCreateInput,
  ShippingClassUpdate,
  type ShippingClassUpdateInput,
} from './schemas.ts';

/** A shipping class. @throws AppError NOT_FOUND */
export const getClass = async (ctx: Ctx, id: string): Promise<ShippingClass> =>
  (await shippingClassRows.find(ctx, id)) ?? missing(id);

function missing(id: string): never {
  throw fail('NOT_FOUND', `shipping class ${id} does not exist`);
}

const toldOf = ({ name, handlingCents }: ShippingClass) => ({ name, handlingCents });

/** Makes a shipping class. @throws AppError VALIDATION_ERROR */
export async function createClass(ctx: Ctx, input: ShippingClassCreateInput): Promise<ShippingClass> {
  const { name, handlingCents = 0 } = checkInput(ShippingClassCreate, input);
  return ctx.tx(async (ctx) => {
    const now = ctx.now();
    const id = ctx.newId(ids.shippingClass);
    const made = { id, name, handlingCents, createdAt: now, updatedAt: now };
    await repo.insertClass(ctx, made);
    await shippingClassEvents.tell(ctx, 'shipping_class.created', id, toldOf(made), { after: made });
    return made;
  });
}

/** Changes a shipping class. @throws AppError NOT_FOUND; VALIDATION_ERROR */
export async function changeClass(
  ctx: Ctx,
  id: string,
  input: ShippingClassUpdateInput,
): Promise<ShippingClass> {
  const sent = sentFields(checkInput(ShippingClassUpdate, input));
  return ctx.tx(async (ctx) => {
    const before = (await repo.lockClass(ctx, id)) ?? missing(id);
    const wanted = { ...before, ...sent };
    if (Object.keys(changesBetween(before, wanted)).length === 0) return before;
    const after = { ...wanted, updatedAt: ctx.now() };
    await repo.updateClass(ctx, after);
    await shippingClassEvents.tell(ctx, 'shipping_class.updated', id, toldOf(after), { before, after });
    return after;
  });
}

/** Removes a shipping class. @throws AppError NOT_FOUND; CONFLICT, reason IN_USE, while a variant is of it */
export async function removeClass(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const before = (await repo.lockClass(ctx, id)) ?? missing(id);
    try {
      await repo.deleteClass(ctx, id);
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      const message = `shipping class ${before.name} is used by variants; assign them another class first`;
      throw fail('CONFLICT', message, { details: { reason: 'IN_USE' } });
    }
    await shippingClassEvents.tell(ctx, 'shipping_class.deleted', id, toldOf(before), { before });
  });
}
