// A person follows a page of the manual on a machine: every command as it is written, until one fails.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OPERATOR } from '../../support/debian-root.ts';
import type { Machine } from './debian-machine.ts';
import type { MachineBucket } from './machine-bucket.ts';
import { commandsOf, type PageCommand } from './page-commands.ts';

const pages = join(import.meta.dirname, '../../../templates/help');

/** How a page is followed. */
export interface Walk {
  readonly topic: string;
  readonly user: 'root' | typeof OPERATOR;
  /** What the machine has: nothing, the executable, the running service, or the service on Postgres. */
  readonly begins: Stage;
  /** What a machine has that was left as this walk left it. */
  readonly leaves?: Stage;
  /** Headings whose commands are run, in their order on the page; without it all. */
  readonly only?: readonly string[];
  /** Headings whose commands another walk runs. */
  readonly without?: readonly string[];
  /** What the reader has or did before the page, as a script of the same user. */
  readonly before?: string;
  /** What the reader does between the commands, by the heading before whose commands it is done. */
  readonly between?: Readonly<Record<string, { readonly first?: string; readonly second?: string }>>;
  /** Commands that sentences name, run after those of blocks. */
  readonly also?: readonly string[];
  /** What has to hold afterwards. */
  readonly after?: string;
  /** What stands for something that a test does not have, by the words of the page. */
  readonly instead?: Readonly<Record<string, string>>;
  /** A bucket that machines reach at an address of the first one. */
  readonly bucket?: MachineBucket;
  /** Another machine: what ran on it before, and headings whose commands are run on it. */
  readonly other?: OtherMachine;
}

export interface OtherMachine {
  readonly begins: Stage;
  /** Run on it before the page, by the same user. */
  readonly before?: string;
  /** Headings whose commands are run on it; without it, it is gone before the page is followed. */
  readonly headings?: readonly string[];
}

export type Stage = 'empty' | 'installed' | 'serving' | 'postgres';

/** What came of a walk. */
export interface Walked {
  readonly topic: string;
  readonly commands: number;
  /** The command that failed, and the end of what was written. */
  readonly failure: { readonly command: string; readonly output: string } | null;
}

/** Changes the text of a page, as a mistake in it would. */
export type Edit = (topic: string, page: string) => string;

export function commandsIn(walk: Walk, edit: Edit = (_, page) => page): PageCommand[] {
  const page = edit(walk.topic, readFileSync(join(pages, `${walk.topic}.md`), 'utf8'));
  const { only, without = [], also = [] } = walk;
  const shown = commandsOf(page).filter(
    ({ heading }) => (only?.includes(heading) ?? true) && !without.includes(heading),
  );
  return [...shown, ...also.map((text) => ({ text, heading: '', needsMachine: true }))];
}

interface Step {
  readonly text: string;
  readonly isOfPage: boolean;
}

/** Commands that are run by one shell, on one machine. */
interface Stretch {
  readonly isOnOther: boolean;
  readonly steps: Step[];
}

/** @returns how far the reader came */
export async function follow(
  walk: Walk,
  { first, second }: { first: Machine; second: Machine | undefined },
  edit: Edit,
): Promise<Walked> {
  const commands = commandsIn(walk, edit);
  let ran = 0;
  for (const { isOnOther, steps } of stretchesOf(walk, commands)) {
    const machine = isOnOther ? second : first;
    if (machine === undefined) throw new Error(`${walk.topic} has no other machine`);
    const { status, output } = await machine.run(walk.user, scriptOf(steps));
    const begun = [...output.matchAll(/^@@ (\d+)$/gm)].map(([, at]) => Number(at));
    const last = begun.at(-1) ?? 0;
    const done = status === 0 ? steps : steps.slice(0, last + 1);
    ran += done.filter(({ isOfPage }) => isOfPage).length;
    if (status === 0) continue;
    const command = steps[last]?.text ?? '';
    const told = output
      .slice(output.lastIndexOf(`@@ ${last}`))
      .split('\n')
      .slice(1, 41)
      .join('\n');
    const ending = status === null ? '\n(it did not end in time)' : `\n(exit ${status})`;
    return { topic: walk.topic, commands: ran, failure: { command, output: told + ending } };
  }
  return { topic: walk.topic, commands: ran, failure: null };
}

function stretchesOf(
  { other, before, between = {}, after, instead = {} }: Walk,
  commands: readonly PageCommand[],
): Stretch[] {
  const stretches: Stretch[] = [];
  const add = (text: string, isOfPage: boolean, isOnOther: boolean): void => {
    const last = stretches.at(-1);
    const steps = last?.isOnOther === isOnOther ? last.steps : [];
    if (last?.isOnOther !== isOnOther) stretches.push({ isOnOther, steps });
    const here = Object.entries(instead).reduce(
      (whole, [words, stand]) => whole.replaceAll(words, stand),
      text,
    );
    steps.push({ text: isOfPage ? here : text, isOfPage });
  };
  if (before !== undefined) add(before, false, false);
  let heading = '';
  for (const command of commands) {
    const isOnOther = other?.headings?.includes(command.heading) ?? false;
    if (command.heading !== heading) {
      heading = command.heading;
      const { first, second } = between[heading] ?? {};
      if (first !== undefined) add(first, false, false);
      if (second !== undefined) add(second, false, true);
    }
    add(command.text, true, isOnOther);
  }
  if (after !== undefined) add(after, false, false);
  return stretches;
}

/** Each step after a line that says which it is: the last one told is the one that failed. */
function scriptOf(steps: readonly Step[]): string {
  const lines = steps.flatMap(({ text }, at) => [`echo '@@ ${at}'`, text]);
  return [`trap 'kill $(jobs -p) 2> /dev/null || true' EXIT`, 'set -euo pipefail', ...lines, ''].join('\n');
}
