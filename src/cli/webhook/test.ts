import type { z } from 'zod';
import type { TestRequest, TestSent } from '#platform/webhooks/view.ts';
import { planned } from '../change.ts';
import { at } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { printable } from '../printed-text.ts';
import { writeDelivery } from './delivery-text.ts';
import { deliveryOf, withWebhook } from './twin.ts';
import { headerLines } from './view.ts';

const flags = { event: '--event', overrides: '--override', note: '--note' };

/** `appctl webhook test ID`. @returns 9 when the receiver did not answer 2xx */
export function testWebhook(cli: Cli): Promise<number> {
  return withWebhook(cli, cli.argument('id'), async (desk) => {
    const id = cli.argument('id');
    const input = {
      event: cli.option('event'),
      overrides: cli.list('override').map(overrideOf),
      note: cli.option('note'),
    };
    if (cli.flag('print') || cli.dryRun) {
      const request = await namingFlags(flags, () =>
        desk.post<z.output<typeof TestRequest>>(at`webhooks/${id}/test-request`, input),
      );
      await cli.out.value(planned(cli, { method: 'POST', ...request }), (paint) =>
        [
          `${paint('bold', 'POST')} ${printable(request.url)}`,
          headerLines(request.headers, paint),
          '',
          printable(request.body),
        ].join('\n'),
      );
      return exits.done;
    }
    const sent = await namingFlags(flags, () =>
      desk.post<z.output<typeof TestSent>>(at`webhooks/${id}/test`, input),
    );
    const delivery = await deliveryOf(desk, sent.deliveryId);
    await writeDelivery(cli, delivery);
    if (delivery.state === 'DELIVERED') return exits.done;
    if (!cli.json) cli.warn(sent.error ?? `the receiver answered ${sent.status}`);
    return exits.unreachable;
  });
}

/** `data.status=EXPIRED`, `data.machineIds=["a"]`: JSON where it is JSON, else text. */
function overrideOf(pair: string): { path: string; value: unknown } {
  const at = pair.indexOf('=');
  if (at < 1)
    throw usageError(`--override '${pair}' has no path or no value`, 'write --override data.status=EXPIRED');
  const text = pair.slice(at + 1);
  try {
    return { path: pair.slice(0, at), value: JSON.parse(text) };
  } catch {
    return { path: pair.slice(0, at), value: text };
  }
}
