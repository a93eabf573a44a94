import { writeCard } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { formGiven, keyFormatFlags } from './fields.ts';
import { keyFormatOf, type OneKeyFormat, withKeyFormats } from './twin.ts';

/** `appctl keyformat create`. */
export function createKeyFormat(cli: Cli): Promise<void> {
  const input = { name: cli.required('name'), ...formGiven(cli) };
  return withKeyFormats(cli, async (desk) => {
    const { keyFormat } = await namingFlags(keyFormatFlags, () =>
      desk.post<OneKeyFormat>('key-formats', input),
    );
    await writeCard(cli, planned(cli, keyFormat));
    if (!cli.dryRun) cli.next(`appctl product update SLUG --key-format ${keyFormat.id}`);
  });
}

/** `appctl keyformat update FORMAT`. */
export async function updateKeyFormat(cli: Cli): Promise<void> {
  const name = cli.option('name');
  const input = { ...(name !== undefined && { name }), ...formGiven(cli) };
  if (Object.keys(input).length === 0)
    throw usageError('nothing to change', 'appctl keyformat update --help');
  await withKeyFormats(cli, async (desk) => {
    const { keyFormat } = await namingFlags(keyFormatFlags, () =>
      desk.patch<OneKeyFormat>(at`key-formats/${cli.argument('format')}`, input),
    );
    await writeCard(cli, planned(cli, keyFormat));
    noteChange(
      cli,
      `changed ${Object.keys(input).join(', ')} of ${keyFormat.name}; this applies to new keys`,
    );
  });
}

/** `appctl keyformat delete FORMAT`; the answer is the format that is gone. */
export function deleteKeyFormat(cli: Cli): Promise<void> {
  return withKeyFormats(cli, async (desk) => {
    const format = await keyFormatOf(desk, cli.argument('format'));
    await desk.delete(at`key-formats/${format.id}`);
    await writeCard(cli, planned(cli, format));
    noteChange(cli, `deleted ${format.name}`);
  });
}
