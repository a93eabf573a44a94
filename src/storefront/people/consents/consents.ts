import type { Ctx } from '#kernel/context.ts';
import { ids } from '#storefront/contract/ids.ts';
import { type Consent, type ConsentSource, MOST_CONSENT_TEXT } from './record.ts';
import * as repo from './repository.ts';

/** Somebody agreed to marketing, or withdrew it. */
export interface ConsentNoted {
  /** A customer, or a subscriber of the newsletter without an account. */
  readonly customerId?: string | null;
  readonly subscriberId?: string | null;
  readonly granted: boolean;
  readonly source: ConsentSource;
  /** What was read beside the button. */
  readonly text?: string | null;
  readonly locale?: string | null;
}

const AGENT = 300;

/**
 * Keeps the proof of a consent to marketing or of its withdrawal: who, when, how and from where. In the transaction that
 * changes the choice, and only when it changes.
 */
export async function noteConsent(ctx: Ctx, noted: ConsentNoted): Promise<void> {
  const { kind, label } = ctx.actor;
  const isStaff = ['staff', 'admin', 'api_key', 'cli'].includes(kind);
  const isCustomer = kind === 'customer' || kind === 'guest';
  const from = isCustomer ? ctx.origin : { ip: null, userAgent: null };
  await ctx.tx(async (ctx) =>
    repo.insert(ctx, {
      id: ctx.newId(ids.consent),
      customerId: noted.customerId ?? null,
      subscriberId: noted.subscriberId ?? null,
      granted: noted.granted,
      source: noted.source,
      text: noted.text?.slice(0, MOST_CONSENT_TEXT) || null,
      locale: noted.locale ?? null,
      ip: from.ip ?? null,
      userAgent: from.userAgent?.slice(0, AGENT) ?? null,
      actorType: isStaff ? 'staff' : isCustomer ? 'customer' : 'system',
      actor: isStaff ? label : null,
      createdAt: ctx.now(),
    }),
  );
}

/** What a customer agreed to and withdrew, the newest first. */
export const consentsOf = (ctx: Ctx, customerId: string): Promise<Consent[]> =>
  repo.list(ctx, { customer_id: customerId });

/** As `consentsOf`, of a subscriber of the newsletter. */
export const consentsOfSubscriber = (ctx: Ctx, subscriberId: string): Promise<Consent[]> =>
  repo.list(ctx, { subscriber_id: subscriberId });

/** The proofs of a subscriber go with them. After the subscriber is gone. */
export const forgetSubscriber = (ctx: Ctx, subscriberId: string): Promise<number> =>
  repo.removeOfSubscriber(ctx, subscriberId);

/** The proofs of one customer stand with another one as well. Rows are never changed: they are written once more. */
export async function copyConsents(ctx: Ctx, fromId: string, toId: string): Promise<void> {
  for (const one of await repo.list(ctx, { customer_id: fromId }))
    await repo.insert(ctx, { ...one, id: ctx.newId(ids.consent), customerId: toId });
}

/** The proofs of a customer go. After the customer was anonymised. */
export const forgetConsents = (ctx: Ctx, customerId: string): Promise<number> =>
  repo.removeOfCustomer(ctx, customerId);
