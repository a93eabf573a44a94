import { isoTime, systemClock } from '#kernel/clock.ts';
import { sizeText } from '#kernel/size-words.ts';
import { openScope } from '../doctor/scope.ts';
import type { Cli } from '../frame/context.ts';
import { folded } from '../frame/wrap.ts';
import { shellWord } from '../printed-text.ts';
import { type SupportArchive, writeSupportArchive } from './archive.ts';

/** `appctl support archive`. */
export async function archive(cli: Cli): Promise<void> {
  const stamp = isoTime(systemClock.epochMs()).replaceAll(/[-:]|\.\d+/g, '');
  const out = cli.option('out') ?? `appctl-support-${stamp}.tar.zst`;
  const { scope, close } = await openScope(cli.configInput());
  try {
    const written = await writeSupportArchive(scope, { out, lines: cli.integer('lines') ?? 0, found: null });
    await cli.out.value(written, (_, width) => wordsOf(written, width));
    cli.next(`tar --zstd -tvf ${shellWord(written.file)}`);
  } finally {
    await close();
  }
}

function wordsOf({ file, sizeBytes, contents }: SupportArchive, width = 80): string {
  const left = Math.max(...contents.map(({ name }) => name.length)) + 4;
  const lines = contents.map(({ name, what, missing }) => {
    const text = missing === null ? what : `missing: ${missing}`;
    return `  ${name.padEnd(left - 2)}${folded(text, Math.max(20, width - left)).join(`\n${' '.repeat(left)}`)}`;
  });
  const head = `${file} (${sizeText(sizeBytes)})`;
  return [head, ...lines, 'Look through it before you send it.'].join('\n');
}
