import type { Ctx } from '#kernel/context.ts';
import { nearest } from '#kernel/edit-distance.ts';
import type { AppError } from '#kernel/errors.ts';
import { requireUnconfined } from '#kernel/service/confined.ts';
import { invalidField } from '#kernel/service/errors.ts';
import type { WebhookService } from '../service.ts';

/** Event names are long and made of a few words: a near one may miss more letters than a command's name. */
const nearEnough = (candidate: string): number => Math.min(5, Math.floor(candidate.length / 3));

/**
 * The events that a webhook subscribes to, as they are stored (D121).
 *
 * @param named names, or `*` alone
 * @throws AppError VALIDATION_ERROR that names the nearest event
 */
export function checkEvents(service: WebhookService, named: readonly string[]): string[] {
  const known = new Set(service.events.map(({ name }) => name));
  for (const name of named) if (name !== '*' && !known.has(name)) throw unknownEvent(service, 'events', name);
  if (new Set(named).size < named.length) throw invalidField('events', 'lists an event twice');
  if (named.includes('*') && named.length > 1)
    throw invalidField('events', 'use * alone or list single events: * cannot be combined with others');
  return [...named];
}

/** What is wrong with a name that is not one of the service's events. @param field that holds it */
export function unknownEvent(service: WebhookService, field: string, name: string): AppError {
  if (name === service.testEvent)
    return invalidField(field, `${name} needs no subscription: a test is sent to any webhook`);
  const why = service.whyNotOffered?.(name);
  if (why !== undefined) return invalidField(field, why);
  const offered = service.events.map((one) => one.name);
  const bySpelling = new Map(offered.map((one) => [one.toUpperCase(), one]));
  const upper = name.toUpperCase();
  const meant =
    bySpelling.get(upper) ?? bySpelling.get(nearest(upper, [...bySpelling.keys()], nearEnough) ?? '');
  const list = `appctl webhook events${service.name === 'license' ? '' : ` --service ${service.name}`}`;
  const hint = meant === undefined ? `${list} lists them` : `did you mean ${meant}?`;
  return invalidField(field, `${name} is not an event; ${hint}`);
}

/**
 * Ids of the products that a webhook names, without doubles; null for all.
 *
 * @param named ids or slugs
 * @throws AppError VALIDATION_ERROR for one that the caller may not know of; INSUFFICIENT_SCOPE for all of them by one
 *   who is confined to some
 */
export async function checkProducts(
  ctx: Ctx,
  service: WebhookService,
  named: readonly string[] | null,
): Promise<string[] | null> {
  if (named === null || named.length === 0) requireUnconfined(ctx.actor, 'license_product');
  if (named === null) return null;
  if (!service.findProducts) throw invalidField('productIds', 'webhooks of this service have no products');
  const found = await service.findProducts(ctx, named);
  const unknown = named.filter((_, at) => found[at] === null);
  if (unknown.length > 0)
    throw invalidField('productIds', `names a product that was not found: ${unknown.join(', ')}`);
  return [...new Set(found as string[])];
}
