import type { Ctx } from '#kernel/context.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { fail } from '#licensing/contract/errors.ts';
import type { RecordedFacts, TraceEntry } from '#licensing/licenses/decision/index.ts';
import type { RecordedRequest } from './record.ts';
import * as repo from './repository.ts';

/** A recorded request and how its answer came about; nulls where nothing was decided, as for a bad body. */
export interface ExplainedRequest extends RecordedRequest {
  facts: RecordedFacts | null;
  trace: TraceEntry[] | null;
}

/**
 * One page of the recorded requests of the tenant, newest first (licensing 4.2, request-log).
 *
 * @throws AppError VALIDATION_ERROR for a page out of range
 */
export async function list(ctx: Ctx, asked: PageAsked & repo.RequestFilter): Promise<Page<RecordedRequest>> {
  return pageOf(asked, await repo.list(ctx, { ...asked, ...sliceOf(asked) }));
}

/**
 * One recorded request with its decision trace (licensing 6.6).
 *
 * @param id `req_…`, as the answer's X-Request-Id and `requestId` tell it
 * @throws AppError NOT_FOUND
 */
export async function get(ctx: Ctx, id: string): Promise<ExplainedRequest> {
  const found = await repo.find(ctx, id);
  if (found) {
    const { trace, ...request } = found as ExplainedRequest;
    return { ...request, trace: trace?.map(inWords) ?? null };
  }
  throw fail('NOT_FOUND', `request ${id} was not recorded, or is no longer kept`, {
    details: {
      hint: 'appctl settings list shows licensing.request_log: denials are recorded by default, successes with all',
    },
  });
}

/** Traces that earlier versions recorded name a rule by its number; what it looked at says it as well. */
const inWords = (entry: TraceEntry): TraceEntry =>
  /^D?\d/.test(entry.rule) ? { ...entry, rule: entry.text } : entry;
