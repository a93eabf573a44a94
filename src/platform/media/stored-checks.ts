import { type Check, onSchema } from '#kernel/check.ts';

/** Loaded when it is asked for. */
const files = () => import('./stored-files.ts');

/** What doctor asks about the files of pictures: it reads the list of all of them. */
export const storedChecks: readonly Check[] = [
  {
    id: 'media.orphans',
    title: 'picture files that nothing needs',
    isLong: 'daily',
    run: onSchema(async (ctx, { namedFiles }) => (await files()).checkOrphans(ctx, namedFiles)),
    fix: async (scope) => (await files()).removeOrphans(scope),
  },
  {
    id: 'media.missing-variants',
    title: 'sizes of pictures',
    isLong: 'daily',
    run: onSchema(async (ctx) => (await files()).checkVariants(ctx)),
    fix: async (scope) => (await files()).remake(scope),
  },
];
