import type { Ctx } from '../context.ts';

/** What an answer that goes on while somebody listens has to ask now and then. */
export interface Live {
  /** Aborted when the client is gone, and when the server stops. */
  readonly signal: AbortSignal;
  /** The ctx of whoever called, with the rights of now; null when it may not listen any longer. */
  renew(): Promise<Ctx | null>;
}
