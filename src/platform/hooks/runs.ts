import type { Ctx, StoredEvent } from '#kernel/context.ts';
import { actorOf, type Payload } from '#kernel/hooks/point.ts';
import type { OutboxRow } from '#kernel/outbox/row.ts';
import { ids } from './record.ts';
import { insert } from './repository.ts';

/** Kind of the outbox entries of hooks. */
export const HOOK_KIND = 'hook';

/**
 * Writes a run for every file that wants to know of an event, in the transaction of the event (reliability M6): what is
 * rolled back calls nobody, and a crash loses nothing.
 */
export async function writeRuns(
  ctx: Ctx,
  point: string,
  event: StoredEvent,
  files: readonly string[],
): Promise<OutboxRow[]> {
  const { id: eventId, subject, data } = event;
  const payload = { ...data, event_id: eventId };
  return Promise.all(
    files.map((file) => writeRun(ctx, { phase: 'after', point, file, subject, eventId, payload })),
  );
}

interface Wanted {
  readonly phase: 'before' | 'after';
  readonly point: string;
  /** Empty: every file of the point. */
  readonly file: string;
  readonly subject: string;
  readonly eventId: string | null;
  readonly payload: Payload;
}

/** Freezes what the hooks are given. @returns the entry of the outbox, for the caller to write */
export async function writeRun(ctx: Ctx, { payload, ...wanted }: Wanted): Promise<OutboxRow> {
  const now = ctx.now();
  const id = ctx.newId(ids.hookRun);
  await insert(ctx, {
    id,
    tenantId: ctx.tenantId,
    ...wanted,
    actor: actorOf(ctx.actor),
    payload: JSON.stringify(payload),
    state: 'pending',
    attempts: 0,
    lastError: null,
    createdAt: now,
    endedAt: null,
  });
  return { kind: HOOK_KIND, target: `hook:${wanted.file}`, refId: id, availableAt: now };
}
