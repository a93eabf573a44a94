import type { LiveIntegration } from '../../integrations/index.ts';
import type { ProcessorEvent } from '../processors/event.ts';

/** A stored event with what it says. */
export interface Work {
  id: string;
  config: LiveIntegration;
  event: ProcessorEvent;
  /** ISO time of the first receipt. */
  receivedAt: string;
}
