import type { LiveConfig } from '../configs/config.ts';
import type { ProcessorEvent } from '../processors/event.ts';

/** A stored event with what it says. */
export interface Work {
  id: string;
  config: LiveConfig;
  event: ProcessorEvent;
  /** ISO time of the first receipt. */
  receivedAt: string;
}
