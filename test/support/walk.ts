// Walks: what a person types at a terminal and sees on it, checked in as text (test/cli/walks/NAME.COLUMNS.txt).
import { randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { program } from './cli-process.ts';
import { openTerminal, runLineAtTerminal, type Terminal, type Typed, untilShown } from './cli-terminal.ts';
import { freePort } from './command-blocks.ts';
import { commandFolder } from './command-folder.ts';
import { lastLines } from './screen.ts';
import { createMask, isTooWide } from './walk-text.ts';

/** All that was shown before a line is typed. */
export interface Seen {
  readonly text: string;
  /** The first group of a pattern where it matches last. @throws Error when it does not */
  last(pattern: RegExp): string;
}

/** A line that is typed, as it is or as it follows from what was shown. */
export interface Step {
  readonly line: string | ((seen: Seen) => string);
  readonly answers?: readonly Typed[];
  /** The exit code that it ends with; 0 when left out. */
  readonly code?: number;
  /** It goes on running, as a server does: what is shown up to this text is recorded, Ctrl-C ends it at the end. */
  readonly until?: string;
  /** It prepares something: nothing of it is recorded. */
  readonly hidden?: true;
}

interface WalkWorld {
  /** Variables beside PATH, HOME, TERM and TZ. */
  readonly env?: Readonly<Record<string, string>>;
  /** Prepares the folder that the lines run in. */
  readonly prepare?: (cwd: string) => void | Promise<void>;
  readonly steps: (port: number) => readonly (Step | string)[];
}

const WIDTHS = [80, 120];
const folder = join(import.meta.dirname, '../cli/walks');

/**
 * Declares a walk: its lines run one after the other at terminals of 80 and of 120 columns, in a folder of their own with
 * `appctl` on PATH. The screens are compared with the files; `vitest -u` writes them.
 */
export function testWalk(name: string, world: WalkWorld): void {
  test.for(WIDTHS)(`${name}, at %i columns`, { timeout: 600_000 }, async (columns) => {
    const screens = await walked(world, columns);
    const wide = screens.split('\n').filter((line) => isTooWide(line, columns));
    expect({ wide }).toEqual({ wide: [] });
    await expect(screens).toMatchFileSnapshot(join(folder, `${name}.${columns}.txt`));
  });
}

async function walked(world: WalkWorld, columns: number): Promise<string> {
  // Not where scratch folders are: the length of its path decides where lines are broken.
  const home = mkdtempSync('/tmp/appctl-walk-');
  const running: Terminal[] = [];
  try {
    const port = await walkPort();
    const bin = commandFolder(home, [process.execPath, program]);
    const cwd = join(home, 'shop');
    mkdirSync(cwd);
    await world.prepare?.(cwd);
    const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: home, TZ: 'UTC', SHELL: '/bin/bash', ...world.env };
    const lines: string[] = [];
    let text = '';
    for (const step of world.steps(port)) {
      const { line, ...how } = typeof step === 'string' ? { line: step } : step;
      const typed = typeof line === 'string' ? line : line(seenIn(text));
      const screen = await shownBy(keepingVariables(typed), how, { cwd, env, columns }, running);
      text += screen.join('\n');
      if (!how.hidden) lines.push(`$ ${typed}`, ...screen, '');
    }
    return createMask({ home, port })(`${lines.join('\n').trimEnd()}\n`);
  } finally {
    for (const terminal of running) {
      terminal.type('\x03');
      await terminal.ended;
    }
    rmSync(home, { recursive: true, force: true });
  }
}

/** A port that is written with four digits, as the usual one is: an address is as long in every run. */
async function walkPort(): Promise<number> {
  for (;;) {
    const wanted = randomInt(8500, 9990);
    if ((await freePort(wanted)) === wanted) return wanted;
  }
}

const seenIn = (text: string): Seen => ({
  text,
  last(pattern) {
    const found = [...text.matchAll(new RegExp(pattern, 'gm'))].at(-1)?.[1];
    if (found === undefined) throw new Error(`the walk shows no ${pattern}:\n${text}`);
    return found;
  },
});

/** A line in a shell of its own that knows the variables which earlier lines have set. */
function keepingVariables(line: string): string {
  const [, name] = /^([A-Z_]+)=/.exec(line) ?? [];
  const known = `[ ! -f ~/variables ] || . ~/variables; ${line}`;
  return name === undefined
    ? known
    : `${known}; code=$?; printf '${name}=%q\\n' "$${name}" >> ~/variables; exit $code`;
}

type Place = { cwd: string; env: Record<string, string>; columns: number };

async function shownBy(
  line: string,
  { answers, code = 0, until }: Omit<Step, 'line'>,
  place: Place,
  running: Terminal[],
): Promise<string[]> {
  if (until === undefined) {
    const done = await runLineAtTerminal(line, { ...place, ...(answers && { answers }) });
    const lines = lastLines(done.screen);
    expect({ line, code: done.code, screen: lines }).toEqual({ line, code, screen: lines });
    return code === 0 ? lines : [...lines, `[exit ${code}]`];
  }
  const terminal = openTerminal(line, place);
  running.push(terminal);
  await untilShown(terminal, () => terminal.screen().includes(until));
  return lastLines(terminal.screen());
}
