import type * as webhooks from '#platform/webhooks/index.ts';
import { card } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import type { Paint } from '../frame/io.ts';
import { printable } from '../one-line.ts';
import { deliveryView, headerLines, outcomeOf } from './view.ts';

/** Writes a delivery as the answer; for a person with its attempts, what each was answered, and the body. */
export const writeDelivery = (cli: Cli, delivery: webhooks.DeliveryRecord): Promise<void> =>
  cli.out.value(deliveryView(delivery), (paint) => textOf(delivery, paint));

function textOf(delivery: webhooks.DeliveryRecord, paint: Paint): string {
  const head = card([
    ['id', delivery.id],
    ['webhook', delivery.webhookId],
    ['event', delivery.event],
    ['subject', delivery.subject],
    ['state', `${delivery.state}${delivery.isTest ? ' (test)' : ''}`],
    ['time of the event', delivery.createdAt],
    ['next attempt', delivery.nextAttemptAt],
    ['ended', delivery.endedAt],
  ])(paint);
  const headers = delivery.log.at(-1)?.requestHeaders ?? {};
  const attempts = delivery.log.map((attempt) => attemptText(attempt, paint));
  const request = [paint('bold', 'request'), headerLines(headers, paint), '', printable(delivery.body)].join(
    '\n',
  );
  return [head, ...attempts, request].join('\n\n');
}

type Attempt = webhooks.DeliveryRecord['log'][number];

function attemptText(attempt: Attempt, paint: Paint): string {
  const again = attempt.run > 0 ? `, sent again (${attempt.run})` : '';
  const title = paint('bold', `attempt ${attempt.n}${again}`);
  const lines = [`${title}  ${outcomeOf(attempt)}`, card([['began', attempt.at]])(paint)];
  if (attempt.responseHeaders) lines.push(headerLines(attempt.responseHeaders, paint));
  if (attempt.responseExcerpt) lines.push(printable(attempt.responseExcerpt));
  return lines.join('\n');
}
