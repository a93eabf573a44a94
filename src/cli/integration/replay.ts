import type { z } from 'zod';
import type { ReprocessedView } from '#licensing/purchases/inbox/view.ts';
import { workOnEach, writeBatch } from '../batch.ts';
import { at, type Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import type { Column } from '../frame/rows.ts';
import type { DeskPage } from '../paging.ts';
import { eventOf, filterAsked } from './events.ts';
import { simulated } from './simulate.ts';
import { withInboundEvents } from './twin.ts';

interface Replayed {
  id: string;
  status: string;
  reason: string | null;
  licensesCreated: number;
}

const columns: readonly Column<Replayed>[] = [
  { key: 'id' },
  { key: 'status' },
  { key: 'reason' },
  { key: 'licensesCreated', title: 'licenses created', align: 'right' },
];

const PER_PAGE = 500;

/** `appctl integration replay EVENT…` and `appctl integration replay --integration INTEGRATION …`. */
export const replayEvents = (cli: Cli): Promise<number> =>
  withInboundEvents(cli, async (desk) => {
    const ids = await idsAsked(cli, desk);
    if (ids.length > 1) await cli.confirm({ action: `process ${ids.length} inbound events again` });
    const work = cli.dryRun ? foretell : replay;
    const batch = await workOnEach<Replayed>(cli, ids, (id) => work(desk, id));
    return writeBatch(cli, batch, ids, columns);
  });

async function idsAsked(cli: Cli, desk: Desk): Promise<readonly string[]> {
  const named = [...new Set(cli.argumentList('event'))];
  const config = cli.option('integration');
  if (named.length > 0 && config !== undefined)
    throw usageError('events and --integration cannot be used together');
  if (config === undefined) {
    const stray = ['status', 'reason', 'since', 'limit'].find((flag) => cli.given(flag));
    if (stray !== undefined) throw usageError(`--${stray} only works with --integration`);
    if (named.length > 0) return named;
    throw usageError(
      'which events should be processed again?',
      'give event ids, or --integration INTEGRATION --status FAILED',
    );
  }
  const filter = filterAsked(cli, desk);
  // Alone, --integration means what waits for somebody.
  const isAlone = filter.status === undefined && filter.reason === undefined;
  return inRange(cli, desk, config, isAlone ? { ...filter, status: 'FAILED' } : filter);
}

/** The newest of the range, the oldest of them first. */
async function inRange(
  cli: Cli,
  desk: Desk,
  config: string,
  filter: ReturnType<typeof filterAsked>,
): Promise<string[]> {
  const path = at`integrations/${config}/events`;
  const limit = cli.integer('limit') ?? PER_PAGE;
  const found: string[] = [];
  for (let page = 1; ; page++) {
    const query = { ...filter, page, limit: PER_PAGE };
    const { items, pagination } = await desk.get<DeskPage<{ id: string }>>(path, query);
    found.push(...items.map(({ id }) => id));
    if (page < pagination.totalPages && found.length < limit) continue;
    if (pagination.total > limit && !cli.json)
      cli.note(`${pagination.total - limit} more match; raise --limit to include them`);
    return found.slice(0, limit).reverse();
  }
}

async function replay(desk: Desk, id: string): Promise<Replayed> {
  const { event, licensesCreated } = await desk.post<z.output<typeof ReprocessedView>>(
    at`inbound-events/${id}/reprocess`,
  );
  return judged({ id, status: event.status, reason: event.reason, licensesCreated }, event.error);
}

/** What a replay would make, as far as it can be told without doing it. */
async function foretell(desk: Desk, id: string): Promise<Replayed> {
  const { configId, body, status, reason, unmapped } = await eventOf(desk, id);
  const isPartly = reason === 'PARTLY_UNMAPPED';
  if ((status === 'PROCESSED' && !isPartly) || body === null)
    return { id, status, reason, licensesCreated: 0 };
  const told = await simulated(desk, configId, body);
  const made = told.wouldCreate.filter((one) => !isPartly || unmapped.includes(one.externalProductId));
  return judged({ id, status: told.status, reason: told.reason, licensesCreated: made.length }, told.message);
}

/** An event that fails again is a failure of its own, like a refused row. */
function judged(replayed: Replayed, message: string | null): Replayed {
  if (replayed.status !== 'FAILED' && replayed.status !== 'RECEIVED') return replayed;
  const reason = replayed.reason ?? 'PROCESSING_FAILED';
  throw new CliError(exits.conflict, reason, message ?? 'it was not processed', { details: { ...replayed } });
}
