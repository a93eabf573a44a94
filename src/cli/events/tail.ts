import { tailEvents } from '#kernel/outbox/tail.ts';
import type { EventView } from '#licensing/insight/events/view.ts';
import { timeAt } from '../desk/desk.ts';
import { requireEventName } from '../event-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Paint } from '../frame/io.ts';
import { humanTime } from '../frame/times.ts';
import { oneLine } from '../printed-text.ts';
import { pastAsked } from '../time-asked.ts';
import { timelineAt, withEvents } from './twin.ts';

const LAST = 20;

/** `appctl events tail`; with --follow it ends by a signal, like every command that waits for ever. */
export async function tailTimeline(cli: Cli): Promise<void> {
  if (cli.out.mode === 'csv' || cli.out.mode === 'plain')
    throw usageError(`--${cli.out.mode} cannot be used with a stream`, 'appctl events tail --json');
  await withEvents(cli, async (desk) => {
    const since = pastAsked(cli, 'since', timeAt(desk), 'start');
    const filter = { subject: cli.option('license'), type: cli.option('type') };
    const timeline = timelineAt(desk, filter, (text) => cli.note(text));
    if (filter.type !== undefined && (await timeline.newest(1)).length === 0)
      await requireEventName(filter.type, { flag: '--type', what: 'event type', list: 'appctl events tail' });
    const options = { since, last: cli.integer('last') ?? LAST, follow: cli.flag('follow') };
    for await (const event of tailEvents(timeline, options)) cli.out.record(event, line(event, timeAt(desk)));
  });
}

/** What the line says anyway, and what everybody knows. */
const SAID = new Set(['licenseId', 'licenseKeyPrefix', 'customerId', 'product', 'details']);

function line(event: EventView, now: string): (paint: Paint) => string {
  const { at, type, subject, actor, data, diff } = event;
  const own = Object.entries(data).filter(([name]) => !SAID.has(name));
  const details = Object.entries((data.details ?? {}) as Record<string, unknown>);
  const changes = Object.entries((diff ?? {}) as Record<string, [unknown, unknown]>);
  return (paint) =>
    [
      paint('dim', humanTime(at, Date.parse(now))),
      paint('bold', type),
      subject,
      paint('dim', `by ${oneLine(actor.label ?? actor.id ?? actor.kind)}`),
      ...[...own, ...details].map(([name, value]) => `${name}=${shown(value)}`),
      ...changes.map(([name, [before, after]]) => `${name}: ${shown(before)} → ${shown(after)}`),
    ].join('  ');
}

const shown = (value: unknown): string => oneLine(typeof value === 'string' ? value : JSON.stringify(value));
