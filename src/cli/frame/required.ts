import { usageError } from './errors.ts';
import type { Io } from './io.ts';
import { type ParsedLine, valueProblem } from './parse.ts';
import { createPrompts } from './prompts.ts';
import type { CommandSpec, OptionSpec } from './shape.ts';

/**
 * Asks for every option that the command needs and the command line lacks, before anything else happens.
 * @returns the line with the answers
 * @throws usage error (2) `--email is required (no terminal to ask on)` when nothing can be asked; it names every flag
 *   that is missing
 */
export async function askForRequired(spec: CommandSpec, line: ParsedLine, io: Io): Promise<ParsedLine> {
  const missing = (spec.options ?? []).filter((option) => option.required && !line.options.has(option.name));
  if (missing.length === 0) return line;
  const prompts = createPrompts(io, {
    noInput: line.options.has('no-input'),
    json: line.options.has('json'),
  });
  if (!prompts.possible) throw lacks(spec, missing, line.options);
  const options = new Map(line.options);
  for (const option of missing) {
    const answer = await ask(option, options);
    options.set(option.name, option.repeat ? [answer] : answer);
  }
  return { ...line, options };

  function ask(option: OptionSpec, options: Given): Promise<string> {
    const check = (text: string) =>
      valueProblem(option, text) ?? (text.trim() === '' ? 'a value is needed' : true);
    const question = { flag: `--${option.name}`, message: option.summary, check };
    const choices = choicesOf(option, options);
    return choices === undefined ? prompts.text(question) : prompts.choice({ ...question, choices });
  }
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
