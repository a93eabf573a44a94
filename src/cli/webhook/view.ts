import { counted } from '#kernel/counts.ts';
import { type CardLines, card } from '../card.ts';
import { planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import type { Paint } from '../frame/io.ts';
import { oneLine } from '../printed-text.ts';
import type { Delivery, Webhook } from './answers.ts';

/** The flags that stand for fields of a webhook; of several forms the one that was given. */
export const webhookFlags = (cli: Cli) => ({
  name: '--name',
  url: '--url',
  events: '--event',
  productIds: '--product',
  redactEmail: '--redact-email',
  headers: formGiven(cli, 'headers'),
  secret: formGiven(cli, 'secret'),
});

function formGiven(cli: Cli, name: string): string {
  const forms = [`${name}-file`, `${name}-stdin`, `${name}-env`];
  return `--${forms.find((form) => cli.declares(form) && cli.given(form)) ?? forms[0]}`;
}

/** Writes a webhook as the answer; for a person with its state in words. */
export function writeWebhook(cli: Cli, webhook: Webhook, more: { secret?: string } = {}): Promise<void> {
  const lines: CardLines = [
    ['id', webhook.id],
    ['name', webhook.name],
    ['service', webhook.service],
    ['url', webhook.url],
    ['events', webhook.events],
    ['products', webhook.productIds ?? 'all'],
    ['e-mail', webhook.redactEmail ? 'left out' : null],
    ['headers', webhook.headers],
    ['state', stateOf(webhook)],
    ['last 24 h', outcomesOf(webhook)],
    ['last event', webhook.lastDeliveryAt],
    ['last success', webhook.lastSuccessAt],
    ['disabled', webhook.disabledAt],
    ['reason', webhook.disabledReason],
    ['old secret until', webhook.previousSecretUntil],
    ['created', webhook.createdAt],
    ['secret', more.secret],
  ];
  return cli.out.value(planned(cli, { ...webhook, ...more }), card(lines));
}

/** `enabled, 3 failures in a row`. */
export function stateOf({ enabled, consecutiveFailures }: Webhook): string {
  if (!enabled) return 'disabled';
  if (consecutiveFailures === 0) return 'enabled';
  return `enabled, ${consecutiveFailures} failure${consecutiveFailures === 1 ? '' : 's'} in a row`;
}

/** `98% of 120 delivered`; nothing for a webhook that nothing was sent to. */
export function outcomesOf({ last24Hours: { delivered, failed, failedAttempts } }: Webhook): string {
  const ended = delivered + failed;
  const words = [
    ...(ended === 0 ? [] : [`${Math.floor((delivered * 100) / ended)}% of ${ended} delivered`]),
    ...(failedAttempts === 0 ? [] : [counted(failedAttempts, 'failed attempt')]),
  ];
  return words.join(', ');
}

/** A delivery as the command line shows it (cli.md section 2). */
export type DeliveryView = ReturnType<typeof deliveryView>;

/** The fields of `Delivery`. What is sent again keeps its id, so that `replayOf` is either the same or null. */
export const deliveryView = (delivery: Delivery) => ({
  ...delivery,
  replayOf: delivery.run > 0 ? delivery.id : null,
});

/** `503 in 41 ms`, `timed out after 10000 ms`. */
export const outcomeOf = ({ httpStatus, error, ms }: Delivery['attempts'][number]): string =>
  httpStatus === null ? `${error ?? 'no answer'} (${ms} ms)` : `${httpStatus} in ${ms} ms`;

/** Headers as they are sent: a card would show their times as a person reads them. */
export function headerLines(headers: Readonly<Record<string, string>>, paint: Paint): string {
  const width = Math.max(0, ...Object.keys(headers).map((name) => name.length));
  return Object.entries(headers)
    .map(([name, value]) => `${paint('dim', name.padEnd(width))}  ${oneLine(value)}`)
    .join('\n');
}
