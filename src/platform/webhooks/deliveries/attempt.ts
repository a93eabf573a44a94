import type { Ctx } from '#kernel/context.ts';
import { SealError } from '#kernel/crypto.ts';
import { sendToTarget } from '#kernel/outbound/send.ts';
import type { TargetOutcome } from '#kernel/outbound/types.ts';
import { fail } from '#kernel/service/errors.ts';
import type { SendingService } from '../service.ts';
import { targetRules } from '../settings.ts';
import type { Attempt } from '../webhook.ts';
import { headersOf, redactHeaders, type Sendable } from './headers.ts';
import { REDACTION_MARGIN, redactAnswer } from './redact.ts';
import { findSender } from './repository.ts';
import { type Credentials, openCredentials, type Sender } from './sender.ts';

export type { Sendable } from './headers.ts';

/** One attempt as the log keeps it, and what came of it. */
export type Attempted = Omit<Attempt, 'run'> & { outcome: TargetOutcome };

/** A request as it would be sent now, with its signature: for people who look at it. */
export interface SignedRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Signs a request and sends nothing.
 *
 * @throws AppError NOT_FOUND; SealError when the master key is not that of the webhook
 */
export async function signedRequest(
  ctx: Ctx,
  service: SendingService,
  webhookId: string,
  sendable: Sendable,
): Promise<SignedRequest> {
  const sender = await findSender(ctx, webhookId);
  if (!sender) throw fail('NOT_FOUND', `webhook ${webhookId} was not found`);
  const { sender: name } = service.terms(ctx);
  const headers = sign(ctx, sendable, openCredentials(ctx, sender), name);
  return { url: sender.url, headers, body: sendable.body };
}

/**
 * Signs, sends once and tells what came of it; the log of deliveries is the caller's to write. It ends within 10 s.
 *
 * @param webhookId of the caller's tenant or not: who may send is decided before
 * @throws AppError NOT_FOUND
 */
export async function attemptOnce(
  ctx: Ctx,
  service: SendingService,
  webhookId: string,
  sendable: Sendable,
): Promise<Attempt & { outcome: TargetOutcome }> {
  const sender = await findSender(ctx, webhookId);
  if (!sender) throw fail('NOT_FOUND', `webhook ${webhookId} was not found`);
  return { run: 0, ...(await send(ctx, service, sender, sendable)) };
}

/** As attemptOnce, for a webhook that was read already. */
export async function send(
  ctx: Ctx,
  service: SendingService,
  sender: Sender,
  sendable: Sendable,
): Promise<Attempted> {
  const at = ctx.now();
  const credentials = tryOpen(ctx, sender);
  if (typeof credentials === 'string') {
    const outcome: TargetOutcome = { ms: 0, failure: 'blocked', error: credentials };
    return { n: sendable.n, at, ms: 0, ...UNSENT, error: credentials, outcome };
  }
  const { timeoutMs, sender: name } = service.terms(ctx);
  const headers = sign(ctx, sendable, credentials, name);
  const request = {
    url: sender.url,
    method: 'POST',
    headers,
    body: sendable.body,
    timeoutMs,
    keepBytes: service.excerptBytes + REDACTION_MARGIN,
  } as const;
  const outcome = understood(await sendToTarget(request, targetRules(ctx)));
  const answer = redactAnswer(outcome, credentials, service.excerptBytes);
  return {
    n: sendable.n,
    at,
    ms: outcome.ms,
    status: 'status' in outcome ? outcome.status : null,
    error: 'status' in outcome ? null : outcome.error,
    requestHeaders: redactHeaders(headers, credentials.headers),
    responseHeaders: answer?.headers ?? null,
    responseExcerpt: answer?.excerpt ?? null,
    outcome,
  };
}

/** No three digits are no status: the log could not keep it, and nobody could say what the receiver meant. */
const understood = (outcome: TargetOutcome): TargetOutcome =>
  'status' in outcome && (outcome.status < 100 || outcome.status > 999)
    ? { ms: outcome.ms, failure: 'network', error: `the receiver answered with status ${outcome.status}` }
    : outcome;

const UNSENT = { status: null, requestHeaders: {}, responseHeaders: null, responseExcerpt: null };

const sign = (
  ctx: Ctx,
  sendable: Sendable,
  credentials: Credentials,
  sender: string,
): Record<string, string> => headersOf(sendable, credentials, { sender, sentAt: ctx.now() });

/** A secret that does not open is a failed attempt like any other: it must neither stop the worker nor wait for ever. */
function tryOpen(ctx: Ctx, sender: Sender): Credentials | string {
  try {
    return openCredentials(ctx, sender);
  } catch (error) {
    if (error instanceof SealError) return `nothing was sent: ${error.message}`;
    throw error;
  }
}
