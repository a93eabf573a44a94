import type { CommandSpec } from '../frame/spec.ts';

export const commands: readonly CommandSpec[] = [
  {
    path: 'version',
    summary: 'print the version of this program',
    runs: ['O'],
    examples: ['appctl version', 'appctl version --json'],
    output: () => import('./schemas.ts').then((schemas) => schemas.VersionOutput),
    load: () => import('./version.ts').then((actions) => actions.printVersion),
  },
];
