import type { KeyFormat } from '#licensing/catalog/key-formats/index.ts';
import type { Cli } from '../frame/context.ts';

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
