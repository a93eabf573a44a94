import type { LocalPart } from '#kernel/capability.ts';
import { keyFormatsLocal } from './catalog/key-formats/local.ts';
import { keysLocal } from './catalog/keys/local.ts';
import { licensingSettings } from './contract/settings.ts';
import { abuseLocal } from './insight/abuse/local.ts';

/** Settings that belong to the service as a whole. */
export const serviceLocal = { name: 'licensing', settings: licensingSettings } satisfies LocalPart;

/** What every process knows of the license service, whether it serves or runs one command. */
export const licensingLocal: readonly LocalPart[] = [
  serviceLocal,
  // In the order of the service's capabilities: one subscriber may hear an event before another.
  keyFormatsLocal,
  keysLocal,
  abuseLocal,
];
