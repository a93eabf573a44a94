import type { Ctx } from '#kernel/context.ts';
import { isUniqueViolation } from '#kernel/db/dialect.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { requireUnchanged } from '#kernel/service/precondition.ts';
import { normed } from '#storefront/catalog/products/index.ts';
import { COUNTRY_CODES } from '#storefront/contract/countries.ts';
import { ids } from '#storefront/contract/ids.ts';
import { promotionEvents } from './events.ts';
import { merged, type Resolved } from './merged.ts';
import { groupsNamed, methodsOf, promotionRows } from './queries.ts';
import type { Promotion } from './record.ts';
import * as repo from './repository.ts';
import { ruled, VALUE_FIELDS } from './rules.ts';
import {
  PromotionCreate,
  type PromotionCreateInput,
  PromotionUpdate,
  type PromotionUpdateInput,
} from './schemas.ts';
import { resolved } from './targets.ts';

/** In which state something may be changed. */
export interface Condition {
  /** The version as the caller read it, as text; undefined changes any. */
  readonly ifMatch?: string | undefined;
}

/** A promotion. @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, id: string): Promise<Promotion> =>
  (await promotionRows.find(ctx, id)) ?? missing(id);

export function missing(id: string): never {
  throw fail('NOT_FOUND', `promotion ${id} does not exist`);
}

/** CONFLICT that the store answers with its reason. */
export const refuse = (reason: 'DUPLICATE' | 'INVALID_TRANSITION', message: string) =>
  fail('CONFLICT', message, { details: { reason } });

export const toldOf = ({ name, type, status }: Promotion) => ({ name, type, status });

/** The promotion, locked. @throws AppError NOT_FOUND; PRECONDITION_FAILED in another version than the caller read */
export async function lock(ctx: Ctx, id: string, { ifMatch }: Condition = {}): Promise<Promotion> {
  const promotion = (await repo.lockPromotion(ctx, id)) ?? missing(id);
  requireUnchanged(`promotion ${promotion.name}`, String(promotion.version), ifMatch);
  return promotion;
}

/**
 * Makes a promotion, a draft unless it is to be active at once.
 *
 * @throws AppError VALIDATION_ERROR, also for targets that do not exist; CONFLICT, reason DUPLICATE, for a taken code,
 *   reason INVALID_TRANSITION for a coupon without a code that is to be active
 */
export async function create(ctx: Ctx, input: PromotionCreateInput): Promise<Promotion> {
  const { status = 'draft', ...sent } = checkInput(PromotionCreate, input);
  return ctx.tx(async (ctx) => {
    const said = await withGroups(ctx, sentFields(sent));
    const wanted = merged(blank(ctx), said, await targetsIn(ctx, sent), true);
    const promotion: Promotion = ruled({ ...wanted, status });
    await requireShippable(ctx, promotion);
    await insert(ctx, promotion);
    if (status === 'active') await requireComplete(ctx, promotion);
    return promotion;
  });
}

/** Stores a new promotion with its code and emits its event. @throws AppError CONFLICT, reason DUPLICATE */
export async function insert(ctx: Ctx, promotion: Promotion): Promise<void> {
  await repo.insertPromotion(ctx, promotion);
  await takeCode(ctx, promotion);
  await promotionEvents.tell(ctx, 'promotion.created', promotion.id, toldOf(promotion), { after: promotion });
}

/** What a promotion is of which nothing was said. */
function blank(ctx: Ctx): Promotion {
  const now = ctx.now();
  return {
    id: ctx.newId(ids.promotion),
    name: '',
    type: 'automatic',
    class: 'order',
    effect: 'percent',
    value: 0,
    scope: 'per_unit',
    appliesTo: 'all',
    excludes: null,
    excludeSale: false,
    maxUnits: null,
    maxDiscountCents: null,
    buy: null,
    get: null,
    buyQuantity: null,
    getQuantity: null,
    getEffect: 'percent',
    getValue: 10_000,
    getSelection: 'grouped',
    maxSets: null,
    minSubtotalCents: null,
    minQuantity: null,
    customerRule: { kind: 'all', values: [] },
    shippingRule: { countries: [], methodIds: [] },
    scheduleRule: null,
    code: null,
    priority: 100,
    stackable: false,
    combinesWith: [],
    exclusionGroup: null,
    usageLimit: null,
    usageLimitPerCustomer: null,
    usedCount: 0,
    status: 'draft',
    startsAt: null,
    endsAt: null,
    lockedAt: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  };
}

/** The targets that were sent, as they are stored. @throws AppError VALIDATION_ERROR */
async function targetsIn(ctx: Ctx, sent: PromotionUpdateInput): Promise<Resolved> {
  const found: Resolved = {};
  for (const name of ['appliesTo', 'excludes', 'buy', 'get'] as const) {
    const targets = sent[name];
    if (targets !== undefined)
      found[name] = await resolved(ctx, name === 'appliesTo' ? 'applies_to' : name, targets);
  }
  return found;
}

/** What was sent, with groups by their ids: staff name them. @throws AppError VALIDATION_ERROR for one that does not exist */
async function withGroups<I extends PromotionUpdateInput>(ctx: Ctx, sent: I): Promise<I> {
  const { customerRule } = sent;
  if (customerRule?.kind !== 'groups') return sent;
  const known = await groupsNamed(ctx, customerRule.values ?? []);
  const values = (customerRule.values ?? []).map((name, at) => {
    const id = known.get(name);
    if (id === undefined)
      throw invalidField(`customer_rule.values.${at}`, `customer group ${name} does not exist`);
    return id;
  });
  return { ...sent, customerRule: { ...customerRule, values } };
}

/** @throws AppError VALIDATION_ERROR for a country or a shipping method that does not exist */
async function requireShippable(
  ctx: Ctx,
  { shippingRule: { countries, methodIds } }: Promotion,
): Promise<void> {
  const country = countries.findIndex((code) => !COUNTRY_CODES.includes(code));
  if (country >= 0)
    throw invalidField(
      `shipping_rule.countries.${country}`,
      `country ${countries[country]} does not exist; write two letters, such as DE`,
    );
  if (methodIds.length === 0) return;
  const known = await methodsOf(ctx, methodIds);
  const method = methodIds.findIndex((id) => !known.has(id));
  if (method >= 0)
    throw invalidField(
      `shipping_rule.method_ids.${method}`,
      `shipping method ${methodIds[method]} does not exist`,
    );
}

/**
 * Changes a promotion; what is not sent stays, null clears. A call that changes nothing writes nothing.
 *
 * @throws AppError as `create` does; NOT_FOUND; PRECONDITION_FAILED; CONFLICT, reason INVALID_TRANSITION, for what it is
 *   worth once an order has taken it, and for an archived one
 */
export async function change(
  ctx: Ctx,
  id: string,
  input: PromotionUpdateInput,
  condition: Condition = {},
): Promise<Promotion> {
  const sent = sentFields(checkInput(PromotionUpdate, input));
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, id, condition);
    const wanted = ruled(merged(before, await withGroups(ctx, sent), await targetsIn(ctx, sent)));
    await requireShippable(ctx, wanted);
    const changes = changesBetween(before, wanted);
    if (Object.keys(changes).length === 0) return before;
    requireOpen(before, Object.keys(changes));
    if (before.code !== wanted.code) {
      await repo.releaseOwnCode(ctx, id);
      await takeCode(ctx, wanted);
    }
    if (before.status === 'active') await requireComplete(ctx, wanted);
    return store(ctx, before, wanted);
  });
}

/** @throws AppError CONFLICT, reason INVALID_TRANSITION */
function requireOpen({ name, status, lockedAt }: Promotion, fields: readonly string[]): void {
  if (status === 'archived')
    throw refuse('INVALID_TRANSITION', `promotion ${name} is archived; duplicate it to use it again`);
  const locked = VALUE_FIELDS.filter((field) => fields.includes(field));
  if (lockedAt !== null && locked.length > 0)
    throw refuse(
      'INVALID_TRANSITION',
      `promotion ${name} was used in an order, so ${locked.map(spelled).join(', ')} cannot change; duplicate it instead`,
    );
}

const spelled = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Stores a changed promotion as its next version and emits its event. */
export async function store(ctx: Ctx, before: Promotion, wanted: Promotion): Promise<Promotion> {
  const after = { ...wanted, version: before.version + 1, updatedAt: ctx.now() };
  await repo.updatePromotion(ctx, after);
  await promotionEvents.tell(ctx, 'promotion.updated', after.id, toldOf(after), { before, after });
  return after;
}

/** @throws AppError CONFLICT, reason INVALID_TRANSITION, for a coupon that no code opens */
export async function requireComplete(ctx: Ctx, { id, name, type, code }: Promotion): Promise<void> {
  if (type !== 'coupon' || code !== null || (await repo.hasCodes(ctx, id))) return;
  throw refuse('INVALID_TRANSITION', `promotion ${name} is a coupon without a code; give it a code first`);
}

/** @throws AppError CONFLICT, reason DUPLICATE */
async function takeCode(ctx: Ctx, { id, code }: Promotion): Promise<void> {
  if (code === null) return;
  const row = { codeNorm: normed(code), kind: 'promotion', refId: id, createdAt: ctx.now() } as const;
  try {
    await repo.registerCodes(ctx, [row]);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw refuse('DUPLICATE', `code ${code} is taken by another promotion; choose another one`);
  }
}
