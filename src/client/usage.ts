// Usage metering (licensing.md 7.3).
import { randomText } from './bytes.ts';
import type { Core } from './core.ts';
import { errorOf, LicenseApiError } from './errors.ts';
import type { JsonObject } from './shape.ts';
import type { Usage } from './types.ts';
import { createUsageQueue, type Metadata, type SendUse, type UsageQueue } from './usage-queue.ts';
import { present, usageIn } from './verdict.ts';

export interface UsageMeter extends UsageQueue {
  record(
    feature: string,
    quantity?: number,
    metadata?: Metadata,
  ): Promise<{ recorded: boolean; usage: Usage }>;
  /** Tells usage-warning and usage-exhausted when an answer shows a mark that was not reached before. */
  note(usage: Usage): void;
}

export function createUsage(core: Core): UsageMeter {
  const note = watchMarks(core);
  const send: SendUse = async ({ id, feature, quantity, metadata }, attempts) => {
    const { recorded, usage } = await post(core, id, { feature, quantity, metadata }, attempts);
    note(usage);
    return { recorded, usage };
  };
  const queue = createUsageQueue(core, send);
  return {
    ...queue,
    note,
    async queue(feature, quantity = 1, metadata) {
      requireUse(feature, quantity);
      await queue.queue(feature, quantity, metadata);
    },
    async record(feature, quantity = 1, metadata) {
      requireUse(feature, quantity);
      await core.ready();
      try {
        return await send({ id: randomText(16), feature, quantity, metadata });
      } catch (error) {
        if (core.identity.mode() !== 'HONOR_SYSTEM') throw error;
        core.events.emit('background-error', errorOf(error));
        return { recorded: false, usage: { current: 0, max: null } };
      }
    },
  };
}

/** The idempotency key is the same on every attempt, so that a lost answer does not count twice. */
async function post(
  core: Core,
  id: string,
  fields: { feature: string; quantity: number; metadata: Metadata | undefined },
  attempts: number | undefined,
): Promise<{ recorded: boolean; usage: Usage }> {
  try {
    const options = { headers: { 'X-Idempotency-Key': id }, attempts };
    const { body } = await core.calls.post('record-usage', 'key', fields, options);
    return { recorded: true, usage: present(usageIn(body), 'usage') };
  } catch (error) {
    if (!(error instanceof LicenseApiError) || error.code !== 'USAGE_LIMIT_EXCEEDED') throw error;
    return { recorded: false, usage: present(usageIn(error.body as JsonObject), 'usage') };
  }
}

/** A mistake of the application shows at once, not when a queue is flushed. */
function requireUse(feature: string, quantity: number): void {
  const length = [...feature].length;
  if (length < 1 || length > 100) throw new RangeError('a feature code has 1 to 100 characters');
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > 10_000) {
    throw new RangeError('a quantity is a whole number from 1 to 10,000');
  }
}

/** The marks of D79: 80 % and 100 % of the limit. A reset or a raised limit arms them again. */
function watchMarks({ events }: Core): (usage: Usage) => void {
  let reached = 0;
  return (usage) => {
    const { current, max } = usage;
    const now = max === null || current * 100 < 80 * max ? 0 : current < max ? 1 : 2;
    if (now > reached) events.emit(now === 1 ? 'usage-warning' : 'usage-exhausted', usage);
    reached = now;
  };
}
