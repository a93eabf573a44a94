import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import { bounds } from '#licensing/contract/limits.ts';
import type { AdminCreateInput } from '#licensing/licenses/licenses/index.ts';
import type { ProductMapping } from '../../integrations/index.ts';
import { type FailureReason, failed, type Outcome } from '../outcome.ts';
import type { ProcessorEvent, PurchaseItem } from '../processors/event.ts';

/** Licenses of one line (D111). */
const MOST_PER_ITEM = 100;
/** Of all lines: they are made in one transaction, for which other writers wait. */
const MOST_PER_EVENT = 500;

/** A license that an event asks for. */
export interface PlannedLicense {
  /** Which of the line's products is mapped. */
  externalProductId: string;
  mapping: ProductMapping;
  /** `<line>:<n>`, the same whenever the event is processed. */
  place: string;
  input: AdminCreateInput;
}

export interface Plan {
  licenses: PlannedLicense[];
  /** Products that no mapping names. */
  unmapped: string[];
}

/** What the plan is made for beside the event: what was done about it before. */
export interface Purchase {
  event: ProcessorEvent;
  mappings: readonly ProductMapping[];
  /** ISO time of the first receipt: from then on the days of a mapping count (D113). */
  receivedAt: string;
  /** Only lines of these products, when the others were done before; null for all. */
  only: readonly string[] | null;
}

/**
 * The licenses that a purchase asks for (D110 to D113, D115). Pure; all or nothing: a line that cannot be made fails
 * the event, so that somebody looks at it.
 */
export function planPurchase(purchase: Purchase): Plan | Outcome {
  const { event, only } = purchase;
  const wanted = event.items
    .map((item, index) => ({ item, index }))
    .filter(({ item }) => only === null || only.includes(nameOf(item)));
  const plan: Plan = { licenses: [], unmapped: [] };
  for (const { item, index } of wanted) {
    const mapped = findMapping(purchase.mappings, item);
    const result = mapped && planItem(purchase, item, index, mapped);
    if (result === null) plan.unmapped.push(nameOf(item));
    else if (typeof result === 'string') return failed('QUANTITY', result);
    else plan.licenses.push(...result);
    if (plan.licenses.length > MOST_PER_EVENT)
      return failed('QUANTITY', `the event asks for more than ${MOST_PER_EVENT} licenses`);
  }
  plan.unmapped = [...new Set(plan.unmapped)];
  return refusalOf(purchase, plan) ?? plan;
}

/** A line is known by the first of its ids wherever it is noted. */
const nameOf = ({ externalIds }: PurchaseItem): string => externalIds[0] as string;

function findMapping(mappings: readonly ProductMapping[], { externalIds }: PurchaseItem) {
  for (const id of externalIds) {
    const mapping = mappings.find(({ externalProductId }) => externalProductId === id);
    if (mapping) return mapping;
  }
  return null;
}

function refusalOf({ event, only }: Purchase, { licenses, unmapped }: Plan): Outcome | null {
  const refuse = (reason: FailureReason, message: string) => failed(reason, message);
  if (licenses.length === 0 && only === null) {
    const names = unmapped.slice(0, 5).join(', ');
    return refuse('UNMAPPED', names === '' ? 'the event has no product' : `no mapping exists for ${names}`);
  }
  if (event.email === null) return refuse('EMAIL_MISSING', 'the event has no valid email address');
  return null;
}

/** The licenses of one line; a text says why there can be none. */
function planItem(
  purchase: Purchase,
  { quantity }: PurchaseItem,
  index: number,
  mapping: ProductMapping,
): PlannedLicense[] | string {
  const { externalProductId, quantityMode } = mapping;
  if (quantity === null || quantity < 1) return `the quantity of ${externalProductId} is not a number from 1`;
  const bySeats = quantityMode === 'SEATS';
  const seats = bySeats ? quantity * mapping.maxActivations : mapping.maxActivations;
  if (seats > bounds.maxActivations.max)
    return `${seats} seats of ${externalProductId} are more than ${bounds.maxActivations.max}`;
  const count = bySeats ? 1 : quantity;
  if (count > MOST_PER_ITEM)
    return `${count} licenses of ${externalProductId} are more than ${MOST_PER_ITEM}`;
  const input = inputOf(purchase, mapping, seats);
  return Array.from({ length: count }, (_, n) => ({
    externalProductId,
    mapping,
    place: `${index}:${n}`,
    input,
  }));
}

function inputOf(
  { event, receivedAt }: Purchase,
  mapping: ProductMapping,
  maxActivations: number,
): AdminCreateInput {
  const { productId, licenseType, licenseTier, durationDays, policyId } = mapping;
  return {
    productId,
    customerEmail: event.email ?? '',
    customerName: event.customerName ?? undefined,
    type: licenseType,
    tier: licenseTier,
    maxActivations,
    validUntil: durationDays === null ? null : addSeconds(receivedAt, durationDays * SECONDS_PER_DAY),
    orderId: event.orderId ?? undefined,
    policyId: policyId ?? undefined,
    // Who has paid gets a license, also of a product that is not sold any more (D43).
    force: true,
  };
}
