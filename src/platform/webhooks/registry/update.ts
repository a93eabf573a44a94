import { isDeepStrictEqual } from 'node:util';
import type { Ctx } from '#kernel/context.ts';
import { invalidField } from '#kernel/service/errors.ts';
import { checkInput } from '#kernel/service/input.ts';
import type { WebhookService } from '../service.ts';
import type { Webhook } from '../webhook.ts';
import { type Change, type ChangeOptions, changeWebhook } from './change.ts';
import type { Columns } from './repository.ts';
import { type WebhookChanges, WebhookUpdateBody, type WebhookUpdateInput } from './schemas.ts';
import { sealHeaders } from './secrets.ts';
import { checkEvents, checkProducts } from './subscription.ts';
import { disabling, enabling } from './switch.ts';
import { judgeUrl } from './webhooks.ts';

/**
 * Changes fields of a webhook; what is absent stays. What waits already is sent to the new URL with the body that was
 * frozen. A call that changes nothing writes nothing. Headers do not move to another server unseen.
 *
 * @returns `warning` as in create, when the URL was sent
 * @throws AppError NOT_FOUND, VALIDATION_ERROR, PRECONDITION_FAILED
 */
export async function update(
  ctx: Ctx,
  service: WebhookService,
  id: string,
  input: WebhookUpdateInput,
  options: ChangeOptions = {},
): Promise<{ webhook: Webhook; warning: string | null }> {
  const sent = checkInput(WebhookUpdateBody, input);
  const changes = {
    ...sent,
    ...(sent.events && { events: checkEvents(service, sent.events) }),
    ...(sent.productIds !== undefined && {
      productIds: await checkProducts(ctx, service, sent.productIds),
    }),
  };
  // Outside of the transaction: a look-up waits for other machines.
  const warning = changes.url === undefined ? null : await judgeUrl(ctx, changes.url);
  const webhook = await changeWebhook(ctx, service, id, options, (ctx, before) =>
    decide(ctx, before, changes, options.note),
  );
  return { webhook, warning };
}

async function decide(
  ctx: Ctx,
  before: Webhook,
  changes: WebhookChanges,
  note?: string | null,
): Promise<Change | null> {
  const { enabled, headers, ...fields } = changes;
  const switched = enabled === undefined || enabled === before.enabled ? null : enabled;
  const flip = switched === null ? null : switched ? enabling() : await disabling(ctx, before.id, note);
  const diff = differences(before, fields);
  if (headers === undefined) keepHeadersAtHome(before, changes.url);
  const changed = Object.entries(fields).filter(([name]) => name in diff);
  const columns: Columns = { ...flip?.columns, ...Object.fromEntries(changed) };
  const sealed = headers !== undefined && { headersEnc: sealHeaders(ctx, before.id, headers ?? {}) };
  if (headers !== undefined) {
    // Values may be credentials: the audit log is told their names.
    diff.headers = [before.headerNames, Object.keys(headers ?? {})];
  }
  if (Object.keys(diff).length === 0) return flip;
  if (switched !== null) diff.enabled = [before.enabled, switched];
  return {
    type: 'WEBHOOK_UPDATED',
    columns: { ...columns, ...sealed },
    data: { ...flip?.data, changed: Object.keys(diff) },
  };
}

/**
 * Their values may be credentials that only `licensing:secrets` may see: whoever may change the URL could otherwise have
 * them sent to a server of their own.
 */
function keepHeadersAtHome({ url, headerNames }: Webhook, next: string | undefined): void {
  if (next === undefined || headerNames.length === 0) return;
  if (new URL(next).origin === new URL(url).origin) return;
  const message =
    'must be sent again or removed when the URL points to another server: they may be credentials for the old one';
  throw invalidField('headers', message);
}

type Fields = Omit<WebhookChanges, 'enabled' | 'headers'>;

function differences(before: Webhook, fields: Fields): Record<string, [unknown, unknown]> {
  const pairs = Object.entries(fields)
    .map(([name, value]) => [name, [before[name as keyof Fields], value]] as const)
    .filter(([, [old, value]]) => value !== undefined && !isDeepStrictEqual(old, value));
  return Object.fromEntries(pairs) as Record<string, [unknown, unknown]>;
}
