import type { Ctx } from '#kernel/context.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { referring } from '#kernel/service/referring.ts';
import { requirePicture } from '#platform/media/index.ts';
import { ids } from '#storefront/contract/ids.ts';
import { changed, lock, refuse, settle, storing, wholeFor } from './change.ts';
import { optionRows, optionValueRows } from './queries.ts';
import { type Option, type OptionValue, optionRecord, optionValueRecord, type Product } from './record.ts';
import * as repo from './repository.ts';
import {
  MOST_OPTIONS,
  MOST_VALUES,
  OptionCreate,
  type OptionCreateInput,
  OptionUpdate,
  type OptionUpdateInput,
  ValueCreate,
  type ValueCreateInput,
  ValueUpdate,
  type ValueUpdateInput,
} from './schemas.ts';
import type { OptionOf, VariantOf, Whole } from './whole.ts';

/**
 * Adds an option with its values. Variants that there are have none of them until each is given one.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for a fourth option; CONFLICT, reason DUPLICATE, for a taken name
 */
export async function addOption(ctx: Ctx, productId: string, input: OptionCreateInput): Promise<Option> {
  const checked = checkInput(OptionCreate, input);
  return ctx.tx(async (ctx) => {
    const product = await lock(ctx, productId);
    const { options } = await wholeFor(ctx, product);
    if (options.length >= MOST_OPTIONS)
      throw invalidField('name', `a product has at most ${MOST_OPTIONS} options; remove one first`);
    const after = await insertOption(ctx, product, checked, nextOf(options));
    await changed(ctx, product, product, {
      target: 'shop-options',
      record: optionRecord,
      before: null,
      after,
    });
    return after;
  });
}

/** Writes an option and its values for a product that the caller has locked. */
export async function insertOption(
  ctx: Ctx,
  { id: productId }: Pick<Product, 'id'>,
  { name, values = [], position }: OptionCreateInput,
  last: number,
): Promise<Option> {
  const now = ctx.now();
  const option: Option = {
    id: ctx.newId(ids.option),
    productId,
    name,
    position: position ?? last,
    createdAt: now,
    updatedAt: now,
  };
  await storing(taken('option', name), () => repo.insertOption(ctx, option));
  const rows = values.map((value, at) => valueFrom(ctx, option.id, { value }, at));
  await storing(`the values of ${name} are not all different; send each once`, () =>
    repo.insertValues(ctx, rows),
  );
  return option;
}

const valueFrom = (
  ctx: Ctx,
  optionId: string,
  { value, swatchHex = null, mediaId = null, position }: ValueCreateInput,
  last: number,
): OptionValue => ({
  id: ctx.newId(ids.optionValue),
  optionId,
  value,
  swatchHex,
  mediaId,
  position: position ?? last,
  createdAt: ctx.now(),
  updatedAt: ctx.now(),
});

/** The place after the last one. */
export const nextOf = (items: readonly { position: number }[]): number =>
  Math.max(-1, ...items.map(({ position }) => position)) + 1;

const taken = (what: string, name: string): string =>
  `the ${what} ${name} already exists; choose another name`;

/**
 * Changes the name or the place of an option; the titles of the variants follow.
 *
 * @throws AppError NOT_FOUND; CONFLICT, reason DUPLICATE, for a taken name
 */
export async function changeOption(ctx: Ctx, id: string, input: OptionUpdateInput): Promise<Option> {
  const sent = sentFields(checkInput(OptionUpdate, input));
  return ctx.tx(async (ctx) => {
    const { product } = await lockOption(ctx, id);
    const before = await getOption(ctx, id);
    const after: Option = { ...before, ...sent, updatedAt: ctx.now() };
    await storing(taken('option', after.name), () => repo.updateOption(ctx, after));
    await settle(ctx, product);
    await changed(ctx, product, product, { target: 'shop-options', record: optionRecord, before, after });
    return after;
  });
}

/**
 * Removes an option that no variant has a value of, with its values.
 *
 * @throws AppError NOT_FOUND; CONFLICT, reason IN_USE
 */
export async function removeOption(ctx: Ctx, id: string): Promise<Option> {
  return ctx.tx(async (ctx) => {
    const { product, whole } = await lockOption(ctx, id);
    const before = await getOption(ctx, id);
    requireUnused(before.name, whole, ({ optionId }) => optionId === id);
    await repo.removeOption(ctx, id);
    await changed(ctx, product, product, {
      target: 'shop-options',
      record: optionRecord,
      before,
      after: null,
    });
    return before;
  });
}

/**
 * Adds a value to an option.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR beyond 100; CONFLICT, reason DUPLICATE
 */
export async function addValue(ctx: Ctx, optionId: string, input: ValueCreateInput): Promise<OptionValue> {
  const checked = checkInput(ValueCreate, input);
  return ctx.tx(async (ctx) => {
    const { product, option } = await lockOption(ctx, optionId);
    if (option.values.length >= MOST_VALUES)
      throw invalidField('value', `an option has at most ${MOST_VALUES} values; remove one first`);
    await requirePicture(ctx, checked.mediaId);
    const after = valueFrom(ctx, optionId, checked, nextOf(option.values));
    await pictured(() => storing(taken('value', after.value), () => repo.insertValues(ctx, [after])));
    await changed(ctx, product, product, valuePart(null, after));
    return after;
  });
}

/**
 * Changes a value; the titles of the variants that have it follow.
 *
 * @throws AppError NOT_FOUND; CONFLICT, reason DUPLICATE
 */
export async function changeValue(ctx: Ctx, id: string, input: ValueUpdateInput): Promise<OptionValue> {
  const sent = sentFields(checkInput(ValueUpdate, input));
  return ctx.tx(async (ctx) => {
    const { optionId } = await getValue(ctx, id);
    const { product } = await lockOption(ctx, optionId);
    const before = await getValue(ctx, id);
    await requirePicture(ctx, sent.mediaId);
    const after: OptionValue = { ...before, ...sent, updatedAt: ctx.now() };
    await pictured(() => storing(taken('value', after.value), () => repo.updateValue(ctx, after)));
    await settle(ctx, product);
    await changed(ctx, product, product, valuePart(before, after));
    return after;
  });
}

/**
 * Removes a value that no variant has.
 *
 * @throws AppError NOT_FOUND; CONFLICT, reason IN_USE
 */
export async function removeValue(ctx: Ctx, id: string): Promise<OptionValue> {
  return ctx.tx(async (ctx) => {
    const { optionId } = await getValue(ctx, id);
    const { product, whole } = await lockOption(ctx, optionId);
    const before = await getValue(ctx, id);
    requireUnused(before.value, whole, ({ valueId }) => valueId === id);
    await repo.removeValue(ctx, id);
    await changed(ctx, product, product, valuePart(before, null));
    return before;
  });
}

/** Runs a write of a value, whose picture may be gone. @throws AppError VALIDATION_ERROR */
const pictured = (write: () => Promise<void>): Promise<void> =>
  referring('media_id', 'the picture was deleted in the meantime; choose another one', write);

const valuePart = (before: OptionValue | null, after: OptionValue | null) => ({
  target: 'shop-option-values',
  record: optionValueRecord,
  before,
  after,
});

/** An option. @throws AppError NOT_FOUND */
export const getOption = async (ctx: Ctx, id: string): Promise<Option> =>
  (await optionRows.find(ctx, id)) ?? unknown('option', id);

/** A value of an option. @throws AppError NOT_FOUND */
export const getValue = async (ctx: Ctx, id: string): Promise<OptionValue> =>
  (await optionValueRows.find(ctx, id)) ?? unknown('option value', id);

function unknown(what: string, id: string): never {
  throw fail('NOT_FOUND', `${what} ${id} does not exist`);
}

/** The product of an option, locked; the option as it is then. */
async function lockOption(
  ctx: Ctx,
  id: string,
): Promise<{ product: Product; whole: Whole; option: OptionOf }> {
  const { productId } = await getOption(ctx, id);
  const product = await lock(ctx, productId);
  const whole = await wholeFor(ctx, product);
  const option = whole.options.find((one) => one.id === id) ?? unknown('option', id);
  return { product, whole, option };
}

function requireUnused(
  name: string,
  { variants }: Whole,
  isIt: (chosen: VariantOf['chosen'][number]) => boolean,
): void {
  const users = variants.filter(({ chosen }) => chosen.some(isIt));
  if (users.length === 0) return;
  const more = users.length === 1 ? '' : ` and ${users.length - 1} more`;
  throw refuse(
    'IN_USE',
    `${name} is used by the variant ${users[0]?.sku}${more}; change or remove them first`,
  );
}
