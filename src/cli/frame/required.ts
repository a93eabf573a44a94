import { usageError } from './errors.ts';
import type { Io } from './io.ts';
import { type ParsedLine, valueProblem } from './parse.ts';
import { createPrompts } from './prompts.ts';
import type { CommandSpec, OptionSpec } from './shape.ts';
import { slugProblem, slugProposed } from './values.ts';

/** Words that an option may have, where the installation knows them: slugs of products. */
export type Offering = (option: OptionSpec, line: ParsedLine) => Promise<readonly string[]>;

/** More are not chosen from a list with the arrow keys. */
const MOST_CHOICES = 15;

/**
 * Asks for every option that the command needs and the command line lacks, before anything else happens. Each answer is
 * checked when it is given, what can be chosen is listed, and a slug is proposed from the name.
 *
 * @returns the line with the answers
 * @throws usage error (2) `--email is required (no terminal to ask on)` when nothing can be asked; it names every flag
 *   that is missing
 */
export async function askForRequired(
  spec: CommandSpec,
  line: ParsedLine,
  io: Io,
  offered: Offering = async () => [],
): Promise<ParsedLine> {
  const missing = (spec.options ?? []).filter((option) => option.required && !line.options.has(option.name));
  const slug = slugProposed(line.options.get('name'));
  if (missing.length === 0) return line;
  const prompts = createPrompts(io, {
    noInput: line.options.has('no-input'),
    json: line.options.has('json'),
  });
  if (!prompts.possible) {
    // The slug that would be proposed at a terminal.
    if (missing.some(({ name }) => name !== 'slug') || slug === '') throw lacks(spec, missing, line.options);
    return { ...line, options: new Map([...line.options, ['slug', slug]]) };
  }
  const options = new Map(line.options);
  for (const option of nameFirst(missing)) {
    const answer = await ask(option, { ...line, options });
    options.set(option.name, option.repeat ? [answer] : answer);
  }
  return { ...line, options };

  async function ask(option: OptionSpec, line: ParsedLine): Promise<string> {
    const check = (text: string) => valueProblem(option, text) ?? formProblem(option, text) ?? true;
    const question = { flag: `--${option.name}`, message: questionOf(option), check };
    const choices = choicesOf(option, line.options) ?? (await offered(option, line));
    if (choices.length > 0 && choices.length <= MOST_CHOICES) return prompts.choice({ ...question, choices });
    const proposed = option.name === 'slug' ? slugProposed(line.options.get('name')) : '';
    return prompts.text({ ...question, ...(proposed !== '' && { default: proposed }) });
  }
}

/** A slug is proposed from the name, so the name is asked for before it. */
const nameFirst = (options: readonly OptionSpec[]): OptionSpec[] =>
  options.toSorted((one, other) => Number(one.name === 'slug') - Number(other.name === 'slug'));

/** `Email: customer who gets it`. */
function questionOf({ name, summary }: OptionSpec): string {
  const title = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ');
  return `${title} (${summary})`;
}

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** What is wrong with an answer at first sight; the command judges it in full. */
function formProblem({ name, value }: OptionSpec, text: string): string | undefined {
  if (text.trim() === '') return 'a value is needed';
  if (name === 'slug') return slugProblem(text);
  if (name === 'email' && !EMAIL.test(text.trim())) return `"${text}" is not a valid email address`;
  if (value === 'URL' && !URL.canParse(text)) return 'an address such as https://example.com/hook';
  return undefined;
}

type Given = ParsedLine['options'];

function choicesOf({ choices, choicesBy }: OptionSpec, given: Given): readonly string[] | undefined {
  const other = choicesBy && given.get(choicesBy.option);
  return (typeof other === 'string' ? choicesBy?.of[other] : undefined) ?? choices;
}

function lacks(spec: CommandSpec, missing: readonly OptionSpec[], given: Given): Error {
  const flags = missing.map(({ name }) => `--${name}`).join(' and ');
  const [only, ...more] = missing;
  const choices = only && more.length === 0 ? choicesOf(only, given) : undefined;
  return usageError(
    `${flags} ${missing.length === 1 ? 'is' : 'are'} required (no terminal to ask on)`,
    choices ? `one of: ${choices.join(', ')}` : `appctl ${spec.path} --help`,
  );
}
