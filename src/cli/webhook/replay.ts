import type { z } from 'zod';
import { counted } from '#kernel/counts.ts';
import type { Replayed } from '#platform/webhooks/view.ts';
import { workOnEach, writeBatch } from '../batch.ts';
import { planned } from '../change.ts';
import { at, type ChangeOptions } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';
import { rangeAsked } from './deliveries.ts';
import { withDelivery, withWebhook } from './twin.ts';

interface Queued {
  id: string;
  webhookId: string;
  event: string;
  run: number;
}

const columns: readonly Column<Queued>[] = [
  { key: 'id' },
  { key: 'event' },
  { key: 'webhookId', title: 'webhook' },
  { key: 'run', title: 'sent again', align: 'right' },
];

const flags = { events: '--event', from: '--since', limit: '--limit' };
/** Before any delivery. */
const BEGINNING = '1970-01-01T00:00:00.000Z';
const RANGE_FLAGS = ['failed', 'state', 'event', 'since', 'until', 'limit'];

/** `appctl webhook replay DELIVERY…` and `appctl webhook replay --webhook ID …`. */
export async function replayDeliveries(cli: Cli): Promise<number | void> {
  const ids = [...new Set(cli.argumentList('delivery'))];
  const webhookId = cli.option('webhook');
  if (ids.length > 0 && webhookId !== undefined)
    throw usageError('deliveries and --webhook cannot be used together');
  if (webhookId !== undefined) return replayOfWebhook(cli, webhookId);
  if (ids.length === 0)
    throw usageError(
      'which deliveries should be sent again?',
      'give delivery ids, or --webhook ID --failed --since 24h',
    );
  const stray = RANGE_FLAGS.find((flag) => cli.given(flag));
  if (stray !== undefined) throw usageError(`--${stray} only works with --webhook`);
  if (ids.length > 1) await cli.confirm({ action: `send ${ids.length} deliveries again` });
  return replayNamed(cli, ids);
}

function replayNamed(cli: Cli, ids: readonly string[]): Promise<number> {
  return withDelivery(cli, ids[0] ?? '', async (desk) => {
    const batch = await workOnEach<Queued>(cli, ids, async (id) => {
      const { delivery } = await desk.post<{ delivery: Queued }>(at`deliveries/${id}/redeliver`);
      const { webhookId, event, run } = delivery;
      return { id, webhookId, event, run };
    });
    const code = await writeBatch(cli, batch, ids, columns);
    const first = batch.results.find((result) => result.success);
    if (first && !cli.dryRun) cli.next(`appctl webhook deliveries show ${first.id}`);
    return code;
  });
}

function replayOfWebhook(cli: Cli, webhookId: string): Promise<void> {
  return withWebhook(cli, webhookId, async (desk) => {
    const states = cli.flag('failed') ? ['FAILED'] : cli.list('state');
    const { from = BEGINNING, to, events } = rangeAsked(cli, desk);
    const body = {
      from,
      to,
      limit: cli.integer('limit'),
      ...(events.length > 0 && { events }),
      ...(states.length > 0 && { states }),
    };
    const replay = (options: ChangeOptions) =>
      desk.post<z.output<typeof Replayed>>(at`webhooks/${webhookId}/replay`, body, options);
    const plan = await namingFlags(flags, () => replay({ rehearse: true }));
    if (plan.queued > 1)
      await cli.confirm({ action: `send ${plan.queued} deliveries of ${webhookId} again` });
    const { queued, pending, left } = cli.dryRun ? plan : await replay({});
    const summary = { total: queued, succeeded: queued, failed: 0 };
    const answer = planned(cli, { results: [], summary, webhookId, pending, left });
    await cli.out.value(answer, () => `${queued} ${cli.dryRun ? 'would be sent' : 'will be sent'} again`);
    if (cli.json) return;
    if (pending > 0)
      cli.note(`${counted(pending, 'delivery', 'deliveries')} already in progress and skipped`);
    if (left > 0) cli.note(`${left} more match; raise --limit to include them`);
    if (cli.dryRun) cli.note('dry run: nothing was changed');
    else if (queued > 0) cli.next(`appctl webhook deliveries ${webhookId} --state PENDING`);
  });
}
