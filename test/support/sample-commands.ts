// The commands of a small program on the frame of the command line, for the parts that no finished command uses yet.

import { AppError } from '#kernel/errors.ts';
import type { Cli } from '../../src/cli/frame/context.ts';
import { secretOptions } from '../../src/cli/frame/secrets.ts';
import type { Action, CommandSpec } from '../../src/cli/frame/spec.ts';
import { buildTree, type CommandTree } from '../../src/cli/frame/tree.ts';

const items = [
  { id: 'a1', name: '=1+1', customer: { email: 'ann@x.test' }, seats: 5 },
  { id: 'b2', name: 'has "quotes", a comma\tand a tab', customer: { email: 'bob@x.test' }, seats: 12 },
];

function command(path: string, action: Action, more: Partial<CommandSpec> = {}): CommandSpec {
  return {
    path,
    summary: path,
    runs: ['O'],
    examples: [`sample ${path}`],
    load: async () => action,
    ...more,
  };
}

const commands: CommandSpec[] = [
  command('list', async (cli) => {
    const pagination = { page: 1, limit: 2, total: 4, totalPages: 2 };
    await cli.out.page({ items, pagination }, [
      { key: 'id' },
      { key: 'name' },
      { key: 'seats', align: 'right' },
    ]);
  }),
  command(
    'create',
    async (cli) => cli.out.value({ email: cli.required('email'), days: cli.integer('days') ?? null }),
    {
      aliases: ['make'],
      confirm: 'mild',
      options: [
        { name: 'email', value: 'E', summary: 'address', required: true },
        { name: 'days', value: 'N', summary: 'days', type: 'integer', min: 1, max: 400 },
        { name: 'version', value: 'V', summary: 'a name that only the root has' },
      ],
    },
  ),
  command(
    'revoke',
    async (cli) => {
      await cli.confirm({ action: 'revoke a1' });
      await cli.out.value({ ok: true, ...(cli.dryRun ? { dryRun: true } : {}) });
    },
    { confirm: 'moderate' },
  ),
  command(
    'purge',
    async (cli) => {
      await cli.confirm({ action: 'purge the database', name: 'appctl' });
      await cli.out.value({ ok: true });
    },
    { confirm: 'severe', dryRun: false },
  ),
  command(
    'unlock',
    async (cli) => {
      const { value, tried } = await cli.secret('passphrase', { label: 'passphrase' });
      await cli.out.value({ length: value.length, tried });
    },
    { options: secretOptions('passphrase', 'the passphrase') },
  ),
  command(
    'stream',
    async (cli) => {
      for (let n = 0; n < 100_000; n += 1) cli.out.record({ n });
    },
    { stream: 'ndjson' },
  ),
  command('pending', async () => 8),
  command(
    'fail',
    async (cli) => {
      const [code, reason] = [cli.argument('code'), cli.optionalArgument('reason')];
      if (code.startsWith('E')) throw Object.assign(new Error('system'), { code });
      throw new AppError(code, 400, `it is ${code}`, { details: reason === undefined ? {} : { reason } });
    },
    {
      args: [
        { name: 'code', summary: 'code' },
        { name: 'reason', summary: 'reason', optional: true },
      ],
    },
  ),
  command('hint', async (cli) => {
    cli.note('a note');
    cli.next('sample list');
    await cli.out.value({ ok: true });
  }),
];

/** Builds the tree of the sample program. */
export function sampleTree(): CommandTree<Cli> {
  return buildTree([], commands);
}
