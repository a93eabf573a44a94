import { type KeyFormat, previewOf, type StoredKeyFormat } from '#licensing/catalog/key-formats/index.ts';
import type { Cli } from '../frame/context.ts';

/** A key format as the command line shows it, with keys that belong to nobody. */
export type KeyFormatView = ReturnType<typeof keyFormatView>;

export const keyFormatView = (format: StoredKeyFormat) => ({
  id: format.id,
  name: format.name,
  ...rulesOf(format),
  createdAt: format.createdAt,
  ...samplesOf(format),
});

/** How a format draws its keys, and five that it would draw. */
export const previewView = (format: KeyFormat) => ({ ...rulesOf(format), ...samplesOf(format) });

const rulesOf = ({ prefix, segments, segmentLength, alphabet, checksum }: KeyFormat) => ({
  prefix,
  segments,
  segmentLength,
  alphabet,
  checksum,
});

function samplesOf(format: KeyFormat): { samples: string[]; entropyBits: number } {
  const { samples, entropyBits } = previewOf(format);
  return { samples, entropyBits };
}

/** The flags that stand for fields of a key format. */
export const keyFormatFlags = {
  name: '--name',
  prefix: '--prefix',
  segments: '--segments',
  alphabet: '--alphabet',
  checksum: '--checksum',
};

/** What the command line says of the keys' form; only what was given. */
export function formGiven(cli: Cli): Partial<KeyFormat> {
  const values = {
    prefix: cli.option('prefix'),
    segments: cli.integer('segments'),
    alphabet: cli.option('alphabet'),
    checksum: cli.option('checksum'),
  };
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<KeyFormat>;
}
