import type { Ctx } from '#kernel/context.ts';
import { hmacSha256Hex } from '#kernel/crypto.ts';
import { sendToTarget } from '#kernel/outbound/send.ts';
import type { TargetOutcome } from '#kernel/outbound/types.ts';
import { alertsPing, alertsWebhook, alertsWebhookSecret } from '../mail/index.ts';
import { targetRules } from '../webhooks/index.ts';

const TIMEOUT_MS = 8000;
const KEPT_BYTES = 200;
const USER_AGENT = 'appctl/1.0';

/** What a receiver is told. */
export interface Told {
  readonly event: 'ALERT_BEGUN' | 'ALERT_OVER' | 'ALERT_TEST';
  readonly id: string;
  /** The server that it is about, of several; null for the installation. */
  readonly server: string | null;
  readonly title: string;
  readonly message: string;
  readonly hint: string | null;
  readonly begunAt: string;
  readonly endedAt: string | null;
}

/** Why a request came to nothing; null when it was answered with 2xx. */
export const whyFailed = (outcome: TargetOutcome): string | null => {
  if (!('status' in outcome)) return outcome.error;
  return outcome.status >= 200 && outcome.status < 300 ? null : `it answered ${outcome.status}`;
};

/**
 * Posts to `alerts.webhook`, signed as every webhook is.
 *
 * @param attempt 1, 2, 3 …
 * @returns why it was not taken; null when it was, or when there is no such address any more
 */
export async function post(ctx: Ctx, told: Told, attempt = 1): Promise<string | null> {
  const url = ctx.settings.get(alertsWebhook);
  if (url === null) return null;
  const secret = ctx.settings.get(alertsWebhookSecret);
  if (secret === null) return 'nothing was sent: alerts.webhook_secret is not set, so it cannot be signed';
  const body = JSON.stringify({ ...told, url: `${ctx.baseUrl}/admin/system` });
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': USER_AGENT,
    'X-Webhook-Event': told.event,
    'X-Webhook-Id': told.id,
    'X-Webhook-Attempt': String(attempt),
    'X-Webhook-Timestamp': ctx.now(),
    'X-Webhook-Signature': `sha256=${hmacSha256Hex(secret, body)}`,
  };
  const request = {
    url,
    method: 'POST',
    headers,
    body,
    timeoutMs: TIMEOUT_MS,
    keepBytes: KEPT_BYTES,
  } as const;
  return whyFailed(await sendToTarget(request, targetRules(ctx)));
}

/**
 * Asks `alerts.ping`.
 *
 * @returns why it was not taken; null when it was, or when there is no such address
 */
export async function ping(ctx: Ctx, isWell: boolean): Promise<string | null> {
  const address = ctx.settings.get(alertsPing);
  if (address === null) return null;
  const url = new URL(address);
  if (!isWell) url.pathname = `${url.pathname.replace(/\/$/, '')}/fail`;
  const headers = { 'User-Agent': USER_AGENT };
  const request = {
    url: url.href,
    method: 'GET',
    headers,
    body: '',
    timeoutMs: TIMEOUT_MS,
    keepBytes: KEPT_BYTES,
  } as const;
  return whyFailed(await sendToTarget(request, targetRules(ctx)));
}
