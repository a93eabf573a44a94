import { memoryKey } from '../process-memory.ts';
import type { RateLimiters } from './rate-limiters.ts';

/** Those of this process, for whoever shows how much of a limit is used; null where none applies. */
export const limitersInForce = memoryKey<{
  limiters: RateLimiters | null;
  /** Whether all servers of the installation count together. */
  isShared: boolean;
}>('limiters', () => ({ limiters: null, isShared: false }));
