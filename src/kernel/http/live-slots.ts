import type { Ctx } from '../context.ts';
import { memoryKey } from '../process-memory.ts';
import { fail } from '../service/errors.ts';
import { download, type Reply } from './endpoint.ts';

/** Streams that are open in this process, by whose they are. */
const open = memoryKey('live-slots', () => new Map<string, number>());

/** Of one person or token: a few screens. */
const MOST_OF_ONE = 5;
/** Each asks for new events as its caller sees them. */
const MOST_OF_ALL = 200;

/** A reader that takes nothing for so long is gone; its connection is closed. */
const STALLED_MS = 15_000;

/**
 * Answers server-sent events for as long as they come.
 *
 * @param read begins the stream; what it holds of the memory of the process is given back when it ends
 * @throws AppError RATE_LIMITED when as many streams are open as there may be
 */
export function liveTail(ctx: Ctx, read: () => AsyncIterable<Uint8Array>): Reply<null> {
  const release = takeSlot(ctx);
  return download({
    type: 'text/event-stream; charset=utf-8',
    size: null,
    etag: null,
    headers: { 'Cache-Control': 'no-store, no-transform', 'X-Accel-Buffering': 'no' },
    stalledMs: STALLED_MS,
    read,
    close: async () => release(),
  });
}

/** Takes a place for a stream of whoever acts. @returns gives it back, once */
function takeSlot(ctx: Ctx): () => void {
  const taken = ctx.memory.of(open);
  const { kind, id } = ctx.actor;
  const name = `${kind} ${id}`;
  const own = taken.get(name) ?? 0;
  if (own >= MOST_OF_ONE)
    throw fail('RATE_LIMITED', `you have ${own} live tails open, which is the maximum: close one`);
  const all = [...taken.values()].reduce((sum, n) => sum + n, 0);
  if (all >= MOST_OF_ALL)
    throw fail('RATE_LIMITED', `${all} live tails are open on this server, which is the maximum`);
  taken.set(name, own + 1);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    const left = (taken.get(name) ?? 1) - 1;
    if (left > 0) taken.set(name, left);
    else taken.delete(name);
  };
}
