import { once } from 'node:events';
import { createReadStream, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { isSealed } from '#kernel/sealed-file.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { type InputFile, inputFile } from '../input-file.ts';
import { knownPassphrase, opened } from '../sealing.ts';

/** A file of records, in the clear. */
export interface ImportFile extends InputFile {
  /** Without its folder. */
  readonly filename: string;
  /** Bytes of what `open` reads. */
  readonly size: number;
}

/** The file of `--file`, opened with its passphrase when it is sealed, and then known to be whole. */
export async function fileAsked(cli: Cli): Promise<ImportFile> {
  const path = cli.required('file');
  const file = inputFile(cli, '--file', path);
  if (!file.isSeekable) {
    throw usageError('--file must name a file that can be read twice', 'write it to a file first');
  }
  const filename = basename(path);
  if (!isSealed(await headOf(path))) return { ...file, filename, size: statSync(resolve(path)).size };
  const passphrase = await knownPassphrase(cli);
  const open = () => opened(file.open(), passphrase);
  let size = 0;
  for await (const bytes of open()) size += bytes.byteLength;
  return { ...file, filename, size, open };
}

async function headOf(path: string): Promise<Uint8Array> {
  const stream = createReadStream(resolve(path), { end: 63 });
  const chunks: Buffer[] = [];
  stream.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
  await once(stream, 'close');
  return Buffer.concat(chunks);
}
