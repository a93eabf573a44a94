import type { Ctx } from '#kernel/context.ts';
import {
  getInboundEvent,
  type InboundEventFilter,
  listInboundEvents,
  reprocess,
  simulate,
} from '#licensing/purchases/inbox/index.ts';
import { changeEach, writeBatch } from '../batch.ts';
import type { Cli } from '../frame/context.ts';
import { CliError, usageError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { filterAsked } from './events.ts';

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
  { key: 'licensesCreated', title: 'licenses made', align: 'right' },
];

const PER_PAGE = 500;

/** `appctl integration replay EVENT…` and `appctl integration replay --integration INTEGRATION …`. */
export const replayEvents = (cli: Cli): Promise<number> =>
  withLocal(cli, async ({ ctx }) => {
    const ids = await idsAsked(cli, ctx);
    if (ids.length > 1) await cli.confirm({ action: `process ${ids.length} inbound events again` });
    const batch = await changeEach<Replayed>(cli, ctx, ids, cli.dryRun ? foretell : replay);
    return writeBatch(cli, batch, ids, columns);
  });

async function idsAsked(cli: Cli, ctx: Ctx): Promise<readonly string[]> {
  const named = [...new Set(cli.argumentList('event'))];
  const config = cli.option('integration');
  if (named.length > 0 && config !== undefined)
    throw usageError('events and --integration exclude each other');
  if (config === undefined) {
    const stray = ['status', 'reason', 'since', 'limit'].find((flag) => cli.given(flag));
    if (stray !== undefined) throw usageError(`--${stray} belongs to --integration`);
    if (named.length > 0) return named;
    throw usageError(
      'what is to be processed again?',
      'name events, or --integration INTEGRATION --status FAILED',
    );
  }
  const filter = filterAsked(cli, ctx);
  // Alone, --integration means what waits for somebody.
  if (filter.status === undefined && filter.reason === undefined) filter.status = 'FAILED';
  return inRange(cli, ctx, config, filter);
}

/** The newest of the range, the oldest of them first. */
async function inRange(cli: Cli, ctx: Ctx, config: string, filter: InboundEventFilter): Promise<string[]> {
  const limit = cli.integer('limit') ?? PER_PAGE;
  const found: string[] = [];
  for (let page = 1; ; page++) {
    const { items, pagination } = await listInboundEvents(ctx, config, { ...filter, page, limit: PER_PAGE });
    found.push(...items.map(({ id }) => id));
    if (page < pagination.totalPages && found.length < limit) continue;
    if (pagination.total > limit && !cli.json)
      cli.note(`${pagination.total - limit} more are beyond --limit`);
    return found.slice(0, limit).reverse();
  }
}

async function replay(ctx: Ctx, id: string): Promise<Replayed> {
  const { event, licensesCreated } = await reprocess(ctx, id);
  return judged({ id, status: event.status, reason: event.reason, licensesCreated }, event.error);
}

/** What a replay would make, as far as it can be told without doing it. */
async function foretell(ctx: Ctx, id: string): Promise<Replayed> {
  const { configId, body, status, reason, unmapped } = await getInboundEvent(ctx, id);
  const isPartly = reason === 'PARTLY_UNMAPPED';
  if ((status === 'PROCESSED' && !isPartly) || body === null)
    return { id, status, reason, licensesCreated: 0 };
  const told = await simulate(ctx, configId, body);
  const made = told.wouldCreate.filter((one) => !isPartly || unmapped.includes(one.externalProductId));
  return judged({ id, status: told.status, reason: told.reason, licensesCreated: made.length }, told.message);
}

/** An event that fails again is a failure of its own, like a refused row. */
function judged(replayed: Replayed, message: string | null): Replayed {
  if (replayed.status !== 'FAILED' && replayed.status !== 'RECEIVED') return replayed;
  const reason = replayed.reason ?? 'PROCESSING_FAILED';
  throw new CliError(exits.conflict, reason, message ?? 'it was not processed', { details: { ...replayed } });
}
