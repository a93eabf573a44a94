// What Stripe knows, on this machine: payments, pages to pay on, refunds, and what became of them.
import type { Answer, LedgerLine, Switch } from './loopback.ts';

export type Fields = Record<string, unknown>;
export type Intent = Fields & {
  id: string;
  status: string;
  amount: number;
  currency: string;
  metadata: Record<string, string>;
  created: number;
};
export type Page = Fields & { id: string; status: string };
export type Refund = Fields & { id: string; amount: number; status: string };

export const failure = (status: number, error: Fields): Answer => ({ status, body: { error } });

/** `pm_card_visa_DE_7` is card 7 of a German bank, `pm_card_chargeDeclined_DE_7` the same one when it is declined. */
function cardOf(method: unknown): { country: string; fingerprint: string } {
  const [, country = 'US', fingerprint = 'Xt5EWLLDS7FJjR1c'] =
    /^pm_card_\w+_([A-Z]{2})_(\w+)$/.exec(String(method)) ?? [];
  return { country, fingerprint };
}

export class StripeWorld {
  protected readonly intents = new Map<string, Intent>();
  protected readonly pages = new Map<string, Page>();
  protected readonly refunds = new Map<string, Refund>();
  /** Events that Stripe would report, oldest first. */
  readonly events: Fields[] = [];
  protected readonly now: () => number;
  protected readonly takes: (...what: Switch[]) => Switch | null;
  #count = 0;

  protected constructor(now: () => number, takes: (...what: Switch[]) => Switch | null) {
    this.now = now;
    this.takes = takes;
  }

  /** What was taken, oldest first. */
  charges(): LedgerLine[] {
    return [...this.intents.values()]
      .filter(({ status }) => status === 'succeeded')
      .map((one) => ({
        paymentId: one.metadata.payment_id ?? null,
        transactionId: one.id,
        amount: Number(one.amount_received),
        currency: one.currency.toUpperCase(),
      }));
  }
  /** What is left of a payment, or of all of them, after refunds; in units of Stripe. */
  balanceCents(paymentId?: string): number {
    const charged = this.charges().filter((one) => paymentId === undefined || one.paymentId === paymentId);
    const ids = new Set(charged.map(({ transactionId }) => transactionId));
    const back = [...this.refunds.values()].filter(
      (one) => ids.has(String(one.payment_intent)) && one.status !== 'failed',
    );
    return (
      charged.reduce((sum, { amount }) => sum + amount, 0) - back.reduce((sum, { amount }) => sum + amount, 0)
    );
  }

  /** What the buyer does on the page of the bank. @param ok false when they cannot prove who they are */
  authenticate(intentId: string, ok = true): void {
    const intent = this.intents.get(intentId) as Intent;
    intent.next_action = null;
    if (ok) this.settle(intent);
    else this.refuse(intent, 'payment_intent_authentication_failure', 'authentication_failure');
  }

  /** What the buyer does on Stripe's page. @returns the payment that it became */
  payOnPage(pageId: string): string {
    const page = this.pages.get(pageId) as Page;
    const data = page.payment_intent_data as Fields;
    const intent = this.make({
      amount: Number(page.amount_total),
      currency: String(page.currency),
      capture_method: data.capture_method,
      metadata: data.metadata as Record<string, string>,
    });
    this.settle(intent);
    Object.assign(page, { status: 'complete', payment_status: 'paid', payment_intent: intent.id, url: null });
    return intent.id;
  }

  /** A payment that was pending comes to its end. */
  finish(intentId: string, ok = true): void {
    const intent = this.intents.get(intentId) as Intent;
    if (ok) this.settle(intent);
    else this.refuse(intent, 'card_declined', 'generic_decline');
  }
  finishRefund(refundId: string, ok = true): void {
    const refund = this.refunds.get(refundId) as Refund;
    refund.status = ok ? 'succeeded' : 'failed';
    if (!ok) refund.failure_reason = 'declined';
    this.tell(ok ? 'refund.updated' : 'refund.failed', refund);
  }
  /** The owner of the card complains. @param status the end of it; absent: it begins */
  dispute(intentId: string, status?: 'won' | 'lost' | 'warning_closed'): void {
    const { amount, currency } = this.intents.get(intentId) as Intent;
    const dispute = {
      id: `dp_${intentId}`,
      object: 'dispute',
      payment_intent: intentId,
      amount,
      currency,
      reason: 'fraudulent',
      status: status ?? 'needs_response',
    };
    this.tell(status ? 'charge.dispute.closed' : 'charge.dispute.created', dispute);
  }

  protected id(prefix: string): string {
    this.#count += 1;
    return `${prefix}_loopback${String(this.#count).padStart(8, '0')}`;
  }

  protected tell(type: string, object: Fields): void {
    const created = Math.floor(this.now() / 1000);
    const data = { object: structuredClone(object) };
    this.events.push({ id: this.id('evt'), object: 'event', type, created, livemode: false, data });
  }

  protected make(fields: Pick<Intent, 'amount' | 'currency' | 'metadata'> & Fields): Intent {
    const id = this.id('pi');
    const intent: Intent = {
      object: 'payment_intent',
      amount_received: 0,
      amount_capturable: 0,
      client_secret: `${id}_secret_never_kept`,
      next_action: null,
      last_payment_error: null,
      latest_charge: null,
      livemode: false,
      payment_method_types: ['card'],
      created: Math.floor(this.now() / 1000),
      status: 'requires_confirmation',
      ...fields,
      id,
    };
    this.intents.set(id, intent);
    return intent;
  }

  /** The money is taken, or held. */
  protected settle(intent: Intent): void {
    const isManual = intent.capture_method === 'manual' && intent.status !== 'requires_capture';
    const amount = this.takes('wrong_amount') ? intent.amount + 100 : intent.amount;
    const created = Math.floor(this.now() / 1000);
    intent.latest_charge = {
      id: this.id('ch'),
      object: 'charge',
      billing_details: { email: 'ann@x.test', name: 'Ann' },
      payment_method_details: {
        type: 'card',
        card: {
          brand: 'visa',
          last4: '4242',
          ...cardOf(intent.payment_method),
          ...(isManual && { capture_before: created + 7 * 86_400 }),
        },
      },
    };
    Object.assign(
      intent,
      isManual
        ? { status: 'requires_capture', amount_capturable: amount }
        : { status: 'succeeded', amount_received: amount },
    );
    this.tell(isManual ? 'payment_intent.amount_capturable_updated' : 'payment_intent.succeeded', intent);
  }

  protected refuse(intent: Intent, code: string, declineCode: string): Answer {
    const message = 'Your card was declined.';
    const card = { brand: 'visa', last4: '4242', ...cardOf(intent.payment_method) };
    const payment_method = { type: 'card', card };
    const error = { type: 'card_error', code, decline_code: declineCode, message, payment_method };
    Object.assign(intent, { status: 'requires_payment_method', last_payment_error: error });
    this.tell('payment_intent.payment_failed', intent);
    return failure(402, { ...error, payment_intent: intent });
  }
}
