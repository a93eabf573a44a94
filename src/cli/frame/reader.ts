import { usageError } from './errors.ts';
import { globalOptions } from './globals.ts';
import type { OptionValue, ParsedLine } from './parse.ts';
import type { CommandSpec, OptionSpec } from './shape.ts';
import { parseDuration } from './values.ts';

/**
 * Reads the arguments and options of a command by the names in its declaration.
 * Asking for a name that is not declared is a defect and throws.
 */
export interface LineReader {
  /** A required argument. */
  argument(name: string): string;
  optionalArgument(name: string): string | undefined;
  /** Every word of a variadic argument. */
  argumentList(name: string): readonly string[];
  /** The value of an option, else the default of its declaration. */
  option(name: string): string | undefined;
  /** The value of an option declared `required`. @throws usage error (2) */
  required(name: string): string;
  flag(name: string): boolean;
  integer(name: string): number | undefined;
  /** A duration in seconds. */
  seconds(name: string): number | undefined;
  /** Every value of an option that repeats. */
  list(name: string): readonly string[];
  /** Whether the option stands on the command line. */
  given(name: string): boolean;
  /** Whether the command has such an option at all. */
  declares(name: string): boolean;
}

/** Makes the reader of one parsed command line. */
export function createReader(spec: CommandSpec, line: ParsedLine): LineReader {
  const options = createOptionReader(spec, line);
  const { option, list } = options;
  return {
    ...options,
    ...createArgumentReader(spec, line),
    required(name) {
      const value = option(name) ?? list(name)[0];
      if (value === undefined) throw usageError(`--${name} is required`, `appctl ${spec.path} --help`);
      return value;
    },
    integer(name) {
      const value = option(name);
      return value === undefined ? undefined : Number(value);
    },
    seconds(name) {
      const value = option(name);
      return value === undefined ? undefined : parseDuration(value);
    },
  };
}

type OptionReader = Pick<LineReader, 'option' | 'flag' | 'list' | 'given' | 'declares'>;

function createOptionReader(spec: CommandSpec, line: ParsedLine): OptionReader {
  const options = new Map<string, OptionSpec>();
  for (const option of [...globalOptions, ...(spec.options ?? [])]) options.set(option.name, option);

  function raw(name: string): OptionValue | undefined {
    if (!options.has(name)) throw new Error(`'${spec.path}' does not declare the option ${name}`);
    return line.options.get(name);
  }
  return {
    option(name) {
      const value = raw(name);
      if (value === undefined) return options.get(name)?.default;
      return typeof value === 'string' ? value : undefined;
    },
    flag: (name) => raw(name) === true,
    list(name) {
      const value = raw(name);
      return typeof value === 'object' ? value : [];
    },
    given: (name) => raw(name) !== undefined,
    declares: (name) => options.has(name),
  };
}

type ArgumentReader = Pick<LineReader, 'argument' | 'optionalArgument' | 'argumentList'>;

function createArgumentReader(spec: CommandSpec, line: ParsedLine): ArgumentReader {
  const args = new Set((spec.args ?? []).map((arg) => arg.name));

  function raw(name: string): string | readonly string[] | undefined {
    if (!args.has(name)) throw new Error(`'${spec.path}' does not declare the argument ${name}`);
    return line.args.get(name);
  }
  return {
    argument(name) {
      const value = raw(name);
      if (typeof value === 'string') return value;
      throw usageError(`${name.toUpperCase()} is missing`, `appctl ${spec.path} --help`);
    },
    optionalArgument(name) {
      const value = raw(name);
      return typeof value === 'string' ? value : undefined;
    },
    argumentList(name) {
      const value = raw(name);
      return typeof value === 'string' ? [value] : (value ?? []);
    },
  };
}
