import { systemClock } from '#kernel/clock.ts';
import type { LoadedConfig } from '#kernel/config/load.ts';
import type { ConfigFlags, ConfigInput } from '#kernel/config/sources.ts';
import { printable } from '../printed-text.ts';
import { type Confirmation, confirmChange } from './confirm.ts';
import { type CliError, usageError } from './errors.ts';
import { globalOptions } from './globals.ts';
import type { Io, OutputMode, Paint } from './io.ts';
import { painter } from './io.ts';
import { createOutput, type Output } from './output.ts';
import type { ParsedLine } from './parse.ts';
import { type Place, type Placing, placing } from './placed.ts';
import { programName } from './program.ts';
import type { Progress } from './progress.ts';
import { createPrompts, type Prompts } from './prompts.ts';
import { createReader, type LineReader } from './reader.ts';
import { createStdinReader, readSecret, type Secret, type SecretQuestion, textOf } from './secrets.ts';
import type { CommandSpec, ConfirmLevel, OptionSpec } from './shape.ts';
import type { CommandTree } from './tree.ts';
import { ownLines, wrapped } from './wrap.ts';

/** What an action gets: the parsed command line and everything it may do to the outside. */
export interface Cli extends LineReader {
  readonly spec: CommandSpec;
  readonly tree: CommandTree<Cli>;
  readonly io: Io;
  readonly json: boolean;
  readonly quiet: boolean;
  /** Names of --fields. */
  readonly fields: readonly string[] | undefined;
  /** Show the plan, change nothing. Only ever true for a command that takes -n. */
  readonly dryRun: boolean;
  readonly noInput: boolean;
  readonly debug: boolean;
  readonly timeoutSeconds: number | undefined;
  /** Writes the answer to stdout. */
  readonly out: Output;
  readonly ask: Prompts;
  /** Color of stderr. */
  readonly paint: Paint;
  /** What the configuration of this run is read from, for commands that read it in their own way. */
  configInput(): ConfigInput;
  /** The configuration, read once; its warnings go to stderr. @throws ConfigError (78) */
  config(): Promise<LoadedConfig>;
  /** Asks before a change at the level of the command, or at `level`. @throws CliError (10) */
  confirm(confirmation: Confirmation, level?: ConfirmLevel): Promise<void>;
  /** Reads a secret declared by secretOptions(name, …). */
  secret(name: string, question: SecretQuestion & { optional: true }): Promise<Secret | undefined>;
  secret(name: string, question: SecretQuestion): Promise<Secret>;
  /** Reads a text file, or stdin for `-`. `flag` is named in errors. */
  readText(flag: string, path: string): Promise<string>;
  progress(label: string, total?: number): Promise<Progress>;
  /** As progress, for a number of bytes. */
  byteProgress(label: string, totalBytes: number): Promise<Progress>;
  /** A line for the person, on stderr; silent with --quiet. */
  note(text: string): void;
  warn(text: string): void;
  /** Puts the flags that say where this line runs into the commands of a text. */
  readonly placed: Placing;
  /** The commands that follow from this one, as `Next:` lines on stderr; silent with --quiet and --json. */
  next(...commands: string[]): void;
}

function outputMode(given: ParsedLine['options']): OutputMode {
  if (given.has('json')) return 'json';
  if (given.has('csv')) return 'csv';
  return given.has('plain') ? 'plain' : 'human';
}

function fieldList(given: ParsedLine['options']): readonly string[] | undefined {
  const text = given.get('fields');
  if (typeof text !== 'string') return undefined;
  const fields = text.split(',').map((field) => field.trim());
  if (fields.includes('')) throw usageError('--fields contains an empty name', 'write --fields id,name');
  return fields;
}

/** Collects the options that set configuration keys, in the form that the loader takes. */
function configFlags(spec: CommandSpec, given: ParsedLine['options']): ConfigFlags {
  const flags: Record<string, string | true> = {};
  const isConfig = (option: OptionSpec) =>
    option.config !== undefined || option.name === 'config' || option.name === 'env-file';
  for (const option of [...globalOptions, ...(spec.options ?? [])].filter(isConfig)) {
    const value = given.get(option.name);
    if (value === undefined) continue;
    flags[`--${option.name}`] = typeof value === 'object' ? value.join(',') : value;
  }
  return flags;
}

function checkGlobals(spec: CommandSpec, given: ParsedLine['options']): void {
  const server = ['server', 'profile'].find((name) => given.has(name));
  if (server !== undefined && !spec.runs.includes('R')) throw refuseServer(spec, `--${server}`);
  if (given.has('dry-run') && spec.confirm !== undefined && spec.dryRun === false) {
    throw usageError(`appctl ${spec.path} has no dry run`, 'leave out --dry-run');
  }
}

/**
 * A command that works on this machine alone was meant for a server.
 *
 * @param named what names the server: a flag or a variable
 */
export function refuseServer({ path, runs }: CommandSpec, named: string): CliError {
  const without = named.startsWith('--') ? `leave out ${named}` : `unset ${named}`;
  const isOffline = runs.every((mark) => mark === 'O');
  const hint = isOffline
    ? `it needs no server: ${without}`
    : `run it on the server's machine (ssh HOST appctl ${path} …), or ${without} to work on this one`;
  return usageError(`appctl ${path} cannot run on a remote server, and ${named} names one`, hint);
}

/** Makes the handle of one run. */
export function createCli(tree: CommandTree<Cli>, spec: CommandSpec, line: ParsedLine, io: Io): Cli {
  const { options: given } = line;
  checkGlobals(spec, given);
  const [json, quiet, noColor] = [given.has('json'), given.has('quiet'), given.has('no-color')];
  const dryRun = given.has('dry-run') && spec.confirm !== undefined;
  const noInput = given.has('no-input');
  const ask = createPrompts(io, { noInput, json });
  const reader = createReader(spec, line);
  const placed = placing(placeOf(given), () => programName(io.env));
  const voice = createVoice(io, { quiet, json, noColor, placed });
  const noteEmpty = async (text?: string): Promise<void> => {
    const { emptyWords } = await import('./empty.ts');
    voice.note(text ?? emptyWords(tree, spec, [...given.keys()]));
  };
  const fields = fieldList(given);
  const settings = { mode: outputMode(given), fields, noColor, quiet, noteEmpty, note: voice.note, placed };
  const out = createOutput(io, settings, () => systemClock.epochMs());
  const configInput = (): ConfigInput => ({ flags: configFlags(spec, given), env: io.env });
  return {
    ...reader,
    ...voice,
    spec,
    tree,
    io,
    json,
    quiet,
    fields,
    dryRun,
    noInput,
    out,
    ask,
    debug: given.has('debug'),
    timeoutSeconds: reader.integer('timeout'),
    configInput,
    config: createConfigReader(configInput, voice.warn),
    confirm: (confirmation, level) =>
      confirmChange(
        level ?? spec.confirm ?? 'mild',
        confirmation,
        { yes: given.has('yes'), name: reader.option('confirm'), dryRun },
        ask,
      ),
    ...createReaders(io, reader, ask),
    progress: (label, total = 0) => startedProgress(io, label, total, { quiet, json }),
    byteProgress: (label, total) => startedProgress(io, label, total, { quiet, json, unit: 'bytes' }),
  };
}

type Shown = Parameters<typeof import('./progress.ts').startProgress>[3];

/** Loaded by a command that takes its time. */
async function startedProgress(io: Io, label: string, total: number, shown: Shown): Promise<Progress> {
  const { startProgress } = await import('./progress.ts');
  return startProgress(io, label, total, shown);
}

/** Flags without which the next command would work on another installation. */
const placeOf = (given: ParsedLine['options']): Place =>
  new Map([...given].filter((option): option is [string, string] => typeof option[1] === 'string'));

type Voice = Pick<Cli, 'paint' | 'note' | 'warn' | 'placed' | 'next'>;

function createVoice(
  io: Io,
  { quiet, json, noColor, placed }: { quiet: boolean; json: boolean; noColor: boolean; placed: Placing },
): Voice {
  const paint = painter(io.stderr, io, noColor);
  return {
    paint,
    placed,
    note(text) {
      if (!quiet) io.stderr.write(`${wrapped(io.stderr, printable(placed(text)))}\n`);
    },
    warn(text) {
      const told = wrapped(io.stderr, printable(placed(text)), 'warning:');
      io.stderr.write(`${paint('yellow', 'warning:')} ${told}\n`);
    },
    next(...commands) {
      if (quiet || json) return;
      for (const command of commands) {
        io.stderr.write(`${paint('dim', 'Next:')} ${printable(ownLines(io.stderr, placed(command), 6))}\n`);
      }
    },
  };
}

function createReaders(io: Io, reader: LineReader, prompts: Prompts): Pick<Cli, 'secret' | 'readText'> {
  const readStdin = createStdinReader(io);
  const secret = (name: string, question: SecretQuestion) =>
    readSecret({ name, ...reader }, question, { io, prompts, readStdin });
  return {
    secret: secret as Cli['secret'],
    readText: async (flag, path) => (path === '-' ? readStdin(flag) : textOf(flag, path)),
  };
}

function createConfigReader(
  input: () => ConfigInput,
  warn: (text: string) => void,
): () => Promise<LoadedConfig> {
  let loading: Promise<LoadedConfig> | undefined;
  return () => {
    loading ??= import('#kernel/config/load.ts').then(async ({ loadConfig }) => {
      const loaded = await loadConfig(input());
      for (const { key, message, hint } of loaded.warnings) warn(`${key}: ${message} (${hint})`);
      return loaded;
    });
    return loading;
  };
}
