import type { Ctx } from '#kernel/context.ts';
import { fail } from '#licensing/contract/errors.ts';
import { type ProcessOptions, processStored } from '../processing/process.ts';
import * as queries from './queries.ts';
import { inboxEvents } from './told.ts';

/** An event with its body and the licenses that it made. @throws AppError NOT_FOUND */
export const getInboundEvent = async (ctx: Ctx, id: string): Promise<queries.InboundEventDetails> =>
  (await queries.find(ctx, id)) ?? missing(id);

/** What reprocessing an event came to. */
export interface Reprocessed {
  event: Omit<queries.InboundEventDetails, 'headers' | 'body'>;
  /** By this call. */
  licensesCreated: number;
}

/**
 * Processes an event again, for example after its product has been mapped (D103). What has been done is not done
 * twice: a purchase that is done is left, of one that was mapped in part the rest is made.
 *
 * @param options `note` says why, on the timeline
 * @throws AppError NOT_FOUND; CONFLICT when its body was removed for its age
 */
export async function reprocess(
  ctx: Ctx,
  id: string,
  { note }: { note?: string | null | undefined } = {},
): Promise<Reprocessed> {
  const before = await getInboundEvent(ctx, id);
  if (before.body === null) {
    throw fail('CONFLICT', 'the body of this event is past its retention period and was removed', {
      details: { hint: 'appctl license mint creates the license by hand' },
    });
  }
  const outcome = await processStored(ctx, id, { again: true, note: telling(id, note) });
  const { headers: _headers, body: _body, ...event } = await getInboundEvent(ctx, id);
  return { event, licensesCreated: outcome.licensesCreated };
}

const telling =
  (id: string, note: string | null | undefined): NonNullable<ProcessOptions['note']> =>
  (ctx, { status, reason, licensesCreated }) =>
    inboxEvents.tell(
      ctx,
      'INBOUND_EVENT_REPROCESSED',
      id,
      {
        status,
        reason,
        licensesCreated,
        ...(note && { note }),
      },
      { note },
    );

function missing(id: string): never {
  throw fail('NOT_FOUND', `inbound event ${id} was not found`, {
    details: { hint: 'appctl integration events INTEGRATION' },
  });
}
