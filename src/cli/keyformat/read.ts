import type { Page } from '#kernel/service/pagination.ts';
import * as keyFormats from '#licensing/catalog/key-formats/index.ts';
import { type KeyFormatView, previewView } from '#licensing/catalog/key-formats/view.ts';
import { writeCard } from '../card.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import { formGiven, keyFormatFlags } from './fields.ts';
import { keyFormatOf, withKeyFormats } from './twin.ts';

const columns: readonly Column<KeyFormatView>[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'prefix' },
  { key: 'segments', align: 'right' },
  { key: 'alphabet' },
  { key: 'checksum' },
  { key: 'entropyBits', title: 'bits', align: 'right' },
  { key: 'usedBy', title: 'products', align: 'right' },
  { key: 'samples', title: 'sample', text: ({ samples }) => samples[0] ?? '' },
];

/** `appctl keyformat list`. */
export function listKeyFormats(cli: Cli): Promise<void> {
  return withKeyFormats(cli, async (desk) =>
    cli.out.page(await desk.get<Page<KeyFormatView>>('key-formats', pageAsked(cli)), columns),
  );
}

/** `appctl keyformat show FORMAT`. */
export function showKeyFormat(cli: Cli): Promise<void> {
  return withKeyFormats(cli, async (desk) => writeCard(cli, await keyFormatOf(desk, cli.argument('format'))));
}

/**
 * `appctl keyformat preview`: of flags alone, which needs no desk, or of a stored format with some of its rules
 * changed.
 */
export async function previewKeyFormat(cli: Cli): Promise<void> {
  const stored = cli.optionalArgument('format');
  const base = stored === undefined ? {} : await withKeyFormats(cli, (desk) => keyFormatOf(desk, stored));
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
