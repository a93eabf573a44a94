import { licenseWebhooks } from '#licensing/insight/webhooks/index.ts';
import * as webhooks from '#platform/webhooks/index.ts';
import { planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import { printable } from '../one-line.ts';
import { withLocal } from '../open.ts';
import { writeDelivery } from './delivery-text.ts';
import { headerLines } from './view.ts';

const flags = { event: '--event', overrides: '--override', note: '--note' };

/** `appctl webhook test ID`. @returns 9 when the receiver did not answer 2xx */
export function testWebhook(cli: Cli): Promise<number> {
  return withLocal(cli, async ({ ctx }) => {
    const id = cli.argument('id');
    const input: webhooks.TestInput = {
      event: cli.option('event'),
      overrides: cli.list('override').map(overrideOf),
      note: cli.option('note') ?? null,
    };
    if (cli.flag('print') || cli.dryRun) {
      const request = await namingFlags(flags, () => webhooks.printTest(ctx, licenseWebhooks, id, input));
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
    const delivery = await namingFlags(flags, () => webhooks.sendTest(ctx, licenseWebhooks, id, input));
    await writeDelivery(cli, delivery);
    if (delivery.state === 'DELIVERED') return exits.done;
    if (!cli.json) cli.warn(`${delivery.lastError ?? `the receiver answered ${delivery.lastStatus}`}`);
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
