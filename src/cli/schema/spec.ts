import type { CommandSpec } from '../frame/spec.ts';

export const commands: readonly CommandSpec[] = [
  {
    path: 'schema',
    summary: 'print the JSON Schema of what a command prints, or the OpenAPI document of an API',
    description:
      'openapi-license is the license API, openapi-admin the admin API, openapi-store the API of the shop. A document describes this version of the program and needs no installation.',
    args: [
      {
        name: 'command',
        summary: 'words of the command, or the name of a document; without them all names are listed',
        optional: true,
        variadic: true,
        complete: () => import('./schema.ts').then((actions) => actions.completeSchemaNames),
      },
    ],
    runs: ['O'],
    examples: ['appctl schema', 'appctl schema config show', 'appctl schema openapi-store > store.json'],
    exits: [3],
    output: () => import('./schemas.ts').then((schemas) => schemas.SchemaOutput),
    load: () => import('./schema.ts').then((actions) => actions.printSchema),
  },
];
