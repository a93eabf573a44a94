import type { CommandSpec } from '../frame/spec.ts';

export const commands: readonly CommandSpec[] = [
  {
    path: 'version',
    summary: 'print the version of this program and what it contains',
    options: [
      {
        name: 'licenses',
        summary:
          'print the name, version and license of every work of others inside, and the words of the license',
        conflicts: ['sbom'],
      },
      { name: 'sbom', summary: 'print the bill of materials as CycloneDX 1.6 JSON' },
    ],
    runs: ['O'],
    examples: [
      'appctl version',
      'appctl version --json',
      'appctl version --licenses',
      'appctl version --sbom > appctl.cdx.json',
    ],
    output: () => import('./schemas.ts').then((schemas) => schemas.VersionAnswer),
    load: () => import('./version.ts').then((actions) => actions.printVersion),
  },
];
