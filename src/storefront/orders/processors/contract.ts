/** What every payment processor does for the shop (storefront-domain section 11), in words that none of them owns. */
import type { Ctx } from '#kernel/context.ts';
import type { ProcessorField, ProcessorId } from '#storefront/contract/payment-settings.ts';

/** What a processor needs of the program: no table, no transaction. */
export type ProcessorCtx = Pick<
  Ctx,
  'settings' | 'processorUrls' | 'mode' | 'baseUrl' | 'dataDir' | 'log' | 'now'
>;

export interface Capabilities {
  readonly payments: boolean;
  readonly refunds: boolean;
  readonly subscriptions: boolean;
  /** It can hold the money first and take it later. Without it, the money is taken at once in either capture mode. */
  readonly authorize: boolean;
  /** It has a page of its own to pay on: `pay` without a source answers its address. */
  readonly redirect: boolean;
}

/** What became of a payment, as far as the processor says. */
export type OutcomeStatus =
  /** The money was taken. */
  | 'captured'
  /** The money is held until it is captured or voided. */
  | 'authorized'
  /** The buyer has something to do: `nextAction`. */
  | 'requires_action'
  /** Not known yet: the processor still works on it, or its answer was lost. `lookup` decides. */
  | 'pending'
  /** No money was and none will be taken; the buyer may try again. */
  | 'declined'
  /** What was held or begun was given up at the processor; no money was taken. */
  | 'voided';

export type NextAction =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'client'; readonly clientSecret: string }
  /** The buyer has agreed: `confirm` takes the money. */
  | { readonly kind: 'confirm' };

export interface Outcome {
  readonly status: OutcomeStatus;
  /** Of the processor; null while it is not known. It may change: a page to pay on becomes a payment. */
  readonly transactionId: string | null;
  /**
   * As the processor reports it: of a captured payment what was taken, of an authorized one what is held. Of a pending
   * one whose answer was lost it is what was asked for, or 0 where nobody asked for an amount.
   */
  readonly amountCents: number;
  readonly currency: string;
  /** `Visa •••• 4242`. */
  readonly methodLabel: string;
  /** The same for every payment with the same card; null where the processor has none. */
  readonly fingerprint: string | null;
  /** Of the card or the account, two letters. */
  readonly country: string | null;
  readonly nextAction?: NextAction;
  /** Of a declined payment: `card_declined`, `insufficient_funds`, `expired_card`, `unavailable` and others. */
  readonly errorCode?: string;
  /** Why, in words for the buyer. */
  readonly message?: string;
  /** When an authorized payment is given back by itself. */
  readonly authorizationExpiresAt?: string;
  /** What the processor answered, without secrets and without numbers of cards. */
  readonly raw: Readonly<Record<string, unknown>>;
}

export interface PayRequest {
  /** Also the idempotency key: the same payment twice is one charge. */
  readonly paymentId: string;
  readonly orderId: string;
  readonly orderNumber: string;
  /** What the processor's script in the browser made of the card; null to pay on the processor's own page. */
  readonly sourceId: string | null;
  readonly amountCents: number;
  readonly currency: string;
  /** False to hold the money only, where the processor can. */
  readonly capture: boolean;
  readonly email: string;
  /** Where the buyer comes back to after paying, or proving who they are, elsewhere. */
  readonly returnUrl: string;
  readonly cancelUrl: string;
  readonly billing?: BillingAddress;
  /** What the buyer reads on the processor's page, such as `Order 1001`. */
  readonly description: string;
}

export interface BillingAddress {
  readonly name: string;
  readonly line1: string;
  readonly line2: string | null;
  readonly city: string;
  readonly state: string | null;
  readonly postalCode: string | null;
  readonly country: string;
}

export interface LookupRequest {
  readonly paymentId: string;
  /** Null when the answer that would have named it was lost. */
  readonly transactionId: string | null;
  /** When `pay` was called first. */
  readonly createdAt: string;
}

/** A change of a payment that is there; `key` makes its repetition the same change. */
export interface ChangeRequest {
  readonly paymentId: string;
  readonly transactionId: string;
  readonly key: string;
}

export interface AmountRequest extends ChangeRequest {
  readonly amountCents: number;
  readonly currency: string;
}

export interface RefundRequest extends AmountRequest {
  readonly reason: string;
}

/** What became of giving up a payment or paying one back. `pending` is also an answer that was lost. */
export interface Settled {
  readonly status: 'succeeded' | 'pending' | 'failed';
  /** Why it failed, in words for staff. */
  readonly error?: string;
}

export interface RefundOutcome extends Settled {
  readonly refundId: string | null;
  /** As the processor reports it; null while it does not. */
  readonly amountCents: number | null;
  readonly currency: string | null;
}

/** Types of notifications that the shop acts on. */
export const NOTIFICATION_TYPES = [
  'payment.succeeded',
  'payment.authorized',
  'payment.failed',
  'refund.succeeded',
  'refund.failed',
  'dispute.opened',
  'dispute.won',
  'dispute.lost',
] as const;

export type NotificationType = (typeof NOTIFICATION_TYPES)[number];

/** What a processor reports by itself, its signature being right. */
export interface Notification {
  readonly ignored: false;
  readonly processorEventId: string;
  readonly type: NotificationType;
  /** Of the payment, also where the event is about a refund or a dispute. */
  readonly transactionId: string | null;
  /** Ours, where the processor names it; an event about a refund or a dispute may name the transaction alone. */
  readonly paymentId: string | null;
  /** Of the payment, the refund or the dispute. */
  readonly amountCents: number;
  readonly currency: string;
  readonly refundId: string | null;
  /** The `key` of the refund, where the processor repeats it. */
  readonly refundKey: string | null;
  readonly errorCode: string | null;
  /** What it sent, without secrets and without numbers of cards. */
  readonly raw: Readonly<Record<string, unknown>>;
}

/** One that is stored and needs nothing. */
export interface IgnoredNotification {
  readonly ignored: true;
  readonly processorEventId: string;
  /** As the processor calls it. */
  readonly type: string;
  readonly raw: Readonly<Record<string, unknown>>;
}

/** Names in lower case, as Node has them. */
export type NotificationHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A processor with the keys that were set when it was connected: make one for each piece of work. */
export interface Connection {
  /**
   * Charges, or begins to. The idempotency key is the payment id; an answer that never came is `pending`, never a
   * decline. Nothing that a network or a processor does is thrown.
   */
  pay(request: PayRequest): Promise<Outcome>;
  /**
   * What the processor knows of a payment, by its transaction, its idempotency key or its reference.
   *
   * @returns 'unknown' when it has never seen it: while a call of `pay` may still be on its way, that proves nothing
   */
  lookup(request: LookupRequest): Promise<Outcome | 'unknown'>;
  /** Goes on after the buyer proved who they are, or agreed on the processor's page. */
  confirm(request: { readonly paymentId: string; readonly transactionId: string }): Promise<Outcome>;
  /** Takes what was authorized, or a part of it: the rest is given back. */
  capture(request: AmountRequest): Promise<Outcome>;
  /** Gives up a payment of which no money was taken yet: authorized, or waiting for the buyer. */
  void(request: ChangeRequest): Promise<Settled>;
  refund(request: RefundRequest): Promise<RefundOutcome>;
  /** What became of a refund whose answer was lost, or that was pending; 'unknown' as `lookup` says it. */
  lookupRefund(
    request: AmountRequest & { readonly refundId: string | null; readonly createdAt: string },
  ): Promise<RefundOutcome | 'unknown'>;
  /**
   * Reads a notification.
   *
   * @param rawBody as it came, byte by byte
   * @throws AppError UNAUTHORIZED when its signature does not hold or no secret is set
   */
  verify(rawBody: Buffer, headers: NotificationHeaders): Promise<Notification | IgnoredNotification>;
  /** Asks the processor whether the keys are right. It costs nothing and changes nothing. */
  test(): Promise<{ readonly ok: boolean; readonly message: string }>;
}

/** What the page of the checkout needs of a processor. */
export interface ClientConfig {
  /** Public values only. */
  readonly config: Readonly<Record<string, string>>;
  /** Origins that the Content-Security-Policy of the page must allow, by directive; empty where nothing is loaded. */
  readonly csp: {
    readonly scripts: readonly string[];
    readonly frames: readonly string[];
    readonly connects: readonly string[];
    readonly images: readonly string[];
    readonly styles: readonly string[];
  };
  /** The script that the page loads; null where the browser needs none. */
  readonly scriptUrl: string | null;
}

export interface Processor {
  readonly id: ProcessorId;
  /** For staff: what they have an account with. */
  readonly name: string;
  /** For buyers: what they pay with. */
  readonly displayName: string;
  readonly kind: 'card' | 'wallet' | 'offline';
  readonly capabilities: Capabilities;
  readonly fields: readonly ProcessorField[];
  client(ctx: ProcessorCtx): ClientConfig;
  /**
   * Loads what speaks with the processor, with the settings as they are now.
   *
   * @throws AppError VALIDATION_ERROR with reason PAYMENT_UNAVAILABLE when it is not configured
   */
  connect(ctx: ProcessorCtx): Promise<Connection>;
}
