import type { Ctx } from '#kernel/context.ts';
import { limitAddress } from '#kernel/http/client-address.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { fail } from '#licensing/contract/errors.ts';
import type { RecordedFacts, TraceEntry } from '#licensing/licenses/decision/index.ts';
import { type ExplainedRefusal, explainRefusals } from '../limit-refusals/index.ts';
import { find, requestRows } from './queries.ts';
import type { RecordedRequest } from './record.ts';
import { flushRequests } from './recorder.ts';

/** A recorded request and how its answer came about; nulls where nothing was decided, as for a bad body. */
export interface ExplainedRequest extends RecordedRequest {
  facts: RecordedFacts | null;
  trace: TraceEntry[] | null;
}

/** What the limit that refused a request has refused its caller since. */
export type Refusal = Pick<ExplainedRefusal, 'who' | 'limit' | 'count' | 'firstAt' | 'command'>;

/** Which requests a list holds; all of them when empty. */
export interface RequestFilter {
  licenseId?: string | undefined;
  code?: string | undefined;
  status?: number | undefined;
  ip?: string | undefined;
  apiKeyId?: string | undefined;
  /** ISO time; only those from then on. */
  from?: string | undefined;
}

/**
 * One page of the recorded requests of the tenant, newest first (licensing 4.2, request-log).
 *
 * @throws AppError VALIDATION_ERROR for a page out of range
 */
export async function list(
  ctx: Ctx,
  { page, limit, ...filters }: PageAsked & RequestFilter,
): Promise<Page<RecordedRequest>> {
  const asked = { page, limit };
  return pageOf(asked, await recent.page(ctx, { filters, ...sliceOf(asked) }));
}

/** The rows, those of a moment ago among them: a process writes what it has seen every few seconds. */
export const recent: typeof requestRows = {
  ...requestRows,
  async page(ctx, asked) {
    await writeSeen(ctx);
    return requestRows.page(ctx, asked);
  },
};

/** Costs freshness only when it fails. */
async function writeSeen(ctx: Ctx): Promise<void> {
  try {
    await flushRequests(ctx);
  } catch (error) {
    ctx.log.warn({ err: error }, 'the requests of the last seconds are not in the log yet');
  }
}

/**
 * One recorded request with its decision trace (licensing 6.6).
 *
 * @param id `req_…`, as the answer's X-Request-Id and `requestId` tell it
 * @throws AppError NOT_FOUND
 */
export async function get(ctx: Ctx, id: string): Promise<ExplainedRequest> {
  await writeSeen(ctx);
  const found = await find(ctx, id);
  if (found) {
    const { trace, ...request } = found as ExplainedRequest;
    return { ...request, trace: trace?.map(inWords) ?? null };
  }
  throw fail(
    'NOT_FOUND',
    `request ${id} was not recorded, or is no longer kept; the setting licensing.request_log decides which are recorded`,
    { details: { hint: 'appctl settings get licensing.request_log' } },
  );
}

/** As `get`, with what the limit that refused it has refused its caller since; null for any other answer. */
export async function explain(ctx: Ctx, id: string): Promise<ExplainedRequest & { refusal: Refusal | null }> {
  const request = await get(ctx, id);
  return { ...request, refusal: await refusalOf(ctx, request) };
}

async function refusalOf(ctx: Ctx, { bucket, apiKeyId, ip, at }: ExplainedRequest): Promise<Refusal | null> {
  if (bucket === null) return null;
  const found = await explainRefusals(ctx, { bucket, since: at });
  const subjects = [apiKeyId, limitAddress(ip), ''];
  const own = found.find(({ subject }) => subjects.includes(subject));
  if (!own) return null;
  const { who, limit, count, firstAt, command } = own;
  return { who, limit, count, firstAt, command };
}

/** Traces that earlier versions recorded name a rule by its number; what it looked at says it as well. */
const inWords = (entry: TraceEntry): TraceEntry =>
  /^D?\d/.test(entry.rule) ? { ...entry, rule: entry.text } : entry;
