// Runs a command line as the program does, in the test's own process: hundreds of them cost no start of a process.

import { Readable, Writable } from 'node:stream';
import type { Cli } from '../../src/cli/frame/context.ts';
import { run } from '../../src/cli/frame/run.ts';
import type { CommandTree } from '../../src/cli/frame/tree.ts';
import { commandTree } from '../../src/cli/index.ts';
import type { CliOptions, CliRun } from './cli-process.ts';

const program = await commandTree();

/**
 * Runs a command line to its end, with the streams, the environment and the working directory of its options.
 * What belongs to a process is not here: signals, terminals, a closed pipe, and the log, which goes to the test's stderr.
 * @param args words after `appctl`
 * @param tree commands of another program that uses the frame
 * @throws Error when a command with another working directory is under way: a process has one only
 */
export async function runInside(
  args: readonly string[],
  { cwd = process.cwd(), env = {}, input }: Omit<CliOptions, 'script'> = {},
  tree: CommandTree<Cli> = program,
): Promise<CliRun> {
  const texts = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof texts) =>
    new Writable({
      decodeStrings: false,
      write(chunk, _encoding, done) {
        texts[name] += String(chunk);
        done();
      },
    }) as unknown as NodeJS.WriteStream;
  const stdin = Readable.from(
    input === undefined ? [] : [Buffer.from(input)],
  ) as unknown as NodeJS.ReadStream;
  const io = { stdin, stdout: collect('stdout'), stderr: collect('stderr') };
  const leave = enter(cwd, args);
  try {
    const code = await run(tree, args, { ...io, env: { PATH: '/usr/bin:/bin', HOME: cwd, ...env } });
    return { code, signal: null, ...texts };
  } finally {
    leave();
  }
}

const visit = { guests: 0, cwd: '', home: '', line: '' };

/** Commands that run at the same time share their working directory; the last one leaves it. */
function enter(cwd: string, args: readonly string[]): () => void {
  if (visit.guests > 0 && visit.cwd !== cwd) throw new Error(`appctl ${visit.line} has not ended yet`);
  if (visit.guests === 0) {
    Object.assign(visit, { cwd, home: process.cwd(), line: args.join(' ') });
    process.chdir(cwd);
  }
  visit.guests += 1;
  return () => {
    visit.guests -= 1;
    if (visit.guests === 0) process.chdir(visit.home);
  };
}
