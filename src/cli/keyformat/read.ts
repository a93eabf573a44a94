import * as keyFormats from '#licensing/catalog/key-formats/index.ts';
import { type KeyFormatView, keyFormatView, previewView } from '#licensing/catalog/key-formats/view.ts';
import { writeCard } from '../card.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { pageAsked } from '../paging.ts';
import { formGiven, keyFormatFlags } from './fields.ts';

const columns: readonly Column<KeyFormatView>[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'prefix' },
  { key: 'segments', align: 'right' },
  { key: 'alphabet' },
  { key: 'checksum' },
  { key: 'entropyBits', title: 'bits', align: 'right' },
  { key: 'samples', title: 'sample', text: ({ samples }) => samples[0] ?? '' },
];

/** `appctl keyformat list`. */
export function listKeyFormats(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const page = await keyFormats.list(ctx, pageAsked(cli));
    await cli.out.page({ ...page, items: page.items.map(keyFormatView) }, columns);
  });
}

/** `appctl keyformat show FORMAT`. */
export function showKeyFormat(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    await writeCard(cli, keyFormatView(await keyFormats.get(ctx, cli.argument('format'))));
  });
}

/** `appctl keyformat preview`: of flags alone, or of a stored format with some of its rules changed. */
export async function previewKeyFormat(cli: Cli): Promise<void> {
  const stored = cli.optionalArgument('format');
  const base = stored === undefined ? {} : await withLocal(cli, ({ ctx }) => keyFormats.get(ctx, stored));
  const { prefix, segments, alphabet, checksum } = { ...base, ...formGiven(cli) };
  if (prefix === undefined) throw usageError('--prefix is required');
  if (segments === undefined) throw usageError('--segments is required');
  const asked = {
    prefix,
    segments,
    segmentLength: 4 as const,
    alphabet: alphabet ?? 'CROCKFORD32',
    checksum: checksum ?? 'NONE',
  };
  await namingFlags(keyFormatFlags, () => keyFormats.preview(asked));
  await writeCard(cli, previewView(asked));
}
