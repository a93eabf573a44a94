import { readFile } from 'node:fs/promises';
import { type Check, type Finding, fail, ok, onConfig, onSchema, warn } from '#kernel/check.ts';
import { countIssued } from './repository.ts';
import { isFont } from './sheet.ts';

const CURE =
  'point documents.font_file (APPCTL_DOCUMENTS_FONT_FILE) to a TTF, OTF or WOFF file that appctl can read, or unset it';

async function font(path: string | undefined): Promise<Finding> {
  if (path === undefined)
    return ok('documents print Latin, Greek and Cyrillic; documents.font_file adds more');
  try {
    if (await isFont(await readFile(path))) return ok(`documents also print letters of the font ${path}`);
    return warn(`${path} is not a font file: documents lack letters beyond Latin, Greek and Cyrillic`, CURE);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    return warn(
      `the font ${path} cannot be read (${code}): documents lack letters beyond Latin, Greek and Cyrillic`,
      CURE,
    );
  }
}

/** What is wrong with paper: letters that cannot be printed, and numbers that are left out (decision 0065). */
export const documentChecks: readonly Check[] = [
  {
    id: 'store.document-font',
    title: 'font of documents',
    run: onConfig(({ documentFont }) => font(documentFont)),
  },
  {
    id: 'store.invoices',
    title: 'invoice numbers',
    isLong: 'daily',
    run: onSchema(async (ctx) => {
      const wrong = (await countIssued(ctx)).filter(({ issued, taken }) => issued !== taken);
      if (wrong.length === 0) return ok('invoice and credit note numbers are complete');
      const told = wrong.map(
        ({ kind, issued, taken }) => `${taken} numbers of ${kind} were taken, and ${issued} are there`,
      );
      return fail(told.join('; '), 'restore a backup, and report this bug');
    }),
  },
];
