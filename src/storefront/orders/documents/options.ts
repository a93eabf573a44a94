import { readFile } from 'node:fs/promises';
import type { Ctx } from '#kernel/context.ts';
import type { DocumentOptions } from './model.ts';

/**
 * What the installation gives to its documents: a font for further letters. One that cannot be read is logged, and the
 * document says which letters it lacks.
 */
export async function documentOptions({
  documentFont,
  log,
}: Pick<Ctx, 'documentFont' | 'log'>): Promise<DocumentOptions> {
  if (documentFont === undefined) return {};
  try {
    return { font: await readFile(documentFont) };
  } catch (error) {
    log.warn(
      { err: error, file: documentFont },
      'the font of documents cannot be read: documents lack its letters. Check documents.font_file, or run appctl doctor',
    );
    return {};
  }
}
