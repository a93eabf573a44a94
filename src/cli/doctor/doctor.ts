import type { Check, CheckScope } from '#kernel/check.ts';
import { counted } from '#kernel/counts.ts';
import { nearest } from '#kernel/edit-distance.ts';
import { checks } from '../../app/capabilities.ts';
import { type Examined, examine, examined, isOfCategory } from '../../app/examine.ts';
import { keepFound } from '../../app/system-checks.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError } from '../frame/errors.ts';
import { exits } from '../frame/exits.ts';
import type { Paint, Style } from '../frame/io.ts';
import { wrappedTo } from '../frame/wrap.ts';
import type { Checked } from './schemas.ts';
import { openScope } from './scope.ts';

/** `appctl doctor`. */
export async function runDoctor(cli: Cli): Promise<number> {
  const selected = select(cli.argumentList('check'), cli.option('category'));
  if (cli.flag('list')) {
    await print(
      cli,
      selected.map((check) => checkedOf(examined(check, { status: 'skip', message: check.title }, 0))),
    );
    return exits.done;
  }
  const results = await examineAll(cli, selected);
  await print(cli, results);
  await bundle(cli, results);
  if (results.some(({ status }) => status === 'fail')) return exits.verificationFailed;
  const warned = results.some(({ status }) => status === 'warn');
  return warned && cli.flag('strict') ? exits.pending : exits.done;
}

/** `--bundle FILE`: the archive holds what was found just now. */
async function bundle(cli: Cli, found: readonly Checked[]): Promise<void> {
  const out = cli.option('bundle');
  if (out === undefined) return;
  const { LINES, writeSupportArchive } = await import('../support/archive.ts');
  const { scope, close } = await openScope(cli.configInput());
  try {
    const { file } = await writeSupportArchive(scope, { out, lines: LINES, found });
    cli.note(`wrote ${file}: look through it before you send it`);
  } finally {
    await close();
  }
}

/** Names under which some were known before. */
const ALIASES: Readonly<Record<string, string>> = {
  'admin.2fa-coverage': 'admin.two-factor',
  'fulfilment.mints': 'store.licenses',
  'store.money-invariants': 'store.money',
};

/** @throws CliError (3) for an unknown check or category */
function select(asked: readonly string[], category: string | undefined): readonly Check[] {
  const ids = asked.map((id) => ALIASES[id] ?? id);
  for (const id of ids) {
    if (checks.some((check) => check.id === id)) continue;
    const meant = nearest(
      id,
      checks.map((check) => check.id),
    );
    const hint = meant === undefined ? 'appctl doctor --list' : `did you mean ${meant}?`;
    throw notFoundError(`check ${id} was not found`, hint);
  }
  const found = checks
    .filter((check) => ids.length === 0 || ids.includes(check.id))
    .filter((check) => category === undefined || isOfCategory(check, category));
  if (found.length === 0) throw notFoundError(`no checks in category ${category}`, 'appctl doctor --list');
  return found;
}

/** With --fix rounds are repeated until none repairs anything: what one repairs lets another look at all. */
async function examineAll(cli: Cli, selected: readonly Check[]): Promise<Checked[]> {
  const fix = cli.flag('fix');
  const fixed = new Set<string>();
  for (;;) {
    const results = await examineOnce(cli, selected, fix);
    const more = results.filter((one) => one.fixed && !fixed.has(one.id));
    for (const { id } of more) fixed.add(id);
    if (more.length === 0)
      return results.map((one) => ({ ...one, fixed: fixed.has(one.id) && one.status === 'ok' }));
  }
}

async function examineOnce(cli: Cli, selected: readonly Check[], fix: boolean): Promise<Checked[]> {
  const { scope, close } = await openScope(cli.configInput());
  try {
    const results: Checked[] = [];
    for (const check of selected) {
      results.push(checkedOf(await examineOne(check, scope, fix)));
    }
    return results;
  } finally {
    await close();
  }
}

/** The panel shows what a long one found last; the other checks report a database that cannot be written. */
async function examineOne(check: Check, scope: CheckScope, fix: boolean): Promise<Examined> {
  const one = await examine(check, scope, fix);
  if (scope.opened) await keepFound(scope.opened, check, one).catch(() => undefined);
  return one;
}

/** What the panel alone asks of it is not printed. */
const checkedOf = ({ isAdvice: _isAdvice, isTrouble: _isTrouble, ...one }: Examined): Checked => one;

const styles: Readonly<Record<Checked['status'], Style>> = {
  ok: 'green',
  warn: 'yellow',
  fail: 'red',
  skip: 'dim',
};

async function print(cli: Cli, results: readonly Checked[]): Promise<void> {
  const count = (status: Checked['status']) => results.filter((one) => one.status === status).length;
  const summary = { ok: count('ok'), warn: count('warn'), fail: count('fail'), skip: count('skip') };
  const document = { checks: results, summary };
  if (cli.out.mode === 'json' || cli.out.mode === 'human') {
    return cli.out.value(document, (paint, width) =>
      [...results.flatMap((one) => lines(one, paint, width)), totals(summary), ...manualOf(results)].join(
        '\n',
      ),
    );
  }
  return cli.out.rows(document, results, [
    { key: 'id' },
    { key: 'status' },
    { key: 'message' },
    { key: 'hint' },
  ]);
}

const INDENT = 37;

function lines(one: Checked, paint: Paint, width: number | undefined): string[] {
  const mark = one.fixable ? '*' : ' ';
  const state = one.fixed ? paint('green', 'fixed') : paint(styles[one.status], one.status.padEnd(5));
  const first = `${state} ${`${one.id}${mark}`.padEnd(30)} ${wrappedTo(width, one.message, INDENT)}`;
  return one.hint === null
    ? [first]
    : [first, `${' '.repeat(INDENT)}${paint('cyan', wrappedTo(width, one.hint, INDENT))}`];
}

/** The pages about what is wrong, each once. */
function manualOf(results: readonly Checked[]): string[] {
  const wrong = results.filter(({ status }) => status === 'warn' || status === 'fail');
  const pages = [...new Set(wrong.map(({ page }) => page))];
  return pages.length === 0 ? [] : [`Manual: ${pages.map((page) => `appctl help ${page}`).join(', ')}`];
}

const totals = ({ ok, warn, fail, skip }: Record<Checked['status'], number>): string =>
  `${ok} ok, ${counted(warn, 'warning')}, ${fail} failed, ${skip} skipped`;

/** Offers the id of every check. */
export async function completeCheckIds(): Promise<readonly string[]> {
  return checks.map((check) => check.id);
}
