import type { ArgSpec } from '../frame/spec.ts';

/** The configuration that most of these commands are about. */
export const configArgument = {
  name: 'config',
  summary: 'id or name of the inbound configuration',
  complete: () => import('./completers.ts').then((completers) => completers.completeInbound),
} as const satisfies ArgSpec;
