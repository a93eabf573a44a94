import type { Ctx } from '#kernel/context.ts';
import { checkTarget } from '#kernel/outbound/check.ts';
import { TargetRefused } from '#kernel/outbound/url.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import { webhooksChanged } from '../deliveries/changes.ts';
import { ids } from '../record.ts';
import type { WebhookService } from '../service.ts';
import { targetRules } from '../settings.ts';
import type { Webhook } from '../webhook.ts';
import { type ChangeOptions, tell } from './change.ts';
import { noWebhook } from './errors.ts';
import * as repo from './repository.ts';
import { WebhookCreateBody, type WebhookCreateInput } from './schemas.ts';
import { sealHeaders, sealSecret, signingSecret } from './secrets.ts';
import { checkEvents, checkProducts } from './subscription.ts';

const LONGEST_NAME = 100;

export interface CreateOptions extends Pick<ChangeOptions, 'note'> {
  /** An own signing secret; a new one is made when it is left out. */
  secret?: string | undefined;
}

/**
 * Makes a webhook. Its signing secret is returned this once and stored sealed.
 *
 * @returns `warning` when the name in its URL leads nowhere at this moment
 * @throws AppError VALIDATION_ERROR for a bad field, a URL that the guard refuses among them (D125)
 */
export async function create(
  ctx: Ctx,
  service: WebhookService,
  input: WebhookCreateInput,
  { secret: own, ...options }: CreateOptions = {},
): Promise<{ webhook: Webhook; signingSecret: string; warning: string | null }> {
  const wanted = checkInput(WebhookCreateBody, input);
  const events = checkEvents(service, wanted.events ?? service.defaultEvents);
  const secret = signingSecret(own);
  const productIds = await checkProducts(ctx, service, wanted.productIds ?? null);
  // Outside of the transaction: a look-up waits for other machines.
  const warning = await judgeUrl(ctx, wanted.url);
  const { enabled = true, redactEmail = false, headers = {} } = wanted;
  return ctx.tx(async (ctx) => {
    const now = ctx.now();
    const webhook: Webhook = {
      id: ctx.newId(ids.webhook),
      service: service.name,
      tenantId: ctx.tenantId,
      name: wanted.name ?? hostOf(wanted.url),
      url: wanted.url,
      events,
      productIds,
      redactEmail,
      headerNames: Object.keys(headers),
      enabled,
      disabledAt: enabled ? null : now,
      disabledReason: enabled ? null : 'not enabled yet',
      consecutiveFailures: 0,
      previousUntil: null,
      createdAt: now,
      updatedAt: now,
    };
    const sealed = {
      secret: sealSecret(ctx, webhook.id, secret),
      headers: sealHeaders(ctx, webhook.id, headers),
    };
    await repo.insert(ctx, webhook, sealed);
    await webhooksChanged(ctx);
    const data = { url: webhook.url, events, enabled };
    await tell(ctx, webhook, { type: 'WEBHOOK_CREATED', data, after: webhook }, options.note);
    ctx.origin.keepSecret?.(secret);
    return { webhook, signingSecret: secret, warning };
  });
}

/** @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, service: WebhookService, id: string): Promise<Webhook> {
  const found = await repo.find(ctx, service.name, id);
  if (found === null) throw noWebhook(id);
  return found;
}

/**
 * Judges a URL as at every sending (D125).
 *
 * @returns a warning for a name that leads nowhere now: it may be made later
 * @throws AppError VALIDATION_ERROR with the reason
 */
export async function judgeUrl(ctx: Ctx, url: string): Promise<string | null> {
  try {
    const found = await checkTarget(url, targetRules(ctx));
    return found === 'ok'
      ? null
      : `${new URL(url).hostname} does not resolve now; it is looked up again for every delivery`;
  } catch (error) {
    throw error instanceof TargetRefused ? invalidField('url', error.reason) : error;
  }
}

/** A webhook without a name is called as its host is. */
const hostOf = (url: string): string => new URL(url).host.slice(0, LONGEST_NAME);
