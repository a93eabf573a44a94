import type { z } from 'zod';
import type {
  IntegrationDetails,
  IntegrationView,
  MappingView,
} from '#licensing/purchases/integrations/view.ts';
import type { CardLines } from '../card.ts';

/** An integration as the desk answers it: alone, or with all that it sells. */
export type PlainIntegration = z.output<typeof IntegrationView>;
export type DeskIntegration = z.output<typeof IntegrationDetails>;

/** A mapping as the command line shows it (cli.md section 2). */
export type ShownMapping = ReturnType<typeof mappingView>;

export const mappingView = ({
  configId,
  createdAt,
  updatedAt,
  productSlug,
  ...shown
}: z.output<typeof MappingView>) => ({ ...shown, product: productSlug });

/** An integration as the command line shows it (cli.md section 2); never a secret. */
export type ShownIntegration = ReturnType<typeof integrationView>;

export const integrationView = ({ updatedAt, previousSecretUntil, mappings, ...shown }: DeskIntegration) => ({
  ...shown,
  previousUntil: previousSecretUntil,
  mappings: mappings.map(mappingView),
});

/** One integration for a person: what to paste at the processor first, then what it sells. */
export const integrationLines = (view: ShownIntegration & { secret?: string }): CardLines => [
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
export function mappingText(mapping: ShownMapping): string {
  const days = mapping.durationDays === null ? 'never expires' : `${mapping.durationDays} days`;
  const facts = [mapping.licenseType, mapping.licenseTier, seatsText(mapping.maxActivations), days];
  if (mapping.quantityMode === 'SEATS') facts.push('quantity buys seats');
  if (mapping.onRefund !== 'NONE')
    facts.push(`a refund ${mapping.onRefund === 'REVOKE' ? 'revokes' : 'suspends'}`);
  return `${mapping.externalProductId} → ${mapping.product}: ${facts.join(', ')}`;
}
