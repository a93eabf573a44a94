import type { Capability } from '#kernel/capability.ts';
import { activations } from './activations/index.ts';
import { integrity } from './integrity/index.ts';
import { licenses } from './licenses/index.ts';
import { products } from './products/index.ts';
import { licensingSettings } from './settings.ts';
import { validation } from './validation/index.ts';

export { checkInput } from './input.ts';
export { licensingEnvelope, licensingSurface } from './surface.ts';

/** Settings that belong to the service as a whole. */
const service: Capability = { name: 'licensing', settings: licensingSettings };

/** Everything that the license service adds to the program. */
export const licensingCapabilities: readonly Capability[] = [
  service,
  products,
  licenses,
  activations,
  validation,
  integrity,
];
