import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { page, show } from '#kernel/http/page.ts';
import { checkInput } from '#kernel/service/input.ts';
import { later } from '#kernel/sharing.ts';
import { KEY_ALPHABETS, KEY_CHECKSUMS } from '#licensing/contract/enumerations.ts';
import { PANEL } from '#platform/panel/index.ts';
import { DEFAULT_KEY_FORMAT, LEAST_ENTROPY_BITS } from './format.ts';
import { KeyFormatPreviewBody, keyFormatOf } from './schemas.ts';
import { previewView } from './view.ts';

const LIST = '/admin/key-formats';
const PATH = `${LIST}/try`;
const typed = (usual: string) => z.string().max(40).default(usual);

/** What keys of a format look like and how hard they are to guess, while it is typed; nothing is stored (admin.md 5.5). */
const tryPage = page({
  path: PATH,
  title: 'Try a key format',
  audience: { staff: 'licensing:read' },
  layout: PANEL,
  help: 'sell-licenses',
  fragments: { preview: 'licensing/key-format-preview' },
  query: later(() =>
    z.object({
      prefix: typed(DEFAULT_KEY_FORMAT.prefix),
      segments: typed(String(DEFAULT_KEY_FORMAT.segments)),
      alphabet: typed(DEFAULT_KEY_FORMAT.alphabet),
      checksum: typed(DEFAULT_KEY_FORMAT.checksum),
    }),
  ),
  show: async (_ctx, { query }) =>
    show('licensing/key-format', {
      path: PATH,
      listHref: LIST,
      query,
      alphabets: KEY_ALPHABETS,
      checksums: KEY_CHECKSUMS,
      least: LEAST_ENTROPY_BITS,
      createHref: `${LIST}/new?${new URLSearchParams(query)}`,
      ...previewOf(query),
    }),
});

export const keyFormatPages = [tryPage];

type Typed = Readonly<Record<'prefix' | 'segments' | 'alphabet' | 'checksum', string>>;

/** What the format draws, or why there is no such format. */
function previewOf({ segments, ...others }: Typed) {
  const body = { ...others, segments: /^\d{1,3}$/.test(segments) ? Number(segments) : segments };
  try {
    return { preview: previewView(keyFormatOf(checkInput(KeyFormatPreviewBody, body))), faults: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { issues = [] } = (error.details ?? {}) as {
      issues?: readonly { path: string; message: string }[];
    };
    return { preview: null, faults: issues.map(({ path, message }) => ({ field: path, message })) };
  }
}
