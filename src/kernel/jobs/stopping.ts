import type { Ctx } from '../context.ts';
import { memoryKey } from '../process-memory.ts';

const state = memoryKey('end of the process', () => ({ isNear: false }));

/** Tells work that takes long that its process ends: it begins no further part. */
export function beginStopping({ memory }: Pick<Ctx, 'memory'>): void {
  memory.of(state).isNear = true;
}

/** Whether what can be done later is left to the next process. */
export const isStopping = ({ memory }: Pick<Ctx, 'memory'>): boolean => memory.of(state).isNear;
