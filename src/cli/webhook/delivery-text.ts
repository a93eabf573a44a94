import { card } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import type { Paint } from '../frame/io.ts';
import { printable } from '../printed-text.ts';
import type { Delivery } from './answers.ts';
import { deliveryView, headerLines, outcomeOf } from './view.ts';

/** Writes a delivery as the answer; for a person with its attempts, what each was answered, and the body. */
export const writeDelivery = (cli: Cli, delivery: Delivery): Promise<void> =>
  cli.out.value(deliveryView(delivery), (paint) => textOf(delivery, paint));

function textOf(delivery: Delivery, paint: Paint): string {
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
  const headers = delivery.requestHeaders ?? {};
  const attempts = delivery.attempts.map((attempt) => attemptText(attempt, paint));
  const request = [
    paint('bold', 'request'),
    headerLines(headers, paint),
    '',
    printable(delivery.requestBody),
  ].join('\n');
  return [head, ...attempts, request].join('\n\n');
}

type Attempt = Delivery['attempts'][number];

function attemptText(attempt: Attempt, paint: Paint): string {
  const again = attempt.run > 0 ? `, sent again (${attempt.run})` : '';
  const title = paint('bold', `attempt ${attempt.n}${again}`);
  const lines = [`${title}  ${outcomeOf(attempt)}`, card([['began', attempt.at]])(paint)];
  if (attempt.responseHeaders) lines.push(headerLines(attempt.responseHeaders, paint));
  if (attempt.responseSnippet) lines.push(printable(attempt.responseSnippet));
  return lines.join('\n');
}
