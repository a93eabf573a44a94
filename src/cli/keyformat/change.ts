import * as keyFormats from '#licensing/catalog/key-formats/index.ts';
import { keyFormatView } from '#licensing/catalog/key-formats/view.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { formGiven, keyFormatFlags } from './fields.ts';

/** `appctl keyformat create`. */
export function createKeyFormat(cli: Cli): Promise<void> {
  const input = { name: cli.required('name'), ...formGiven(cli) } as keyFormats.KeyFormatCreateInput;
  return withLocal(cli, async ({ ctx }) => {
    const format = await changeOrPlan(cli, ctx, (ctx) =>
      namingFlags(keyFormatFlags, () => keyFormats.create(ctx, input)),
    );
    await writeCard(cli, planned(cli, keyFormatView(format)));
    if (!cli.dryRun) cli.next(`appctl product update SLUG --key-format ${format.id}`);
  });
}

/** `appctl keyformat update FORMAT`. */
export async function updateKeyFormat(cli: Cli): Promise<void> {
  const name = cli.option('name');
  const input = { ...(name !== undefined && { name }), ...formGiven(cli) };
  if (Object.keys(input).length === 0)
    throw usageError('nothing to change', 'appctl keyformat update --help');
  await withLocal(cli, async ({ ctx }) => {
    const format = await changeOrPlan(cli, ctx, (ctx) =>
      namingFlags(keyFormatFlags, () => keyFormats.update(ctx, cli.argument('format'), input)),
    );
    await writeCard(cli, planned(cli, keyFormatView(format)));
    noteChange(cli, `changed ${Object.keys(input).join(', ')} of ${format.name}; it holds for new keys`);
  });
}

/** `appctl keyformat delete FORMAT`; the answer is the format that is gone. */
export function deleteKeyFormat(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const format = await keyFormats.get(ctx, cli.argument('format'));
    await changeOrPlan(cli, ctx, (ctx) => keyFormats.remove(ctx, format.id));
    await writeCard(cli, planned(cli, keyFormatView(format)));
    noteChange(cli, `deleted ${format.name}`);
  });
}
