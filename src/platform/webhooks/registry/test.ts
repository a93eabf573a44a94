import type { Ctx, StoredEvent } from '#kernel/context.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { attemptOnce, type Sendable, type SignedRequest, signedRequest } from '../deliveries/attempt.ts';
import { insertAttempt } from '../deliveries/repository.ts';
import { ids } from '../record.ts';
import type { WebhookService } from '../service.ts';
import type { Attempt, DeliveryRecord } from '../webhook.ts';
import { applyOverrides, type Override } from './overrides.ts';
import { insertTest } from './queries.ts';
import { unknownEvent } from './subscription.ts';
import { get } from './webhooks.ts';

const LONGEST_NOTE = 500;
const MASK = '[redacted]';

/** What a test sends. */
export interface TestInput {
  /** The service's test event when left out, else any event of its catalogue with an example of its data. */
  event?: string | undefined;
  overrides?: readonly Override[] | undefined;
  /** At most 500 characters; part of the test event. */
  note?: string | null | undefined;
}

/** A test before it is signed; `at` is the time that its body says. */
type TestContent = Sendable & { at: string };

/**
 * Sends a test to a webhook, enabled or not: one signed attempt, made at once by this process and kept in the log of
 * deliveries as a test. Its body says `"test": true`. Failures neither count toward the 20 nor are they retried.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for an unknown event or an override that leads nowhere
 */
export async function sendTest(
  ctx: Ctx,
  service: WebhookService,
  id: string,
  input: TestInput = {},
): Promise<DeliveryRecord> {
  const { at, ...sendable } = await testContent(ctx, service, id, input);
  const { outcome: _outcome, ...attempt } = await attemptOnce(ctx, service, id, sendable);
  const { event, eventId, body } = sendable;
  return ctx.tx(async (ctx) => {
    // It may have been deleted while the receiver took its time.
    const webhook = await get(ctx, service, id);
    const delivery: DeliveryRecord = {
      id: ctx.newId(ids.delivery),
      webhookId: webhook.id,
      webhookName: webhook.name,
      eventId,
      event,
      subject: webhook.id,
      body,
      state: isSuccess(attempt) ? 'DELIVERED' : 'FAILED',
      isTest: true,
      run: 0,
      attempts: 1,
      nextAttemptAt: null,
      lastStatus: attempt.status,
      lastError: attempt.error,
      lastMs: attempt.ms,
      createdAt: at,
      endedAt: ctx.now(),
      log: [attempt],
    };
    await insertTest(ctx, delivery);
    await insertAttempt(ctx, delivery.id, attempt);
    return delivery;
  });
}

/**
 * The request that a test would send, signed with the current secret. Values of the webhook's own headers are masked:
 * they may be credentials, and are shown nowhere.
 *
 * @throws as sendTest does
 */
export async function printTest(
  ctx: Ctx,
  service: WebhookService,
  id: string,
  input: TestInput = {},
): Promise<SignedRequest> {
  const { at: _at, ...sendable } = await testContent(ctx, service, id, input);
  const { headerNames } = await get(ctx, service, id);
  const request = await signedRequest(ctx, service, id, sendable);
  const masks = headerNames.filter((name) => name in request.headers).map((name) => [name, MASK] as const);
  return { ...request, headers: { ...request.headers, ...Object.fromEntries(masks) } };
}

async function testContent(
  ctx: Ctx,
  service: WebhookService,
  id: string,
  { event = service.testEvent, overrides = [], note = null }: TestInput,
): Promise<TestContent> {
  const webhook = await get(ctx, service, id);
  const isKnown = event === service.testEvent || service.events.some(({ name }) => name === event);
  if (!isKnown) throw unknownEvent(service, 'event', event);
  if (note !== null && note.length > LONGEST_NOTE)
    throw invalidField('note', `must have at most ${LONGEST_NOTE} characters`);
  const stored: StoredEvent = {
    type: event,
    service: service.name,
    subject: id,
    data: service.testData(event, { id, note }),
    id: ctx.newId('evt'),
    at: ctx.now(),
    tenantId: ctx.tenantId,
  };
  const payload = { ...service.payload(stored, webhook), test: true };
  const body = JSON.stringify(applyOverrides(payload, overrides));
  return { event, eventId: stored.id, at: stored.at, body, n: 1, isRedelivery: false };
}

const isSuccess = ({ status }: Attempt): boolean => status !== null && status >= 200 && status < 300;
