import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation, isUniqueViolation } from '#kernel/db/dialect.ts';
import { fail } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { ids } from '#storefront/contract/ids.ts';
import { taxClassEvents } from './events.ts';
import { taxClassRows } from './queries.ts';
import type { TaxClass } from './record.ts';
import * as repo from './repository.ts';
import {
  TaxClassCreate,
  type TaxClassCreateInput,
  TaxClassUpdate,
  type TaxClassUpdateInput,
} from './schemas.ts';

/** What products are of that name no class, and shipping: both stay. */
const ALWAYS: ReadonlySet<string> = new Set(['standard', 'shipping']);

/** A tax class. @throws AppError NOT_FOUND */
export const getClass = async (ctx: Ctx, id: string): Promise<TaxClass> =>
  (await taxClassRows.find(ctx, id)) ?? missing(id);

function missing(id: string): never {
  throw fail('NOT_FOUND', `tax class ${id} does not exist`);
}

const toldOf = ({ code, name }: TaxClass) => ({ code, name });

/** Makes a tax class. @throws AppError VALIDATION_ERROR; CONFLICT, reason DUPLICATE, for a taken code */
export async function createClass(ctx: Ctx, input: TaxClassCreateInput): Promise<TaxClass> {
  const { name, code } = checkInput(TaxClassCreate, input);
  return ctx.tx(async (ctx) => {
    const now = ctx.now();
    const made = { id: ctx.newId(ids.taxClass), name, code, createdAt: now, updatedAt: now };
    try {
      await repo.insertClass(ctx, made);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw fail('CONFLICT', `code ${code} is taken by another tax class; choose another one`, {
        details: { reason: 'DUPLICATE' },
      });
    }
    await taxClassEvents.tell(ctx, 'tax_class.created', made.id, toldOf(made), { after: made });
    return made;
  });
}

/** Renames a tax class. @throws AppError NOT_FOUND; VALIDATION_ERROR */
export async function changeClass(ctx: Ctx, id: string, input: TaxClassUpdateInput): Promise<TaxClass> {
  const sent = sentFields(checkInput(TaxClassUpdate, input));
  return ctx.tx(async (ctx) => {
    const before = (await repo.lockClass(ctx, id)) ?? missing(id);
    const { name = before.name } = sent;
    if (name === before.name) return before;
    const after = { ...before, name, updatedAt: ctx.now() };
    await repo.updateClass(ctx, after);
    await taxClassEvents.tell(ctx, 'tax_class.updated', id, toldOf(after), { before, after });
    return after;
  });
}

/** Removes a tax class. @throws AppError NOT_FOUND; CONFLICT, reason IN_USE, while something is of it */
export async function removeClass(ctx: Ctx, id: string): Promise<void> {
  await ctx.tx(async (ctx) => {
    const before = (await repo.lockClass(ctx, id)) ?? missing(id);
    if (ALWAYS.has(before.code))
      throw inUse(
        `tax class ${before.name} is the default of ${before.code === 'standard' ? 'products' : 'shipping methods'} and cannot be deleted; rename it instead`,
      );
    await removeRow(ctx, before);
    await taxClassEvents.tell(ctx, 'tax_class.deleted', id, toldOf(before), { before });
  });
}

const inUse = (message: string) => fail('CONFLICT', message, { details: { reason: 'IN_USE' } });

async function removeRow(ctx: Ctx, { id, name }: TaxClass): Promise<void> {
  try {
    await repo.deleteClass(ctx, id);
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error;
    throw inUse(
      `tax class ${name} is used by products, tax rates or shipping methods; assign them another class first`,
    );
  }
}
