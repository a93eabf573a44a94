import { ConfigError } from '#kernel/config/errors.ts';
import { nearest } from '#kernel/edit-distance.ts';
import { processEnvironment } from '#kernel/environment.ts';
import { jsonLine, printable } from '../printed-text.ts';
import { type Cli, createCli } from './context.ts';
import { usageError } from './errors.ts';
import { exits, type Failure, toFailure } from './exits.ts';
import { rootOptions } from './globals.ts';
import { flush, type Io, painter } from './io.ts';
import type { MapFormat } from './map.ts';
import { parseLine } from './parse.ts';
import { type Placing, placeIn, placing } from './placed.ts';
import { programName } from './program.ts';
import { askForRequired, type Offering } from './required.ts';
import type { CommandSpec } from './spec.ts';
import { type CommandNode, type CommandTree, type Resolution, resolveCommand } from './tree.ts';
import { wrapped } from './wrap.ts';

/**
 * Runs one command line to its end.
 * @param argv words after the program's name
 * @returns the exit code; nothing is thrown
 */
export async function run(tree: CommandTree<Cli>, argv: readonly string[], io: Io): Promise<number> {
  endOnClosedPipe(tree, argv, io);
  try {
    return await dispatch(tree, argv, io);
  } catch (error) {
    const failure = toFailure(error);
    report(failure, error, argv, io);
    return failure.exit;
  }
}

/** Runs the command line of this process and ends it with the command's code, once the streams are written out. */
export async function runProcess(tree: CommandTree<Cli>): Promise<never> {
  const io: Io = {
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    env: processEnvironment(),
  };
  const code = await run(tree, process.argv.slice(2), io);
  await Promise.all([flush(io.stdout), flush(io.stderr)]);
  // Handles that are still open, a read of stdin for example, must not keep a finished command waiting.
  process.exit(code);
}

async function dispatch(tree: CommandTree<Cli>, argv: readonly string[], io: Io): Promise<number> {
  const found = resolveCommand(tree, argv);
  if (found.rootFlag !== undefined) return runRootFlag(tree, found.rootFlag, argv, io);
  if (found.unknown !== undefined) throw unknownCommand(found, found.unknown);
  const { node, rest } = found;
  if (asksForHelp(rest)) {
    return showHelp(node, io);
  }
  if (node.spec === undefined) return bareGroup(found, io);
  return execute(tree, node.spec, rest, io);
}

async function execute(
  tree: CommandTree<Cli>,
  spec: CommandSpec,
  rest: readonly string[],
  io: Io,
): Promise<number> {
  const offered: Offering = async ({ complete }, line) => {
    if (typeof complete !== 'function') return [];
    // What the installation cannot tell now is typed.
    const known = (await complete()) as (cli: Cli) => Promise<readonly string[]>;
    return known(createCli(tree, spec, line, io)).catch(() => []);
  };
  const line = await askForRequired(spec, parseLine(spec, rest), io, offered);
  const cli = createCli(tree, spec, line, io);
  if (cli.fields !== undefined && spec.output !== undefined) {
    const { refuseUnknownFields } = await import('./fields.ts');
    await refuseUnknownFields(cli.fields, await spec.output());
  }
  const action = await spec.load();
  return (await action(cli)) ?? exits.done;
}

async function runRootFlag(
  tree: CommandTree<Cli>,
  flag: string,
  argv: readonly string[],
  io: Io,
): Promise<number> {
  const [name = '', joined] = flag.split('=', 2);
  if (name !== '--map') {
    const version = tree.specs.find((spec) => spec.path === 'version');
    if (version === undefined) throw new Error('the command version is missing');
    return execute(tree, version, argv.includes('--json') ? ['--json'] : [], io);
  }
  const following = argv[argv.indexOf(flag) + 1];
  const format = joined ?? following ?? 'tree';
  const choices = rootOptions.find((option) => option.name === 'map')?.choices ?? [];
  if (!choices.includes(format))
    throw usageError(`--map '${format}' is invalid`, `one of: ${choices.join(', ')}`);
  const { renderMap } = await import('./map.ts');
  io.stdout.write(renderMap(tree, format as MapFormat));
  return exits.done;
}

/** Loaded when it is asked for: most command lines ask for an answer. */
async function showHelp(node: CommandNode, io: Io): Promise<number> {
  const { renderHelp } = await import('./help.ts');
  io.stdout.write(renderHelp(node, io.stdout));
  return exits.done;
}

function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end < 0 ? undefined : end).some((word) => word === '--help' || word === '-h');
}

/** A group without a subcommand shows its help; with flags it was meant to do something. */
async function bareGroup({ node, rest }: Resolution, io: Io): Promise<number> {
  const flag = rest.find((word) => word.startsWith('-'));
  if (rest.length === 0) return showHelp(node, io);
  if (node.path === '' && flag !== undefined)
    throw usageError(`a command is missing after ${flag}`, 'appctl --help');
  throw usageError(
    `appctl ${node.path} needs a subcommand: ${[...node.children.keys()].join(', ')}`,
    `appctl ${node.path} --help`,
  );
}

function unknownCommand({ node }: Resolution, word: string) {
  const place = node.path === '' ? '' : `${node.path} `;
  const meant = nearest(word, [...node.children.keys(), ...node.aliases.keys()]);
  const hint = meant === undefined ? `appctl ${place}--help` : `did you mean appctl ${place}${meant}?`;
  return usageError(`unknown command '${place}${word}'`, hint);
}

/** Prints a failure on stderr; with --json its last line is the error document (cli.md section 1.1). */
function report(failure: Failure, error: unknown, argv: readonly string[], io: Io): void {
  const end = argv.indexOf('--');
  const flags = argv.slice(0, end < 0 ? undefined : end);
  if (flags.includes('--debug') && failure.exit === exits.unexpected && error instanceof Error) {
    io.stderr.write(`${printable(error.stack ?? '')}\n`);
  }
  const { code, message, details } = failure;
  const placed = placing(placeIn(flags), () => programName(io.env));
  const hint = failure.hint && placed(failure.hint);
  if (flags.includes('--json')) {
    io.stderr.write(jsonLine({ success: false, error: { code, message, hint, details } }));
    return;
  }
  const paint = painter(io.stderr, io, flags.includes('--no-color'));
  for (const line of failureLines(error, message, hint, placed)) {
    const title = line.hint ? 'hint:' : 'error:';
    const text = wrapped(io.stderr, printable(line.text), title);
    io.stderr.write(`${paint(line.hint ? 'cyan' : 'red', title)} ${text}\n`);
  }
}

function failureLines(
  error: unknown,
  message: string,
  hint: string | null,
  placed: Placing,
): { hint: boolean; text: string }[] {
  if (error instanceof ConfigError) {
    return error.problems.flatMap((problem) => [
      { hint: false, text: `${problem.key}: ${problem.message}` },
      { hint: true, text: placed(problem.hint) },
    ]);
  }
  const first = { hint: false, text: message };
  return hint === null ? [first] : [first, { hint: true, text: hint }];
}

/** A reader that closes the pipe early ends the command silently with 0; `serve` goes on without it. */
function endOnClosedPipe(tree: CommandTree<Cli>, argv: readonly string[], io: Io): void {
  const { node } = resolveCommand(tree, argv);
  io.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (node.spec?.survivesClosedPipe) return;
    if (error.code === 'EPIPE') process.exit(exits.done);
    const why = error.code === 'ENOSPC' ? 'no space is left on the disk' : error.message;
    io.stderr.write(`error: the answer could not be written: ${why}\n`, () => process.exit(exits.unexpected));
  });
  io.stderr.on('error', () => {});
}
