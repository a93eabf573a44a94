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
  if (!prompts.possible) throw lacks(spec, missing);
  const options = new Map(line.options);
  for (const option of missing) {
    const answer = await ask(option);
    options.set(option.name, option.repeat ? [answer] : answer);
  }
  return { ...line, options };

  function ask(option: OptionSpec): Promise<string> {
    const check = (text: string) =>
      valueProblem(option, text) ?? (text.trim() === '' ? 'a value is needed' : true);
    const question = { flag: `--${option.name}`, message: option.summary, check };
    return option.choices === undefined
      ? prompts.text(question)
      : prompts.choice({ ...question, choices: option.choices });
  }
}

function lacks(spec: CommandSpec, missing: readonly OptionSpec[]): Error {
  const flags = missing.map(({ name }) => `--${name}`).join(' and ');
  const choices = missing.length === 1 ? missing[0]?.choices : undefined;
  return usageError(
    `${flags} ${missing.length === 1 ? 'is' : 'are'} required (no terminal to ask on)`,
    choices ? `one of: ${choices.join(', ')}` : `appctl ${spec.path} --help`,
  );
}
