import type { Ctx, StoredEvent } from '#kernel/context.ts';

/** The services that tell others of their events. */
export type WebhookServiceName = 'license' | 'store';

/** One event that a webhook can subscribe to, for lists of them. */
export interface WebhookEvent {
  readonly name: string;
  readonly description: string;
  /** `data` of an example payload. */
  readonly example: Readonly<Record<string, unknown>>;
}

/** How often and when a delivery is tried (reliability M7). */
export interface RetryPlan {
  /** Seconds before each attempt, counted from the end of the one before; the first is 0. */
  readonly delaysSeconds: readonly number[];
  /** Whether an answer is worth another attempt; a network error and a time-out always are. */
  retries(status: number): boolean;
  /** Whether an answer says that the receiver wants nothing any more: the webhook is disabled at once. */
  endsWebhook(status: number): boolean;
}

/** What settings say of the sending; they are read at every attempt. */
export interface SendingTerms {
  /** Attempts before a delivery is given up; the plan's last delay stands before all that it does not name. */
  readonly attempts: number;
  /** From the look-up of the name to the head of the answer; 10,000 at most, which the lease of an attempt allows. */
  readonly timeoutMs: number;
  /** Who sends, for the header User-Agent. */
  readonly sender: string;
}

/** What a webhook may narrow its events by, and what it wants of their payload. */
export interface PayloadWishes {
  /** Product ids; null takes all. */
  readonly productIds: readonly string[] | null;
  readonly redactEmail: boolean;
}

/** What of a service an event needs on its way to its receivers: every process has it, short commands too. */
export interface SendingService {
  readonly name: WebhookServiceName;
  /** Whether a subscription (names, or `*`) takes an event of this type. */
  subscribes(subscription: readonly string[], type: string): boolean;
  /** Whether an event is about one of the webhook's products; asked only when it names some. */
  concerns(ctx: Ctx, event: StoredEvent, productIds: readonly string[]): Promise<boolean>;
  /** The body, before it is frozen as JSON text. */
  payload(event: StoredEvent, wishes: PayloadWishes): Record<string, unknown>;
  readonly plan: RetryPlan;
  terms(ctx: Ctx): SendingTerms;
  /** Bytes of a response that the delivery log keeps. */
  readonly excerptBytes: number;
}

/**
 * What differs between the webhooks of the two services; the engine is one (issue: Webhooks, out and in). Each service
 * gives its value to every call.
 */
export interface WebhookService extends SendingService {
  /** Every event that can be subscribed to by its name. */
  readonly events: readonly WebhookEvent[];
  /** What a new webhook subscribes to when it names nothing. */
  readonly defaultEvents: readonly string[];
  /** Why an event of the specification cannot be subscribed to; undefined for a name that means nothing. */
  whyNotOffered?(name: string): string | undefined;
  /**
   * The products that a webhook names by id or slug: one id per name, null for one that the caller may not know of.
   * Absent where a service knows no products: its webhooks can name none.
   */
  findProducts?(ctx: Ctx, named: readonly string[]): Promise<(string | null)[]>;
  readonly testEvent: string;
  /** `data` of the event that a test sends, or of another event when one is asked for. */
  testData(event: string, webhook: { id: string; note: string | null }): Record<string, unknown>;
}
