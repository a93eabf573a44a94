import type { CommandSpec } from '../frame/spec.ts';

export const commands: readonly CommandSpec[] = [
  {
    path: 'schema',
    summary: 'print the JSON Schema of what a command prints with --json',
    args: [
      {
        name: 'command',
        summary: 'words of the command; without them the commands that have a schema are listed',
        optional: true,
        variadic: true,
        complete: () => import('./schema.ts').then((actions) => actions.completeSchemaNames),
      },
    ],
    runs: ['O'],
    examples: ['appctl schema', 'appctl schema config show'],
    exits: [3],
    output: () => import('./schemas.ts').then((schemas) => schemas.SchemaOutput),
    load: () => import('./schema.ts').then((actions) => actions.printSchema),
  },
];
