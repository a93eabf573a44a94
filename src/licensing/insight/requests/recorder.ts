import type { Ctx } from '#kernel/context.ts';
import { isBusy, isUnavailable } from '#kernel/db/dialect.ts';
import type { Answered } from '#kernel/http/surface.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { requestLog } from '#licensing/contract/settings.ts';
import * as repo from './repository.ts';

/** Rows that wait for the next flush; together with their traces they take a few megabytes. */
const MOST_WAITING = 5000;
/**
 * Of them, those whose number no limit bounds. A flood of them must neither push out what customers ask about nor fill
 * the disk: these are at most a million rows a day.
 */
const MOST_UNBOUNDED = 100;
/** Answers given before the limit of a caller was asked (D3), or by it. */
const BEFORE_LIMITS: readonly number[] = [401, 403, 429];
/** One transaction writes this many, so that no writer waits long for it (C16). */
const ROWS_PER_TRANSACTION = 200;
const TELL_DROPS_EVERY_MS = 60_000;
const LONGEST_USER_AGENT = 255;

interface Waiting {
  rows: repo.RequestRow[];
  unbounded: number;
  /** Rows that found no room, since that was last logged. */
  dropped: number;
  toldAtMs: number;
  /** The flush under way; the next one begins after it. */
  flushing: Promise<number>;
}

const waiting = memoryKey<Waiting>('request-log', () => ({
  rows: [],
  unbounded: 0,
  dropped: 0,
  toldAtMs: Number.NEGATIVE_INFINITY,
  flushing: Promise.resolve(0),
}));

/**
 * Notes an answer of the public API for the request log, if the setting `licensing.request_log` asks for it (6.6).
 * It only fills memory, after the answer was sent; `flushRequests` writes. Never throws.
 */
export function recordRequest(answered: Answered): void {
  const { ctx } = answered;
  try {
    if (!isWanted(answered)) return;
    const memory = ctx.memory.of(waiting);
    const { credentialId, subject } = ctx.origin.trail ?? {};
    const isFree = isUnbounded(answered.status, credentialId ?? subject ?? null);
    if (memory.rows.length >= MOST_WAITING || (isFree && memory.unbounded >= MOST_UNBOUNDED)) {
      memory.dropped += 1;
      return;
    }
    if (isFree) memory.unbounded += 1;
    memory.rows.push(rowOf(answered));
  } catch (error) {
    ctx.log.error({ err: error, requestId: ctx.origin.requestId }, 'a request was not recorded');
  }
}

/** Whether a sender may have as many of these answers as it likes. @param known what it is known by; null for nothing */
const isUnbounded = (status: number, known: string | null): boolean =>
  known === null || BEFORE_LIMITS.includes(status);

function isWanted({ ctx, surface, status }: Answered): boolean {
  const wanted = ctx.settings.get(requestLog);
  if (wanted === 'off' || ctx.origin.requestId === null) return false;
  // The admin API has the audit log.
  if (surface !== 'licensing') return false;
  const isDenied = status < 200 || status > 299 || ctx.origin.trail?.decision?.denied === true;
  return isDenied || wanted === 'all';
}

/** The trace is made now: kept for later, the facts would hold what no log may hold, and far more memory. */
function rowOf({ ctx, method, status, code, ms }: Answered): repo.RequestRow {
  const { requestId, route, ip, userAgent, trail } = ctx.origin;
  const why = trail?.explain?.();
  return {
    id: requestId as string,
    tenantId: trail?.tenantId ?? null,
    at: ctx.now(),
    method,
    route: route ?? '',
    status,
    bucket: trail?.refusedBy?.bucket ?? null,
    code: code ?? trail?.decision?.code ?? null,
    licenseId: trail?.subject ?? null,
    apiKeyId: trail?.credentialId ?? null,
    ip: ip ?? '',
    userAgent: userAgent?.slice(0, LONGEST_USER_AGENT) ?? null,
    ms: Math.round(ms),
    facts: why ? JSON.stringify(why.facts) : null,
    trace: why ? JSON.stringify(why.trace) : null,
  };
}

/**
 * Writes what was recorded since the last flush; the job stats-flush calls it every 10 seconds. While the database is
 * away the rows wait for the next one, as far as there is room; rows that it refuses are dropped.
 *
 * @returns how many rows were written, those of a flush under way not among them
 * @throws what the database throws while it is away
 */
export function flushRequests(ctx: Ctx): Promise<number> {
  const memory = ctx.memory.of(waiting);
  const flush = memory.flushing.then(() => writeAll(ctx, memory));
  memory.flushing = flush.catch(() => 0);
  return flush;
}

async function writeAll(ctx: Ctx, memory: Waiting): Promise<number> {
  tellDrops(ctx, memory);
  const { rows } = memory;
  memory.rows = [];
  memory.unbounded = 0;
  let written = 0;
  for (let start = 0; start < rows.length; start += ROWS_PER_TRANSACTION) {
    const next = rows.slice(start, start + ROWS_PER_TRANSACTION);
    try {
      await ctx.tx((ctx) => repo.insertAll(ctx, next));
      written += next.length;
    } catch (error) {
      if (isUnavailable(error) || isBusy(error)) {
        keep(memory, rows.slice(start));
        throw error;
      }
      // Tried again, they would stand in the way of all that come after them.
      memory.dropped += next.length;
      ctx.log.error({ err: error, rows: next.length }, 'recorded requests could not be written');
    }
  }
  return written;
}

function keep(memory: Waiting, unwritten: readonly repo.RequestRow[]): void {
  const kept = unwritten.slice(0, MOST_WAITING - memory.rows.length);
  memory.rows = [...kept, ...memory.rows];
  const isFree = ({ status, apiKeyId, licenseId }: repo.RequestRow) =>
    isUnbounded(status, apiKeyId ?? licenseId);
  memory.unbounded += kept.filter(isFree).length;
  memory.dropped += unwritten.length - kept.length;
}

function tellDrops(ctx: Ctx, memory: Waiting): void {
  const nowMs = Date.parse(ctx.now());
  if (memory.dropped === 0 || nowMs - memory.toldAtMs < TELL_DROPS_EVERY_MS) return;
  ctx.log.warn({ dropped: memory.dropped }, 'requests were not recorded: more came than are kept');
  memory.dropped = 0;
  memory.toldAtMs = nowMs;
}
