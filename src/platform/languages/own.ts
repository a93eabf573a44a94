/** Languages and texts that the operator adds (cli.md 5, `locale_dir`). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type ConfigProblem } from '#kernel/config/errors.ts';
import { defaultsOf, flatten, type Texts, textFault } from './catalogue.ts';

const HINT = 'correct the file, or unset APPCTL_LOCALE_DIR';

/**
 * The files `<code>.json` of a folder: each adds a language, or replaces texts of one that ships.
 *
 * @param shipped catalogues of the program by code
 * @param fallback code of the one that has every text
 * @throws ConfigError naming file and key of everything that is wrong
 */
export function readOwn(
  dir: string,
  shipped: ReadonlyMap<string, Texts>,
  fallback: string,
): Map<string, Texts> {
  const problems: ConfigProblem[] = [];
  const problem = (message: string): void => void problems.push({ key: 'locale_dir', message, hint: HINT });
  const found = new Map<string, Texts>();
  for (const name of namesIn(dir, problem)) {
    const code = name.slice(0, -'.json'.length);
    const texts = isCode(code) ? readTexts(join(dir, name), name, problem) : null;
    if (!isCode(code)) problem(`${name}: "${code}" is not a language code such as nl or pt-BR`);
    if (!texts) continue;
    const base = shipped.get(fallback) as Texts;
    const defaults = defaultsOf(code, shipped.get(code) ?? new Map(), base);
    for (const [key, text] of texts) {
      const fault = textFault(key, text, defaults.get(key));
      if (fault !== null) problem(`${name}: ${key} ${fault}`);
    }
    found.set(code, texts);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return found;
}

function namesIn(dir: string, problem: (message: string) => void): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch (error) {
    problem(`${dir} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
    return [];
  }
}

/** As `Intl` writes it, so that a language has one name. */
function isCode(code: string): boolean {
  try {
    return Intl.getCanonicalLocales(code)[0] === code && Intl.PluralRules.supportedLocalesOf(code).length > 0;
  } catch {
    return false;
  }
}

function readTexts(path: string, name: string, problem: (message: string) => void): Texts | null {
  try {
    const { texts, fault } = flatten(JSON.parse(readFileSync(path, 'utf8')));
    if (fault === null) return texts;
    problem(
      `${name}: ${fault === '' ? 'the file' : fault} must ${fault === '' ? 'hold an object' : 'be a text'}`,
    );
  } catch (error) {
    problem(`${name}: ${error instanceof SyntaxError ? 'is not valid JSON' : 'cannot be read'}`);
  }
  return null;
}
