// Runs the same command lines on the local installation and with --server, against one database, and compares what they
// print: every command with a twin on the admin API works at both desks alike (cli.md, 1.7).
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { systemClock } from '#kernel/clock.ts';
import { pinName } from '#platform/settings/index.ts';
import { firstWords, localOnly, nowhere } from '../../src/cli/frame/placed.ts';
import { type AppOptions, startApp, type TestApp } from './app.ts';
import { runInside } from './cli-inside.ts';
import { type CliOptions, type CliRun, errorOf } from './cli-process.ts';
import { scratchFolder } from './scratch-folder.ts';

/** One of the two places, as a scenario sees it. */
export interface OneDesk {
  readonly isRemote: boolean;
  /** Part of names that must be free at each: `editor-${tag}`. It is the same in what is compared. */
  readonly tag: string;
  /** Runs a command line; words, or a text that is split at its blanks. */
  run(line: string | readonly string[], options?: CliOptions): Promise<CliRun>;
  /** Runs it with --json and gives its answer. */
  answer<T = Record<string, unknown>>(line: string | readonly string[], options?: CliOptions): Promise<T>;
  /** Runs it with --json; it must fail. Gives its exit code and its error. */
  failure(line: string | readonly string[], options?: CliOptions): Promise<Failed>;
}

type Failed = { exit: number | null; stdout: string } & ReturnType<typeof errorOf>;

/** An installation that is served, and a folder for the files of commands. */
export interface BothDesks {
  readonly app: TestApp;
  readonly cwd: string;
  /** Runs a scenario at each desk and expects the same exit codes, answers and notes, but for ids, times and secrets. */
  same(scenario: (desk: OneDesk) => Promise<void>): Promise<void>;
  /** Runs a scenario at each desk, here first, without comparing. */
  atEach(scenario: (desk: OneDesk) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

/** Starts the application on the machine's clock, with a token that may do everything. The caller closes it. */
export async function openBothDesks(options: AppOptions = {}): Promise<BothDesks> {
  const app = await startApp({ ...options, clock: systemClock });
  const cwd = scratchFolder('appctl-desks-');
  writeFileSync(join(cwd, 'token'), (await app.adminToken('owner', { isInstanceWide: true })).secret, {
    mode: 0o600,
  });
  const { dataDir, database } = app.instance.config;
  const pins = Object.entries(options.pins ?? {}).map(([key, text]) => [pinName(key), text]);
  const here = {
    APPCTL_DATA_DIR: dataDir,
    APPCTL_DATABASE_URL: database.url,
    APPCTL_BASE_URL: app.url,
    ...Object.fromEntries(pins),
  };
  const there = { APPCTL_DATA_DIR: join(cwd, 'none') };
  const server = ['--server', app.url, '--api-key-file', 'token'];
  const atHome: Place = { cwd, env: here, more: [], tag: 'desk1' };
  const onServer: Place = { cwd, env: there, more: server, tag: 'desk2' };
  return {
    app,
    cwd,
    async same(scenario) {
      const local = await transcript(scenario, atHome);
      const remote = await transcript(scenario, onServer);
      expect(remote).toEqual(local);
    },
    async atEach(scenario) {
      for (const place of [atHome, onServer]) await transcript(scenario, place);
    },
    async close() {
      await app.close();
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}

interface Place {
  cwd: string;
  env: Record<string, string>;
  more: readonly string[];
  tag: string;
}

/** What a scenario printed, line by line of commands. */
async function transcript(
  scenario: (desk: OneDesk) => Promise<void>,
  { cwd, env, more, tag }: Place,
): Promise<string[]> {
  const said: string[] = [];
  const run: OneDesk['run'] = async (line, options = {}) => {
    const words = typeof line === 'string' ? line.split(' ') : line;
    const done = await runInside([...words, ...more], { cwd, ...options, env: { ...env, ...options.env } });
    const told = done.stderr.replace(/^server: .*\n/gm, '');
    const unplaced = (text: string) => (more.length > 0 ? text.replaceAll(`${more.join(' ')} `, '') : text);
    const stderr = unplaced(told);
    if (more.length > 0) {
      expect(done.stderr).toMatch(SERVER_NAMED);
      expect(commandsWithout(more, told)).toEqual([]);
    }
    said.push(
      masked([`$ ${words.join(' ')}`, unplaced(done.stdout), stderr, `= ${done.code}`].join('\n'), tag),
    );
    return { ...done, stderr };
  };
  const json = (line: string | readonly string[]) => [
    ...(typeof line === 'string' ? line.split(' ') : line),
    '--json',
  ];
  await scenario({
    tag,
    isRemote: more.length > 0,
    run,
    async answer<T>(line: string | readonly string[], options?: CliOptions) {
      const done = await run(json(line), options);
      expect([done.code, done.stderr]).toEqual([0, expect.not.stringContaining('"error"')]);
      return JSON.parse(done.stdout) as T;
    },
    async failure(line, options) {
      const done = await run(json(line), options);
      return { exit: done.code, stdout: done.stdout, ...errorOf(done) };
    },
  });
  return said;
}

/** Commands to copy that would run on another installation when they are pasted. */
function commandsWithout(more: readonly string[], told: string): string[] {
  const isCommand = (words: string) =>
    firstWords.some((word) => words === word || words.startsWith(`${word} `));
  const works = (words: string) =>
    [...localOnly, ...nowhere].some((path) => words === path || words.startsWith(`${path} `));
  return copied(told)
    .filter((command) => !command.includes(more.join(' ')))
    .filter((command) => isCommand(command) && !works(command));
}

/** What stands in notes, warnings, hints and next steps; an error's own sentence only names commands. */
function copied(told: string): string[] {
  const lines = told.split('\n').filter((line) => !line.startsWith('error: '));
  const texts = lines.map((line) => (line.startsWith('{') ? hintIn(line) : line));
  return texts.flatMap((text) =>
    [...text.matchAll(/(?<!ssh HOST |on the server: )\bappctl ([^;()\n]*)/g)]
      .map(([, command = '']) => command)
      .filter((command) => !command.includes('--help')),
  );
}

function hintIn(line: string): string {
  const { error } = JSON.parse(line) as { error?: { hint?: string | null } };
  return error?.hint ?? '';
}

/** A server is named, or the line was refused before it came to that. */
const SERVER_NAMED = /^server: http|"success":false|error: /m;

/** What differs between two runs that do the same. */
const MASKS: readonly [RegExp, string][] = [
  [/\bsha256=[0-9a-f]{64}\b/g, 'SIGNATURE'],
  [/\b[A-Z]{2,6}(?:-[0-9A-Z]{4})+\b/g, 'KEY'],
  [/\b([a-z]{3})_[0-9A-HJKMNP-TV-Z]{26}\b/g, '$1_ID'],
  [/\b((?:whs|alk|ask|adm|lwh|ins)_)[\w-]{20,}/g, '$1SECRET'],
  [/\b(alk|ask|adm)_[\w-]{4}(?=["\s]|$)/gm, '$1_PREFIX'],
  [/"password":"[^"]+"/g, '"password":"SECRET"'],
  [/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{3})?)?(?:Z| UTC| [+-]\d\d:\d\d)?/g, 'TIME'],
  // Ids of keys that each desk makes for itself.
  [/\b(?=\w*[a-f])(?=\w*\d)[0-9a-f]{16}\b/g, 'KEY_ID'],
  // As a person reads it, an hour or a day may have begun in between.
  [/\bTIME \([^)]*\)/g, 'TIME (THEN)'],
  [/"x-webhook-signature":"[0-9a-f]{64}"/g, '"x-webhook-signature":"SIGNATURE"'],
  // Who did it: the user of this machine, or the token.
  [/\b(?:cli:\w+|admin:(?:owner|adt_ID))\b/g, 'ACTOR'],
  [/("updatedBy":)"[^"]*"/g, '$1"ACTOR"'],
  // What made a license.
  [/"source":"(?:CLI|ADMIN)"/g, '"source":"STAFF"'],
  [/\blicense\/[\w-]{20,}(?:\.[\w-]+)*/g, 'TOKEN'],
  [/\btest-[0-9a-z]{26}\b/g, 'test-ID'],
  [/\bin \d+ ms\b/g, 'in N ms'],
  [/"ms":\d+/g, '"ms":N'],
  [/\b\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT/g, 'TIME'],
  // Columns are as wide as what was masked.
  [/ {2,}/g, '  '],
];

function masked(text: string, tag: string): string {
  return MASKS.reduce((all, [pattern, word]) => all.replace(pattern, word), text.replaceAll(tag, 'TAG'));
}
