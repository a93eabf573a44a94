import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { setting } from '#kernel/settings.ts';
import type { Labels } from '#platform/languages/index.ts';

/** Largest text of a label, in characters. */
export const MOST_LABEL = 1000;

/** Languages and texts of them that may stand in the setting: more than there are. */
const MOST_LANGUAGES = 100;

const words = z.record(z.string().max(100), z.string().max(MOST_LABEL));

/** Texts of the shop in place of those of its catalogues, by language and key. */
export const labels = setting<Labels>({
  key: 'labels',
  group: 'labels',
  description:
    'Texts of the shop in words of your own: JSON with a language code, and in it texts by their keys',
  schema: z
    .record(z.string().max(35), words)
    .refine(
      (all) => Object.keys(all).length <= MOST_LANGUAGES,
      `must have at most ${MOST_LANGUAGES} languages`,
    ),
  default: {},
  async check(_ctx: Ctx, all: Labels) {
    const faults = await labelFaults(all);
    if (faults.length === 0) return;
    const issues = faults.map(({ code, key, fault }) => ({
      path: 'labels',
      rule: 'invalid',
      message: `${[code, key].filter((part) => part !== '').join(': ')} ${fault}`,
    }));
    const text = issues.map(({ message }) => message).join('; ');
    throw fail('VALIDATION_ERROR', `labels: ${text}`, { details: { issues } });
  },
});

/** So many faults are told of. */
const MOST_TOLD = 20;

/** What is wrong with labels: languages and keys that there are not, and places that a text leaves out or makes up. */
export async function labelFaults(
  all: Labels,
): Promise<{ readonly code: string; readonly key: string; readonly fault: string }[]> {
  // A short command knows this setting too, and reads no catalogue.
  const { labelFault, languages, loadLanguages, textsOf } = await import('#platform/languages/index.ts');
  await loadLanguages();
  const known = new Set(languages().map(({ code }) => code));
  const faults = Object.entries(all).flatMap(([code, own]) => {
    if (!known.has(code)) return [{ code, key: '', fault: 'is not a language of the shop' }];
    const texts = textsOf(code);
    return Object.entries(own).flatMap(([key, text]) => {
      const fault = labelFault(texts, key, text);
      return fault === null ? [] : [{ code, key, fault }];
    });
  });
  return faults.slice(0, MOST_TOLD);
}
