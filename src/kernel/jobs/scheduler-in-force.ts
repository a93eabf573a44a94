import type { Ctx } from '../context.ts';
import { AppError } from '../errors.ts';
import { memoryKey } from '../process-memory.ts';
import type { Scheduler } from './scheduler.ts';

/** The scheduler of this process, for whoever asks for runs; null before there is one. */
export const schedulerInForce = memoryKey<{ scheduler: Scheduler | null }>('scheduler', () => ({
  scheduler: null,
}));

/** @throws AppError SERVER_ERROR (503) of a server that is starting */
export function schedulerOf({ memory }: Pick<Ctx, 'memory'>): Scheduler {
  const { scheduler } = memory.of(schedulerInForce);
  if (scheduler) return scheduler;
  throw new AppError('SERVER_ERROR', 503, 'The server is starting. Try again in a moment.');
}
