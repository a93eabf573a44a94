import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CheckScope } from '#kernel/check.ts';
import { type ArchivePart, textPart, writeArchive } from '#platform/backup/index.ts';
import { tryOutputs } from '../frame/output-file.ts';
import { secretsOf } from './known.ts';
import { type Part, partsOf } from './parts.ts';
import { type Redact, redaction } from './redact.ts';

/** A member that was made. */
interface Made {
  readonly name: string;
  readonly what: string;
  readonly text: string;
  readonly missing: string | null;
}

/** An archive that was written. */
export interface SupportArchive {
  readonly file: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly contents: readonly { name: string; what: string; sizeBytes: number; missing: string | null }[];
}

interface Asked {
  readonly out: string;
  /** Lines of the log. */
  readonly lines: number;
  /** What the checks found, where they ran already. */
  readonly found: readonly object[] | null;
}

/** Of the log, unless somebody asks for another number. */
export const LINES = 2000;
const FOLDER = 'appctl-support';

/**
 * Writes an archive of an installation without secrets, as far as the installation can be read.
 *
 * @throws CliError 5 when the file exists
 */
export async function writeSupportArchive(scope: CheckScope, asked: Asked): Promise<SupportArchive> {
  const file = resolve(asked.out);
  tryOutputs([{ path: file, force: false, cure: 'choose another file with --out' }]);
  const redact = redaction(await secretsOf(scope));
  const parts: Made[] = [];
  for (const part of partsOf(scope, asked.found, asked.lines)) parts.push(await made(part, redact));
  const all = [{ name: 'README.txt', what: 'this list', text: listOf(parts), missing: null }, ...parts];
  const written = await writeArchive(file, membersOf(all), listed, () => undefined).catch(
    (error: unknown) => {
      rmSync(file, { force: true });
      throw error;
    },
  );
  const contents = all.map(({ name, what, text, missing }) => ({
    name,
    what,
    sizeBytes: Buffer.byteLength(text),
    missing,
  }));
  return { file, sizeBytes: written.size, sha256: written.sha256, contents };
}

/** What an archive of an installation that is broken lacks is said in its place. */
async function made({ name, what, make }: Part, redact: Redact): Promise<Made> {
  try {
    const document = await make();
    const text = typeof document === 'string' ? document : `${JSON.stringify(document, null, 2)}\n`;
    return { name, what, text: redact(text), missing: null };
  } catch (error) {
    const missing = redact((error as Error).message);
    return { name, what, text: `${JSON.stringify({ missing })}\n`, missing };
  }
}

function listOf(parts: readonly Made[]): string {
  const width = Math.max(...parts.map(({ name }) => name.length));
  const lines = parts.map(
    ({ name, what, missing }) =>
      `  ${name.padEnd(width)}  ${what}${missing === null ? '' : ` (missing: ${missing})`}`,
  );
  return [
    'An installation of appctl, for whoever supports it. Made by "appctl support archive".',
    '',
    ...lines,
    '',
    'Not in it: the database, keys, tokens, passwords, license keys and the contents of emails. Email addresses and',
    'network addresses were replaced by names that are the same within this archive only.',
    'Error messages and the log may name other things. Look through it before you send it.',
    '',
  ].join('\n');
}

async function* membersOf(all: readonly Made[]): AsyncGenerator<ArchivePart> {
  for (const { name, text } of all) yield textPart(`${FOLDER}/${name}`, text);
}

/** The last member: sizes and digests of the others. */
const listed = (files: object): ArchivePart =>
  textPart(`${FOLDER}/files.json`, `${JSON.stringify(files, null, 2)}\n`);
