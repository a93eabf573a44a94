import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { nearest } from '#kernel/edit-distance.ts';
import { type CliError, usageError } from './errors.ts';
import { globalOptions } from './globals.ts';
import type { ArgSpec, CommandSpec, OptionSpec } from './shape.ts';
import { flagsOf } from './tree.ts';
import { parseDuration } from './values.ts';

/** Value of an option as given on the command line: true for a switch, a list for one that repeats. */
export type OptionValue = string | true | readonly string[];

/** A command line after parsing. Only what was given is inside, no defaults. */
export interface ParsedLine {
  readonly args: ReadonlyMap<string, string | readonly string[]>;
  readonly options: ReadonlyMap<string, OptionValue>;
}

/**
 * Parses the words of one command with its own and the global options.
 * @param words what follows the command's path; flags may stand in any order
 * @throws usage error (2) for an unknown flag, a missing or an invalid value, with the nearest suggestion
 */
export function parseLine(spec: CommandSpec, words: readonly string[]): ParsedLine {
  const specs = [...globalOptions, ...(spec.options ?? [])];
  const command = new Command(`appctl ${spec.path}`);
  command.exitOverride().helpOption(false).showSuggestionAfterError(false);
  command.configureOutput({ writeErr: () => {}, writeOut: () => {} });
  const known = new Set(specs.flatMap(flagsOf));
  const options = specs.map((option) => ({ option, made: makeOption(option, known) }));
  for (const { made } of options) command.addOption(made);
  for (const arg of spec.args ?? []) command.addArgument(makeArgument(arg));
  command.action(() => {});
  try {
    command.parse(underOwnNames(words, specs), { from: 'user' });
  } catch (error) {
    throw error instanceof CommanderError ? explain(error, spec, known) : error;
  }
  return { args: readArguments(spec, command), options: readOptions(command, options) };
}

/** The line with every flag under its option's own name; what follows `--` is no flag. */
function underOwnNames(words: readonly string[], specs: readonly OptionSpec[]): string[] {
  const ends = words.indexOf('--');
  return words.map((word, index) => {
    const [flag = '', value] = word.split(/=(.*)/s, 2);
    const own = specs.find(({ aliases }) => aliases?.some((alias) => flag === `--${alias}`));
    if (own === undefined || (ends >= 0 && index > ends)) return word;
    return value === undefined ? `--${own.name}` : `--${own.name}=${value}`;
  });
}

function readOptions(
  command: Command,
  options: readonly { option: OptionSpec; made: Option }[],
): Map<string, OptionValue> {
  const given = new Map<string, OptionValue>();
  for (const { option, made } of options) {
    if (command.getOptionValueSource(made.attributeName()) !== 'cli') continue;
    const value: unknown = command.getOptionValue(made.attributeName());
    given.set(option.name, option.value === undefined ? true : (value as OptionValue));
  }
  for (const { option } of options) {
    const excluded = given.has(option.name) ? option.conflicts?.find((name) => given.has(name)) : undefined;
    if (excluded !== undefined)
      throw usageError(`--${option.name} and --${excluded} cannot be used together`);
  }
  return given;
}

function readArguments(spec: CommandSpec, command: Command): Map<string, string | readonly string[]> {
  const given = new Map<string, string | readonly string[]>();
  for (const [index, arg] of (spec.args ?? []).entries()) {
    const value = command.processedArgs[index] as string | readonly string[] | undefined;
    if (value !== undefined) given.set(arg.name, value);
  }
  return given;
}

function makeOption(spec: OptionSpec, known: ReadonlySet<string>): Option {
  const short = spec.short === undefined ? '' : `-${spec.short}, `;
  if (spec.value === undefined) return new Option(`${short}--${spec.name}`, spec.summary);
  const option = new Option(
    `${short}--${spec.name} ${spec.optionalValue ? `[${spec.value}]` : `<${spec.value}>`}`,
    spec.summary,
  );
  return option.argParser((text: string, before: unknown) => {
    // `--email --json` is a forgotten value, not an address that starts with dashes.
    if (text.startsWith('--') && known.has(text))
      throw new InvalidArgumentError(`put a value between --${spec.name} and ${text}`);
    const problem = valueProblem(spec, text);
    if (problem !== undefined) throw new InvalidArgumentError(problem);
    if (!spec.repeat) return text;
    return Array.isArray(before) ? [...(before as string[]), text] : [text];
  });
}

/** Says what an option's value should be instead, or undefined when it fits the declaration. */
export function valueProblem(spec: OptionSpec, text: string): string | undefined {
  if (spec.choices !== undefined && !spec.choices.includes(text)) return `one of: ${spec.choices.join(', ')}`;
  if (spec.type === 'duration' && parseDuration(text) === undefined)
    return 'a duration such as 90s, 30m, 12h or 30d';
  return spec.type === 'integer' ? integerProblem(spec, text) : undefined;
}

function integerProblem(
  { min = 0, max = Number.MAX_SAFE_INTEGER }: OptionSpec,
  text: string,
): string | undefined {
  const value = Number(text);
  if (/^-?\d+$/.test(text) && Number.isSafeInteger(value) && value >= min && value <= max) return undefined;
  return max === Number.MAX_SAFE_INTEGER
    ? `a whole number from ${min}`
    : `a whole number from ${min} to ${max}`;
}

function makeArgument(spec: ArgSpec): Argument {
  const name = spec.variadic ? `${spec.name}...` : spec.name;
  const argument = new Argument(spec.optional ? `[${name}]` : `<${name}>`, spec.summary);
  return spec.choices === undefined ? argument : argument.choices(spec.choices);
}

function explain(error: CommanderError, spec: CommandSpec, known: ReadonlySet<string>): CliError {
  const help = `appctl ${spec.path} --help`;
  const message = error.message.replace(/^error: /, '');
  if (error.code === 'commander.unknownOption') {
    const flag = /'([^']*)'/.exec(message)?.[1]?.split('=', 1)[0] ?? '';
    const own = spec.options?.find(({ mistaken }) => mistaken?.includes(flag.slice(2)));
    const meant = own === undefined ? nearest(flag, known) : `--${own.name}`;
    return usageError(`unknown option ${flag}`, meant === undefined ? help : `did you mean ${meant}?`);
  }
  const optionOf = /^option '(?:-\w, )?(--[\w-]+)[^']*' argument (?:missing|'(.*)' is invalid\. (.*))$/s.exec(
    message,
  );
  if (optionOf !== null) {
    const [, flag, value, expected] = optionOf;
    if (value === undefined) return usageError(`${flag} needs a value`, help);
    return usageError(`${flag} '${value}' is invalid`, expected);
  }
  const missing = /^missing required argument '(.*)'$/.exec(message)?.[1];
  if (missing !== undefined) return usageError(`${missing.toUpperCase()} is missing`, help);
  return usageError(message, help);
}
