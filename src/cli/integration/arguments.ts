import type { ArgSpec } from '../frame/spec.ts';

/** The integration that most of these commands are about. */
export const integrationArgument = {
  name: 'integration',
  summary: 'id or name of the integration',
  complete: () => import('./completers.ts').then((completers) => completers.completeIntegrations),
} as const satisfies ArgSpec;
