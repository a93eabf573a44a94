import type { Config } from '#kernel/config/config.ts';
import type { Ctx } from '#kernel/context.ts';
import {
  type Integration,
  mappingsOf,
  type ProductMapping,
} from '#licensing/purchases/integrations/index.ts';
import type { CardLines } from '../card.ts';
import { urlOf } from './address.ts';

/** A mapping as the command line shows it (cli.md section 2). */
export type MappingView = ReturnType<typeof mappingView>;

export const mappingView = ({ configId, createdAt, updatedAt, productSlug, ...shown }: ProductMapping) => ({
  ...shown,
  product: productSlug,
});

/** An integration as the command line shows it (cli.md section 2); never a secret. */
export type IntegrationView = ReturnType<typeof integrationView>;

export const integrationView = (
  { tenantId, updatedAt, ...shown }: Integration,
  config: Config,
  mappings: readonly ProductMapping[],
) => ({ ...shown, url: urlOf(config, shown.id), mappings: mappings.map(mappingView) });

/** Views of integrations with their mappings. */
export async function viewsOf(
  ctx: Ctx,
  config: Config,
  found: readonly Integration[],
): Promise<IntegrationView[]> {
  const mappings = await mappingsOf(
    ctx,
    found.map(({ id }) => id),
  );
  return found.map((one) => integrationView(one, config, mappings.get(one.id) ?? []));
}

/** One integration for a person: what to paste at the processor first, then what it sells. */
export const integrationLines = (view: IntegrationView & { secret?: string }): CardLines => [
  ['id', view.id],
  ['name', view.name],
  ['processor', view.processor],
  ['url', view.url],
  ['secret', view.secret],
  ['notification url', view.notificationUrl],
  ['enabled', view.enabled ? 'yes' : 'no: its events are refused'],
  ['last event', view.lastEventAt ?? 'never'],
  ['previous secret valid until', view.previousUntil],
  ['created', view.createdAt],
  ...view.mappings.map((mapping, index): [string, string] => [
    index === 0 ? 'mappings' : '',
    mappingText(mapping),
  ]),
  ...(view.mappings.length === 0 ? [['mappings', 'none: every purchase is unmapped'] as const] : []),
];

export const seatsText = (count: number): string => (count === 1 ? '1 seat' : `${count} seats`);

/** `price_1 → editor: SUBSCRIPTION, PERSONAL, 1 seat, 365 days`. */
export function mappingText(mapping: MappingView): string {
  const days = mapping.durationDays === null ? 'without an end' : `${mapping.durationDays} days`;
  const facts = [mapping.licenseType, mapping.licenseTier, seatsText(mapping.maxActivations), days];
  if (mapping.quantityMode === 'SEATS') facts.push('quantity buys seats');
  if (mapping.onRefund !== 'NONE')
    facts.push(`a refund ${mapping.onRefund === 'REVOKE' ? 'revokes' : 'suspends'}`);
  return `${mapping.externalProductId} → ${mapping.product}: ${facts.join(', ')}`;
}
